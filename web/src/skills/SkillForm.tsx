import { type FormEvent, useState } from "react";
import type { Agent, Skill } from "../api/model";
import { Button } from "../design/Button";
import { ChangedElsewhere } from "../design/ChangedElsewhere";
import { useDraft } from "../design/drafts";
import { Field } from "../design/Field";
import { estimateTokens, formatCount } from "../design/format";
import { wouldCreateCycle } from "./skillOrder";
import type { SkillValues } from "./useSkillActions";

type SkillFormProps = {
  agent: Agent;
  skill?: Skill | undefined;
  /** The version saved elsewhere since the form was opened. */
  theirs?: Skill | undefined;
  categoryId: string;
  onSave: (values: SkillValues) => Promise<boolean>;
  onCancel: () => void;
};

function valuesOf({
  name,
  description,
  whenToUse,
  categoryId,
  requires,
}: SkillValues): SkillValues {
  return { name, description, whenToUse, categoryId, requires };
}

function Requirements({
  agent,
  skill,
  value,
  onChange,
}: {
  agent: Agent;
  skill: Skill | undefined;
  value: string[];
  onChange: (ids: string[]) => void;
}) {
  const others = agent.skills.filter(({ id }) => id !== skill?.id);
  if (others.length === 0) return null;
  return (
    <fieldset className="requires">
      <legend className="field-label">Needs</legend>
      {others.map(({ id, name }) => {
        const circular =
          skill !== undefined &&
          !value.includes(id) &&
          wouldCreateCycle(agent.skills, skill.id, id);
        return (
          <label key={id}>
            <input
              type="checkbox"
              checked={value.includes(id)}
              disabled={circular}
              onChange={(event) =>
                onChange(
                  event.target.checked ? [...value, id] : value.filter((each) => each !== id),
                )
              }
            />
            {name}
            {circular && <span className="soft small"> needs this one itself</span>}
          </label>
        );
      })}
    </fieldset>
  );
}

export function SkillForm({ agent, skill, theirs, categoryId, onSave, onCancel }: SkillFormProps) {
  const [begun] = useState<SkillValues>(() =>
    valuesOf(skill ?? { name: "", description: "", whenToUse: "", categoryId, requires: [] }),
  );
  const draft = useDraft(`skill:${agent.id}:${skill?.id ?? ""}`, begun);
  const { name, description, whenToUse, requires } = draft.value;
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const saved = await onSave({ ...draft.value, name: name.trim() });
    setBusy(false);
    if (saved) draft.discard();
  };
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <Field label="Name">
        <input
          className="input"
          required
          maxLength={100}
          // biome-ignore lint/a11y/noAutofocus: the form was opened to write this
          autoFocus={!skill}
          value={name}
          onChange={(event) => draft.change({ name: event.target.value })}
        />
      </Field>
      <Field
        label="What it says"
        hint={`This text is injected. About ${formatCount(estimateTokens(description), "token")}.`}
      >
        <textarea
          className="input"
          rows={9}
          value={description}
          onChange={(event) => draft.change({ description: event.target.value })}
        />
      </Field>
      <Field label="When to use it" hint="For clients that load skills on demand.">
        <textarea
          className="input"
          rows={2}
          value={whenToUse}
          onChange={(event) => draft.change({ whenToUse: event.target.value })}
        />
      </Field>
      <Field label="Category">
        <select
          className="input"
          value={draft.value.categoryId}
          onChange={(event) => draft.change({ categoryId: event.target.value })}
        >
          {agent.skillCategories.map((category) => (
            <option key={category.id} value={category.id}>
              {category.name}
            </option>
          ))}
        </select>
      </Field>
      <Requirements
        agent={agent}
        skill={skill}
        value={requires}
        onChange={(next) => draft.change({ requires: next })}
      />
      {theirs && <ChangedElsewhere theirs={theirs.description} mine={description} />}
      <div className="row-end">
        <Button
          onClick={() => {
            draft.discard();
            onCancel();
          }}
        >
          Cancel
        </Button>
        <Button look="primary" type="submit" disabled={!name.trim() || busy}>
          {skill ? "Save" : "Add skill"}
        </Button>
      </div>
    </form>
  );
}
