import { useQueryClient } from "@tanstack/react-query";
import { Trash2, Undo2 } from "lucide-react";
import type { AgentSummary } from "../api/model";
import { keys, useBin } from "../api/queries";
import { purgeAgent, restoreAgent } from "../api/zoo";
import { Creature } from "../creatures/Creature";
import { Button, IconButton } from "../design/Button";
import { Dialog } from "../design/Dialog";
import { showFailure } from "../design/failures";
import { ago } from "../design/format";
import { EmptyState, ErrorState, LoadingState } from "../design/states";

/** Deleted agents that can still be restored. */
export function BinDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Bin"
      description="What was deleted stays here for 30 days."
    >
      <Bin />
    </Dialog>
  );
}

function Bin() {
  const { data, error, refetch } = useBin();
  const client = useQueryClient();
  const attempt = async (change: () => Promise<unknown>) => {
    try {
      await change();
    } catch (failure) {
      showFailure(failure);
    }
    await Promise.all(
      [keys.bin, keys.allSummaries].map((queryKey) => client.invalidateQueries({ queryKey })),
    );
  };
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <LoadingState />;
  if (data.length === 0) return <EmptyState title="The bin is empty" seed="nothing in the bin" />;
  return (
    <ul className="stack-small">
      {data.map((agent) => (
        <Row
          key={agent.id}
          agent={agent}
          onRestore={() => void attempt(() => restoreAgent(agent.id))}
          onPurge={() => void attempt(() => purgeAgent(agent.id))}
        />
      ))}
    </ul>
  );
}

type RowProps = { agent: AgentSummary; onRestore: () => void; onPurge: () => void };

function Row({ agent, onRestore, onPurge }: RowProps) {
  return (
    <li className="bin-row">
      <Creature seed={agent.appearanceSeed || agent.id} size={48} mood="asleep" />
      <span className="agent-row-text spring">
        <span className="agent-row-name">{agent.name}</span>
        <span className="agent-row-blurb">
          {agent.deletedAt ? `Deleted ${ago(agent.deletedAt)}` : ""}
        </span>
      </span>
      <Button small onClick={onRestore}>
        <Undo2 size={16} /> Restore<span className="hidden-text"> {agent.name}</span>
      </Button>
      <IconButton
        small
        label={`Delete ${agent.name} for good`}
        icon={<Trash2 size={16} />}
        onClick={onPurge}
      />
    </li>
  );
}
