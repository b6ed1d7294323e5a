import { type FormEvent, useState } from "react";
import type { Agent, SkillCategory } from "../api/model";
import { Button } from "../design/Button";
import { Dialog } from "../design/Dialog";
import { Field } from "../design/Field";
import { formatCount } from "../design/format";

const COLOURS = [
  "#4F7CAC",
  "#3E8E6B",
  "#C2591F",
  "#B5475F",
  "#7A5BB0",
  "#A0781C",
  "#2F8597",
  "#6B6B6B",
];

type Values = Pick<SkillCategory, "name" | "color">;

type CategoryFormProps = {
  category: SkillCategory | null;
  onSave: (values: Values) => Promise<boolean>;
  onClose: () => void;
};

export function CategoryDialog({ open, ...rest }: CategoryFormProps & { open: boolean }) {
  return (
    <Dialog
      open={open}
      onClose={rest.onClose}
      title={rest.category ? "Edit the category" : "A new category"}
    >
      <CategoryForm {...rest} />
    </Dialog>
  );
}

function CategoryForm({ category, onSave, onClose }: CategoryFormProps) {
  const [name, setName] = useState(category?.name ?? "");
  const [color, setColor] = useState(category?.color ?? COLOURS[0] ?? "");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (await onSave({ name: name.trim(), color })) onClose();
  };
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <Field label="Name">
        <input
          className="input"
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      <fieldset className="colours">
        <legend className="field-label">Colour</legend>
        {COLOURS.map((each) => (
          <button
            key={each}
            type="button"
            className="colour"
            aria-label={each}
            aria-pressed={each.toLowerCase() === color.toLowerCase()}
            style={{ background: each }}
            onClick={() => setColor(each)}
          />
        ))}
        <input
          type="color"
          aria-label="Another colour"
          value={color}
          onChange={(event) => setColor(event.target.value)}
        />
      </fieldset>
      <div className="row-end">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" type="submit" disabled={!name.trim()}>
          Save
        </Button>
      </div>
    </form>
  );
}

type DeleteCategoryProps = {
  agent: Agent;
  category: SkillCategory;
  count: number;
  onDelete: (moveTo?: string) => void;
  onClose: () => void;
};

/** Delete a category. Its skills are deleted only if the user chooses so. */
export function DeleteCategoryDialog({
  agent,
  category,
  count,
  onDelete,
  onClose,
}: DeleteCategoryProps) {
  const others = agent.skillCategories.filter(({ id }) => id !== category.id);
  const [moveTo, setMoveTo] = useState(others[0]?.id ?? "");
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Delete ${category.name}?`}
      description={
        count > 0
          ? `It has ${formatCount(count, "skill")}. Move them, or delete them too.`
          : "It has no skills."
      }
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          {count > 0 && (
            <Button look="danger" onClick={() => onDelete()}>
              Delete with {formatCount(count, "skill")}
            </Button>
          )}
          <Button look="primary" onClick={() => onDelete(count > 0 ? moveTo : undefined)}>
            {count > 0 ? "Move them and delete" : "Delete"}
          </Button>
        </>
      }
    >
      {count > 0 && (
        <Field label="Move its skills to">
          <select
            className="input"
            value={moveTo}
            onChange={(event) => setMoveTo(event.target.value)}
          >
            {others.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </Field>
      )}
    </Dialog>
  );
}
