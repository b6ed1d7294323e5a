import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Dices } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useNavigate } from "react-router";
import { keys } from "../api/queries";
import { createAgent } from "../api/zoo";
import { Creature } from "../creatures/Creature";
import { Button } from "../design/Button";
import { Dialog } from "../design/Dialog";
import { Field } from "../design/Field";
import { createRandomSeed } from "./seeds";

export function NewAgentDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="A new agent"
      description="Its look comes from its name. Roll for another."
    >
      <NewAgentForm onClose={onClose} />
    </Dialog>
  );
}

function NewAgentForm({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [rolled, setRolled] = useState<string | null>(null);
  const client = useQueryClient();
  const navigate = useNavigate();
  const seed = rolled ?? (name.trim() || "new agent");
  const create = useMutation({
    mutationFn: () =>
      createAgent({ name: name.trim(), description: description.trim(), appearanceSeed: seed }),
    onSuccess: (agent) => {
      client.setQueryData(keys.agent(agent.id), agent);
      void client.invalidateQueries({ queryKey: keys.allSummaries });
      onClose();
      void navigate(`/agent/${encodeURIComponent(agent.id)}/soul`);
    },
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() && !create.isPending) create.mutate();
  };

  return (
    <form className="new-agent" onSubmit={submit}>
      <div className="new-agent-look">
        <Creature
          seed={seed}
          size={150}
          label="How it will look"
          mood={create.isPending ? "happy" : "awake"}
        />
        <Button small onClick={() => setRolled(createRandomSeed())}>
          <Dices size={16} /> Another look
        </Button>
      </div>
      <div className="new-agent-fields">
        <Field label="Name" problem={create.error?.message}>
          <input
            className="input"
            value={name}
            maxLength={100}
            required
            // biome-ignore lint/a11y/noAutofocus: the dialog was opened to type a name
            autoFocus
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <Field label="What it is for" hint="A line or two. AI clients choose by it.">
          <textarea
            className="input"
            rows={3}
            value={description}
            onChange={(event) => setDescription(event.target.value)}
          />
        </Field>
        <Button look="primary" type="submit" disabled={!name.trim() || create.isPending}>
          {create.isPending ? "Making…" : "Make agent"}
        </Button>
      </div>
    </form>
  );
}
