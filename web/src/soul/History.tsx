import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Agent } from "../api/model";
import { rememberAgent, useVersion, useVersions } from "../api/queries";
import { restoreVersion } from "../api/zoo";
import { Button } from "../design/Button";
import { Dialog } from "../design/Dialog";
import { Diff } from "../design/Diff";
import { showFailure } from "../design/failures";
import { ago, sourceName } from "../design/format";
import { EmptyState, ErrorState, LoadingState } from "../design/states";
import { toast } from "../design/toasts";

const FIELDS: Record<string, string> = {
  systemPrompt: "the soul",
  contextRefs: "files and addresses",
  appearanceSeed: "the look",
  skillCategories: "categories",
  injectsMemory: "whether memory is injected",
};

/** Replace the names of fields in a summary by the words of the app. */
export function translateFields(summary: string): string {
  const words = summary.replace(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, (field) => FIELDS[field] ?? field);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function VersionDetail({ agent, version }: { agent: Agent; version: number }) {
  const { data, error, refetch } = useVersion(agent.id, version);
  const client = useQueryClient();
  const restore = async () => {
    try {
      rememberAgent(client, await restoreVersion(agent.id, version));
      toast(`${agent.name} is again as in version ${version}.`);
    } catch (failure) {
      showFailure(failure);
    }
  };
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data?.agent) return <LoadingState rows={1} />;
  return (
    <div className="stack">
      <p className="field-label">From version {version} to now</p>
      <Diff
        before={data.agent.systemPrompt}
        after={agent.systemPrompt}
        label="What has changed in the soul since"
      />
      <Button onClick={() => void restore()}>Go back to version {version}</Button>
    </div>
  );
}

/** Earlier versions of the agent. Restoring one is a change like any other. */
export function HistoryDialog({
  agent,
  open,
  onClose,
}: {
  agent: Agent;
  open: boolean;
  onClose: () => void;
}) {
  const [chosen, setChosen] = useState<number | null>(null);
  return (
    <Dialog
      open={open}
      onClose={onClose}
      form="sheet"
      title="History"
      description="What it was before each change."
    >
      <Versions agent={agent} chosen={chosen} onChoose={setChosen} />
    </Dialog>
  );
}

type VersionsProps = {
  agent: Agent;
  chosen: number | null;
  onChoose: (version: number | null) => void;
};

function Versions({ agent, chosen, onChoose }: VersionsProps) {
  const { data, error, refetch } = useVersions(agent.id);
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <LoadingState />;
  const earlier = data.filter(({ version }) => version !== agent.version);
  if (earlier.length === 0) {
    return <EmptyState title="No changes yet">Each change will leave a version here.</EmptyState>;
  }
  return (
    <ol className="versions">
      {earlier.map(({ version, savedAt, source, summary }) => (
        <li key={version}>
          <button
            type="button"
            className="version"
            aria-expanded={chosen === version}
            onClick={() => onChoose(chosen === version ? null : version)}
          >
            <strong>{translateFields(summary) || `Version ${version}`}</strong>
            <span className="soft small">
              Version {version}, {ago(savedAt)} {sourceName(source)}
            </span>
          </button>
          {chosen === version && <VersionDetail agent={agent} version={version} />}
        </li>
      ))}
    </ol>
  );
}
