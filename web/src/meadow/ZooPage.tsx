import { Pause, Play, Plus, Sprout } from "lucide-react";
import { useEffect, useState } from "react";
import { Link, useNavigate } from "react-router";
import { onEvent, useConnection } from "../api/events";
import type { AgentSummary, ZooEvent } from "../api/model";
import { useSummaries } from "../api/queries";
import { Button, buttonClass } from "../design/Button";
import { useReducedMotion } from "../design/media";
import { usePreference } from "../design/preferences";
import { EmptyState, ErrorState, LoadingState } from "../design/states";
import { useTheme } from "../design/theme";
import { useNewAgent } from "../shell/newAgent";
import { PageTitle } from "../shell/PageTitle";
import { MeadowView } from "./MeadowView";
import { describeEvent } from "./reactions";

/** The latest event in words, also for users who cannot see the meadow. */
function Happenings({ agents }: { agents: readonly AgentSummary[] }) {
  const [last, setLast] = useState<ZooEvent | null>(null);
  const live = useConnection() === "open";
  useEffect(() => onEvent(setLast), []);
  const nameOf = (id: string) => agents.find((agent) => agent.id === id)?.name ?? "An agent";
  const words = last && describeEvent(last, nameOf);
  return (
    <p className="happenings" role="status">
      <span className="happenings-dot" data-live={live} />
      {words ?? (live ? "All quiet. What agents do shows here as it happens." : "Connecting…")}
    </p>
  );
}

function headline(count: number): string {
  if (count === 0) return "No agents yet";
  return count === 1 ? "1 agent at home" : `${count.toLocaleString()} agents at home`;
}

export function ZooPage() {
  const { data: agents, error, refetch } = useSummaries();
  const { theme } = useTheme();
  const reduced = useReducedMotion();
  const [paused, setPaused] = usePreference("meadow-paused");
  const navigate = useNavigate();
  const newAgent = useNewAgent();
  const still = reduced || paused === "yes";
  return (
    <div className="zoo">
      <header className="zoo-head">
        <div>
          <PageTitle title="Zoo">The zoo</PageTitle>
          <p className="soft">{agents ? headline(agents.length) : "\u00a0"}</p>
        </div>
        <div className="zoo-tools">
          {!reduced && (
            <Button aria-pressed={still} onClick={() => setPaused(still ? null : "yes")}>
              {still ? <Play size={18} /> : <Pause size={18} />}
              {still ? "Resume" : "Pause"}
            </Button>
          )}
          <Button look="primary" onClick={newAgent}>
            <Plus size={18} /> New agent
          </Button>
        </div>
      </header>
      {agents ? (
        <div style={{ position: "relative", display: "grid" }}>
          <MeadowView
            agents={agents}
            theme={theme}
            still={still}
            onOpen={(id) => navigate(`/agent/${encodeURIComponent(id)}`)}
          />
          {agents.length === 0 && <EmptyMeadow onCreate={newAgent} />}
        </div>
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <LoadingState label="Loading agents" rows={2} />
      )}
      <Happenings agents={agents ?? []} />
    </div>
  );
}

function EmptyMeadow({ onCreate }: { onCreate: () => void }) {
  return (
    <div className="meadow-empty">
      <EmptyState
        title="The meadow is waiting"
        seed="a first guest"
        actions={
          <>
            <Link className={buttonClass({ look: "primary" })} to="/start">
              <Sprout size={18} /> Begin with a starter
            </Link>
            <Button onClick={onCreate}>
              <Plus size={18} /> Make the first agent
            </Button>
          </>
        }
      >
        <p>
          An agent is a soul, some skills and a memory. Make one here, then call it from your editor
          or chat.
        </p>
      </EmptyState>
    </div>
  );
}
