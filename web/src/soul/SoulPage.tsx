import { useQueryClient } from "@tanstack/react-query";
import { FileDiff, History, Save, Undo2 } from "lucide-react";
import { type KeyboardEvent, useMemo, useState } from "react";
import { useThisAgent } from "../agent/AgentLayout";
import type { Agent, AgentChanges } from "../api/model";
import { rememberAgent } from "../api/queries";
import { ClashError, type EditConflict, saveChanges } from "../api/saveAgent";
import { Button } from "../design/Button";
import { Diff } from "../design/Diff";
import { useDraft } from "../design/drafts";
import { Field } from "../design/Field";
import { showFailure } from "../design/failures";
import { estimateTokens, formatCount } from "../design/format";
import { toast } from "../design/toasts";
import { useTitle } from "../shell/PageTitle";
import { ConflictDialog } from "./ConflictDialog";
import { HistoryDialog } from "./History";
import "./soul.css";

type Soul = { systemPrompt: string; contextRefs: string[]; version: number };

function soulOf({ systemPrompt, contextRefs, version }: Agent): Soul {
  return { systemPrompt, contextRefs, version };
}

/**
 * An editor for the soul. Its draft is based on one version and is merged with later versions when
 * it is saved.
 */
function useSoul(agent: Agent) {
  const client = useQueryClient();
  const saved = useMemo(() => soulOf(agent), [agent]);
  const draft = useDraft(`soul:${agent.id}`, saved);
  const [saving, setSaving] = useState(false);
  const [clash, setClash] = useState<EditConflict | null>(null);

  const write = async (base: Agent, changes: AgentChanges) => {
    setSaving(true);
    try {
      const result = await saveChanges(base, changes, agent);
      rememberAgent(client, result.agent);
      draft.discard();
      setClash(null);
      if (result.merged) toast("Saved, together with what was changed elsewhere.");
    } catch (error) {
      if (error instanceof ClashError) {
        rememberAgent(client, error.current);
        const [first] = error.clashes.filter(({ field }) => field === "systemPrompt");
        if (first) setClash(first);
        else showFailure(error);
      } else showFailure(error);
    } finally {
      setSaving(false);
    }
  };

  const save = () => {
    const { systemPrompt, contextRefs } = draft.value;
    const changes: AgentChanges = {};
    if (systemPrompt !== draft.base.systemPrompt) changes.systemPrompt = systemPrompt;
    if (contextRefs.join("\n") !== draft.base.contextRefs.join("\n")) {
      changes.contextRefs = contextRefs.map((line) => line.trim()).filter(Boolean);
    }
    return write({ ...agent, ...draft.base }, changes);
  };

  return {
    draft,
    saving,
    save,
    clash,
    putOff: () => setClash(null),
    decide: (systemPrompt: string) => write(agent, { systemPrompt }),
    isOvertaken: draft.isDirty && draft.base.systemPrompt !== agent.systemPrompt,
  };
}

export function SoulPage() {
  const agent = useThisAgent();
  useTitle(`Soul of ${agent.name}`);
  const { draft, saving, save, clash, putOff, decide, isOvertaken } = useSoul(agent);
  const [comparing, setComparing] = useState(false);
  const [history, setHistory] = useState(false);
  const { systemPrompt, contextRefs } = draft.value;

  const shortcut = (event: KeyboardEvent) => {
    if (event.key !== "s" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (draft.isDirty && !saving) void save();
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut for what the button Save does
    <div className="stack" onKeyDown={shortcut}>
      {isOvertaken && (
        <p className="notice" role="status">
          <FileDiff size={18} />
          <span className="notice-text">
            The soul was changed elsewhere while you were writing. Saving brings both together.
          </span>
        </p>
      )}
      <div className="card stack">
        <Field
          label="Who it is and how it works"
          hint="This text comes first in what is injected. Markdown is fine."
        >
          <textarea
            className="input soul-text"
            value={systemPrompt}
            spellCheck
            onChange={(event) => draft.change({ systemPrompt: event.target.value })}
          />
        </Field>
        <div className="row soul-foot">
          <span className="soft small" role="status">
            About {formatCount(estimateTokens(systemPrompt), "token")},{" "}
            {formatCount(systemPrompt.length, "character")}.{" "}
            {draft.isDirty ? "Draft kept in this browser." : "All saved."}
          </span>
          <span className="spring" />
          <Button look="quiet" onClick={() => setHistory(true)}>
            <History size={18} /> History
          </Button>
          <Button
            look="quiet"
            disabled={!draft.isDirty}
            aria-pressed={comparing}
            onClick={() => setComparing(!comparing)}
          >
            <FileDiff size={18} /> Changes
          </Button>
          <Button
            look="quiet"
            disabled={!draft.isDirty}
            onClick={() => {
              const dropped = draft.value;
              draft.discard();
              toast("The draft is dropped.", {
                action: { label: "Undo", run: () => draft.change(dropped) },
              });
            }}
          >
            <Undo2 size={18} /> Drop
          </Button>
          <Button
            look="primary"
            disabled={!draft.isDirty || saving}
            onClick={() => void save()}
            aria-keyshortcuts="Control+S"
          >
            <Save size={18} /> {saving ? "Saving…" : "Save"}
          </Button>
        </div>
        {comparing && draft.isDirty && (
          <Diff
            before={agent.systemPrompt}
            after={systemPrompt}
            label="Changes against what is saved"
          />
        )}
      </div>
      <div className="card">
        <Field
          label="Files and addresses of its work"
          hint="One in a line. They are kept with the agent and exported with it."
        >
          <textarea
            className="input code"
            rows={3}
            value={contextRefs.join("\n")}
            onChange={(event) => draft.change({ contextRefs: event.target.value.split("\n") })}
          />
        </Field>
      </div>
      {clash && (
        <ConflictDialog clash={clash} onClose={putOff} onChoose={(text) => void decide(text)} />
      )}
      <HistoryDialog agent={agent} open={history} onClose={() => setHistory(false)} />
    </div>
  );
}
