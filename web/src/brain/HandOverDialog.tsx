import { type FormEvent, useState } from "react";
import type { Agent, BrainEntry } from "../api/model";
import { useSummaries } from "../api/queries";
import { handOver } from "../api/zoo";
import { Creature } from "../creatures/Creature";
import { Button } from "../design/Button";
import { Dialog } from "../design/Dialog";
import { useDraft } from "../design/drafts";
import { Field } from "../design/Field";
import { showFailure } from "../design/failures";
import { toast } from "../design/toasts";
import { EntryType } from "./EntryType";

type HandOverProps = { agent: Agent; entries: BrainEntry[]; onClose: () => void };

/** Hand a summary and selected entries over to the brain of another agent. */
export function HandOverDialog({ open, ...rest }: HandOverProps & { open: boolean }) {
  return (
    <Dialog
      open={open}
      onClose={rest.onClose}
      title={`${rest.agent.name} hands over`}
      description="The other agent finds the summary in its brain, with what you add from here."
    >
      <HandOverForm {...rest} />
    </Dialog>
  );
}

function HandOverForm({ agent, entries, onClose }: HandOverProps) {
  const { data: agents = [] } = useSummaries();
  const [toId, setToId] = useState("");
  const draft = useDraft(`hand-over:${agent.id}`, { summary: "" });
  const [chosen, setChosen] = useState<string[]>([]);
  const [busy, setBusy] = useState(false);
  const others = agents.filter(({ id }) => id !== agent.id);
  const receiver = others.find(({ id }) => id === toId);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await handOver(agent.id, {
        toAgentId: toId,
        summary: draft.value.summary.trim(),
        entryIds: chosen,
      });
      draft.discard();
      toast(`Handed over to ${receiver?.name ?? "the other agent"}.`);
      onClose();
    } catch (error) {
      showFailure(error);
    } finally {
      setBusy(false);
    }
  };

  const toggle = (id: string) =>
    setChosen((known) =>
      known.includes(id) ? known.filter((each) => each !== id) : [...known, id],
    );

  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <div className="hand-over-who" aria-hidden="true">
        <Creature seed={agent.appearanceSeed || agent.id} size={80} />
        <span className="hand-over-way" />
        {receiver ? (
          <Creature seed={receiver.appearanceSeed || receiver.id} size={80} mood="happy" />
        ) : (
          <span className="hand-over-empty">?</span>
        )}
      </div>
      <Field label="To whom">
        <select
          className="input"
          required
          value={toId}
          onChange={(event) => setToId(event.target.value)}
        >
          <option value="">Choose an agent</option>
          {others.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </Field>
      <Field label="What the other has to know">
        <textarea
          className="input"
          rows={5}
          required
          value={draft.value.summary}
          onChange={(event) => draft.change({ summary: event.target.value })}
        />
      </Field>
      {entries.length > 0 && (
        <fieldset className="hand-over-entries">
          <legend className="field-label">Give along</legend>
          {entries.slice(0, 30).map((entry) => (
            <label key={entry.id}>
              <input
                type="checkbox"
                checked={chosen.includes(entry.id)}
                onChange={() => toggle(entry.id)}
              />
              <EntryType type={entry.type} />
              <span className="one-line">{entry.content}</span>
            </label>
          ))}
        </fieldset>
      )}
      <div className="row-end">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look="primary"
          type="submit"
          disabled={!toId || !draft.value.summary.trim() || busy}
        >
          Hand over
        </Button>
      </div>
    </form>
  );
}
