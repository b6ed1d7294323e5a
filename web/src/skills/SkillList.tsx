import {
  ArrowDown,
  ArrowUp,
  BookUp,
  GripVertical,
  MoreHorizontal,
  PencilLine,
  Plus,
  Trash2,
  TriangleAlert,
} from "lucide-react";
import { Reorder, useDragControls } from "motion/react";
import { useEffect, useState } from "react";
import type { Agent, Skill, SkillCategory, SkillFinding } from "../api/model";
import { IconButton } from "../design/Button";
import { Hint } from "../design/Hint";
import { Menu, MenuItem, MenuLine } from "../design/Menu";
import { Switch } from "../design/Switch";
import { type CategoryGroup, groupSkills, moved } from "./skillOrder";
import type { useSkillActions } from "./useSkillActions";

type Actions = ReturnType<typeof useSkillActions>;

export type SkillListProps = {
  agent: Agent;
  findings: SkillFinding[];
  actions: Actions;
  onEdit: (skill: Skill) => void;
  onAdd: (categoryId: string) => void;
  onEditCategory: (category: SkillCategory) => void;
  onDeleteCategory: (category: SkillCategory) => void;
};

function Warnings({ skill, findings }: { skill: Skill; findings: SkillFinding[] }) {
  const own = findings.filter(({ skillIds }) => skillIds.includes(skill.id));
  if (own.length === 0) return null;
  const text = own.map(({ message }) => message).join(" ");
  return (
    <Hint text={text}>
      <button type="button" className="skill-warning" aria-label={text}>
        <TriangleAlert size={16} />
      </button>
    </Hint>
  );
}

type RowProps = Pick<SkillListProps, "findings" | "actions" | "onEdit"> & {
  skill: Skill;
  ids: string[];
  onDropped: () => void;
};

function Row({ skill, ids, findings, actions, onEdit, onDropped }: RowProps) {
  const controls = useDragControls();
  const place = ids.indexOf(skill.id);
  return (
    <Reorder.Item
      as="li"
      value={skill.id}
      dragListener={false}
      dragControls={controls}
      onDragEnd={onDropped}
      className="skill"
      data-on={skill.enabled}
    >
      {/* Dragging needs a pointer; the menu also works with the keyboard. */}
      <span
        className="skill-grip"
        aria-hidden="true"
        onPointerDown={(event) => controls.start(event)}
      >
        <GripVertical size={18} />
      </span>
      <Switch
        label={skill.name}
        checked={skill.enabled}
        onChange={(enabled) => void actions.enable(skill, enabled)}
      />
      <button type="button" className="skill-name" onClick={() => onEdit(skill)}>
        <strong>{skill.name}</strong>
        <span className="soft small one-line">
          {skill.whenToUse || skill.description || "Says nothing yet"}
        </span>
      </button>
      <Warnings skill={skill} findings={findings} />
      <Menu
        trigger={
          <IconButton small label={`More for ${skill.name}`} icon={<MoreHorizontal size={18} />} />
        }
      >
        <MenuItem icon={<PencilLine size={18} />} onSelect={() => onEdit(skill)}>
          Edit
        </MenuItem>
        <MenuItem
          icon={<ArrowUp size={18} />}
          disabled={place === 0}
          onSelect={() => void actions.arrange(moved(ids, skill.id, -1))}
        >
          Move up
        </MenuItem>
        <MenuItem
          icon={<ArrowDown size={18} />}
          disabled={place === ids.length - 1}
          onSelect={() => void actions.arrange(moved(ids, skill.id, 1))}
        >
          Move down
        </MenuItem>
        <MenuItem icon={<BookUp size={18} />} onSelect={() => void actions.keepInLibrary(skill)}>
          Keep in the library
        </MenuItem>
        <MenuLine />
        <MenuItem danger icon={<Trash2 size={18} />} onSelect={() => void actions.remove(skill)}>
          Delete
        </MenuItem>
      </Menu>
    </Reorder.Item>
  );
}

function Category({ category, skills, ...rest }: CategoryGroup & SkillListProps) {
  const { agent, findings, actions, onEdit, onAdd, onEditCategory, onDeleteCategory } = rest;
  const stored = skills.map(({ id }) => id);
  const storedKey = stored.join("\n");
  const [ids, setIds] = useState(stored);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says when the ids are others
  useEffect(() => setIds(stored), [storedKey]);
  const byId = new Map(skills.map((skill) => [skill.id, skill]));
  const on = skills.filter(({ enabled }) => enabled).length;
  return (
    <section className="category card" aria-label={category.name}>
      <header className="category-head">
        <span className="category-dot" style={{ background: category.color }} />
        <h2>{category.name}</h2>
        <span className="soft small">
          {on} of {skills.length} on
        </span>
        <span className="spring" />
        <IconButton
          small
          label={`Add a skill to ${category.name}`}
          icon={<Plus size={18} />}
          onClick={() => onAdd(category.id)}
        />
        <Menu
          trigger={
            <IconButton
              small
              label={`More for ${category.name}`}
              icon={<MoreHorizontal size={18} />}
            />
          }
        >
          <MenuItem onSelect={() => onEditCategory(category)}>Name and colour</MenuItem>
          <MenuItem
            disabled={on === skills.length}
            onSelect={() => void actions.enableAll(skills, true)}
          >
            Turn all on
          </MenuItem>
          <MenuItem disabled={on === 0} onSelect={() => void actions.enableAll(skills, false)}>
            Turn all off
          </MenuItem>
          <MenuLine />
          <MenuItem
            danger
            disabled={agent.skillCategories.length === 1}
            onSelect={() => onDeleteCategory(category)}
          >
            Delete
          </MenuItem>
        </Menu>
      </header>
      {skills.length === 0 && <p className="soft">No skills here yet.</p>}
      <Reorder.Group as="ul" axis="y" className="skills" values={ids} onReorder={setIds}>
        {ids.map((id) => {
          const skill = byId.get(id);
          return (
            skill && (
              <Row
                key={id}
                skill={skill}
                ids={stored}
                findings={findings}
                actions={actions}
                onEdit={onEdit}
                onDropped={() => {
                  if (ids.join("\n") !== storedKey) void actions.arrange(ids);
                }}
              />
            )
          );
        })}
      </Reorder.Group>
    </section>
  );
}

export function SkillList(props: SkillListProps) {
  const { agent } = props;
  return (
    <div className="categories">
      {groupSkills(agent.skillCategories, agent.skills).map((group) => (
        <Category key={group.category.id} {...group} {...props} />
      ))}
    </div>
  );
}
