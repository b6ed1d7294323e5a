import { FolderPlus, Library, List, Network, Plus, TriangleAlert } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useSearchParams } from "react-router";
import { useThisAgent } from "../agent/AgentLayout";
import type { Agent, Skill, SkillCategory } from "../api/model";
import { useFindings } from "../api/queries";
import { Button } from "../design/Button";
import { Dialog } from "../design/Dialog";
import { EmptyState, LoadingState } from "../design/states";
import { useTitle } from "../shell/PageTitle";
import { CategoryDialog, DeleteCategoryDialog } from "./CategoryDialogs";
import { LibrarySheet } from "./LibrarySheet";
import { SkillForm } from "./SkillForm";
import { SkillList } from "./SkillList";
import { type SkillValues, useSkillActions } from "./useSkillActions";
import "./skills.css";

const SkillGraph = lazy(() => import("./SkillGraph"));

type Open =
  | { what: "skill"; skill?: Skill; categoryId: string; base: Agent; theirs?: Skill }
  | { what: "category"; category: SkillCategory | null }
  | { what: "delete category"; category: SkillCategory }
  | { what: "library" };

function useView(): ["list" | "graph", (view: "list" | "graph") => void] {
  const [parameters, setParameters] = useSearchParams();
  const view = parameters.get("view") === "graph" ? "graph" : "list";
  return [
    view,
    (next) => setParameters(next === "graph" ? { view: "graph" } : {}, { replace: true }),
  ];
}

function Tools({ onOpen, onSkill }: { onOpen: (open: Open) => void; onSkill: () => void }) {
  const [view, setView] = useView();
  return (
    <div className="row">
      <fieldset className="tabs view-choice">
        <legend className="hidden-text">Show as</legend>
        <button
          type="button"
          className="tab"
          aria-pressed={view === "list"}
          data-state={view === "list" ? "active" : ""}
          onClick={() => setView("list")}
        >
          <List size={17} /> List
        </button>
        <button
          type="button"
          className="tab"
          aria-pressed={view === "graph"}
          data-state={view === "graph" ? "active" : ""}
          onClick={() => setView("graph")}
        >
          <Network size={17} /> Graph
        </button>
      </fieldset>
      <span className="spring" />
      <Button onClick={() => onOpen({ what: "category", category: null })}>
        <FolderPlus size={18} /> Category
      </Button>
      <Button onClick={() => onOpen({ what: "library" })}>
        <Library size={18} /> Library
      </Button>
      <Button look="primary" onClick={() => onSkill()}>
        <Plus size={18} /> Skill
      </Button>
    </div>
  );
}

export function SkillsPage() {
  const agent = useThisAgent();
  useTitle(`Skills of ${agent.name}`);
  const actions = useSkillActions(agent);
  const { data: findings = [] } = useFindings(agent.id);
  const [view] = useView();
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const first = agent.skillCategories[0]?.id ?? "general";
  const edit = (skill: Skill) =>
    setOpen({ what: "skill", skill, categoryId: skill.categoryId, base: agent });

  const saveSkill = async (values: SkillValues) => {
    if (open?.what !== "skill") return false;
    if (!open.skill) {
      const added = await actions.add(values);
      if (added) close();
      return added !== null;
    }
    const { saved, clash } = await actions.change(open.base, open.theirs ?? open.skill, values);
    if (clash) setOpen({ ...open, base: clash.current, theirs: clash.theirs });
    else if (saved) close();
    return saved !== null;
  };
  const saveCategory = async (values: Pick<SkillCategory, "name" | "color">) => {
    if (open?.what !== "category") return false;
    const saved = open.category
      ? await actions.changeCategory(open.category, values)
      : await actions.addCategory(values);
    return saved !== null;
  };

  return (
    <div className="stack">
      <Tools
        onOpen={setOpen}
        onSkill={() => setOpen({ what: "skill", categoryId: first, base: agent })}
      />
      {findings.map(({ kind, skillIds, message }) => (
        <p key={`${kind} ${skillIds.join(" ")}`} className="notice">
          <TriangleAlert size={18} />
          <span className="notice-text">{message}</span>
        </p>
      ))}
      {agent.skills.length === 0 && (
        <EmptyState
          title="No skills yet"
          seed="eager to learn"
          actions={
            <Button
              look="primary"
              onClick={() => setOpen({ what: "skill", categoryId: first, base: agent })}
            >
              <Plus size={18} /> Write the first skill
            </Button>
          }
        >
          A skill is a text that tells the agent how to do something. It can be turned off and on.
        </EmptyState>
      )}
      {view === "graph" && agent.skills.length > 0 ? (
        <Suspense fallback={<LoadingState label="Loading the graph" rows={1} />}>
          <SkillGraph agent={agent} findings={findings} actions={actions} onEdit={edit} />
        </Suspense>
      ) : (
        <SkillList
          agent={agent}
          findings={findings}
          actions={actions}
          onEdit={edit}
          onAdd={(categoryId) => setOpen({ what: "skill", categoryId, base: agent })}
          onEditCategory={(category) => setOpen({ what: "category", category })}
          onDeleteCategory={(category) => setOpen({ what: "delete category", category })}
        />
      )}
      <Dialog
        open={open?.what === "skill"}
        onClose={close}
        form="sheet"
        title={open?.what === "skill" && open.skill ? "Edit the skill" : "A new skill"}
      >
        {open?.what === "skill" && (
          <SkillForm
            agent={agent}
            skill={open.skill}
            theirs={open.theirs}
            categoryId={open.categoryId}
            onSave={saveSkill}
            onCancel={close}
          />
        )}
      </Dialog>
      <CategoryDialog
        open={open?.what === "category"}
        category={open?.what === "category" ? open.category : null}
        onSave={saveCategory}
        onClose={close}
      />
      {open?.what === "delete category" && (
        <DeleteCategoryDialog
          agent={agent}
          category={open.category}
          count={agent.skills.filter(({ categoryId }) => categoryId === open.category.id).length}
          onClose={close}
          onDelete={(moveTo) => {
            close();
            void actions.removeCategory(open.category, moveTo);
          }}
        />
      )}
      <LibrarySheet agent={agent} open={open?.what === "library"} onClose={close} />
    </div>
  );
}
