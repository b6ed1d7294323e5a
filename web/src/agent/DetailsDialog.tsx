import { type FormEvent, useState } from "react";
import type { Agent } from "../api/model";
import { Button } from "../design/Button";
import { Dialog } from "../design/Dialog";
import { Field } from "../design/Field";

type DetailsDialogProps = {
  agent: Agent;
  open: boolean;
  onClose: () => void;
  onSave: (changes: { name: string; description: string; tags: string[] }) => Promise<boolean>;
};

export function parseTags(text: string): string[] {
  const tags = text.split(",").map((tag) => tag.trim());
  return [...new Set(tags.filter(Boolean))];
}

/** A dialog for name, description and tags, which help others to choose an agent. */
export function DetailsDialog({ agent, open, onClose, onSave }: DetailsDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Name and purpose"
      description="AI clients choose an agent by these words."
    >
      <DetailsForm agent={agent} onClose={onClose} onSave={onSave} />
    </Dialog>
  );
}

function DetailsForm({ agent, onClose, onSave }: Omit<DetailsDialogProps, "open">) {
  const [name, setName] = useState(agent.name);
  const [description, setDescription] = useState(agent.description);
  const [tags, setTags] = useState(agent.tags.join(", "));
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const saved = await onSave({
      name: name.trim(),
      description: description.trim(),
      tags: parseTags(tags),
    });
    setBusy(false);
    if (saved) onClose();
  };
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <Field label="Name">
        <input
          className="input"
          value={name}
          maxLength={100}
          required
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      <Field label="What it is for">
        <textarea
          className="input"
          rows={3}
          value={description}
          onChange={(event) => setDescription(event.target.value)}
        />
      </Field>
      <Field label="Tags" hint="Separated by commas.">
        <input className="input" value={tags} onChange={(event) => setTags(event.target.value)} />
      </Field>
      <div className="row-end">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" type="submit" disabled={!name.trim() || busy}>
          Save
        </Button>
      </div>
    </form>
  );
}
