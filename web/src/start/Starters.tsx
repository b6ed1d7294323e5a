import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Check, Plus } from "lucide-react";
import { useState } from "react";
import type { Starter } from "../api/model";
import { keys, useStarters } from "../api/queries";
import { takeStarters } from "../api/zoo";
import { Creature } from "../creatures/Creature";
import { Button } from "../design/Button";
import { formatCount } from "../design/format";
import { ErrorState, LoadingState } from "../design/states";
import { useNewAgent } from "../shell/newAgent";

type CardProps = { starter: Starter; chosen: boolean; onToggle: () => void };

function StarterCard({ starter, chosen, onToggle }: CardProps) {
  const { id, name, description, agent } = starter;
  return (
    <li>
      <button type="button" className="starter" aria-pressed={chosen} onClick={onToggle}>
        <span className="starter-stage">
          <Creature
            seed={agent.appearanceSeed || id}
            size={112}
            mood={chosen ? "happy" : "awake"}
          />
          {chosen && (
            <span className="starter-tick">
              <Check size={18} aria-hidden="true" />
            </span>
          )}
        </span>
        <strong className="starter-name">{name}</strong>
        <span>{description}</span>
        <span className="soft small">
          {agent.skills
            .slice(0, 4)
            .map((skill) => skill.name)
            .join(" · ")}
        </span>
      </button>
    </li>
  );
}

/** Starter agents. The user can add some of them to the zoo. */
export function Starters() {
  const { data, error, refetch } = useStarters();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const client = useQueryClient();
  const newAgent = useNewAgent();
  const take = useMutation({
    mutationFn: () => takeStarters([...chosen]),
    onSuccess: () => {
      setChosen(new Set());
      void client.invalidateQueries({ queryKey: keys.allSummaries });
    },
  });
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <LoadingState label="Loading the starters" rows={1} />;
  return (
    <div className="stack">
      <ul className="starters">
        {data.map((starter) => (
          <StarterCard
            key={starter.id}
            starter={starter}
            chosen={chosen.has(starter.id)}
            onToggle={() => toggle(starter.id)}
          />
        ))}
      </ul>
      {take.error && (
        <p className="notice notice-bad" role="alert">
          {take.error.message}
        </p>
      )}
      <div className="row">
        <Button
          look="primary"
          disabled={chosen.size === 0 || take.isPending}
          onClick={() => take.mutate()}
        >
          {chosen.size === 0
            ? "Choose one or more"
            : `Take ${formatCount(chosen.size, "agent")} home`}
        </Button>
        <Button onClick={newAgent}>
          <Plus size={17} /> Make my own instead
        </Button>
      </div>
    </div>
  );
}
