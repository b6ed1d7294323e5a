import { useVirtualizer } from "@tanstack/react-virtual";
import { Search, Trash2 } from "lucide-react";
import { useDeferredValue, useMemo, useRef, useState } from "react";
import { NavLink } from "react-router";
import type { AgentSummary } from "../api/model";
import { useSummaries } from "../api/queries";
import { Creature } from "../creatures/Creature";
import { Button } from "../design/Button";
import { Skeleton } from "../design/states";
import { BinDialog } from "./BinDialog";

const ROW = 60;

/** Return whether an agent contains every word of the search. */
export function matching(agents: readonly AgentSummary[], search: string): AgentSummary[] {
  const words = search.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return agents.filter(({ name, description, tags, skillNames }) => {
    const text = [name, description, ...tags, ...skillNames].join("\n").toLocaleLowerCase();
    return words.every((word) => text.includes(word));
  });
}

function Row({ agent, onChoose }: { agent: AgentSummary; onChoose: () => void }) {
  return (
    <NavLink className="agent-row" to={`/agent/${encodeURIComponent(agent.id)}`} onClick={onChoose}>
      <Creature seed={agent.appearanceSeed || agent.id} size={42} />
      <span className="agent-row-text">
        <span className="agent-row-name">{agent.name}</span>
        <span className="agent-row-blurb">
          {agent.description || agent.skillNames.join(", ") || "No skills yet"}
        </span>
      </span>
    </NavLink>
  );
}

function Rows({ agents, onChoose }: { agents: readonly AgentSummary[]; onChoose: () => void }) {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: agents.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 6,
    initialRect: { width: 260, height: 600 },
    getItemKey: (index) => agents[index]?.id ?? index,
  });
  return (
    <div className="agent-list" ref={scroller}>
      <ul style={{ position: "relative", height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ key, index, start }) => {
          const agent = agents[index];
          return (
            agent && (
              <li
                key={key}
                aria-setsize={agents.length}
                aria-posinset={index + 1}
                style={{
                  position: "absolute",
                  inset: "0 0 auto",
                  transform: `translateY(${start}px)`,
                }}
              >
                <Row agent={agent} onChoose={onChoose} />
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}

/** The agents by name, with a search; `onChoose` is called when a link is followed. */
export function AgentList({ onChoose }: { onChoose: () => void }) {
  const [search, setSearch] = useState("");
  const [archived, setArchived] = useState(false);
  const [binOpen, setBinOpen] = useState(false);
  const { data, error, refetch } = useSummaries(archived);
  const wanted = useDeferredValue(search);
  const found = useMemo(() => matching(data ?? [], wanted), [data, wanted]);
  return (
    <section className="agents" aria-label="Agents">
      <div className="input-with-icon">
        <Search size={17} />
        <input
          className="input"
          type="search"
          aria-label="Search agents"
          placeholder="Search agents"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      </div>
      {data ? (
        found.length > 0 ? (
          <Rows agents={found} onChoose={onChoose} />
        ) : (
          <p className="agents-none soft">
            {search ? "No agent matches." : archived ? "No archived agents." : "No agents yet."}
          </p>
        )
      ) : error ? (
        <div className="agents-none" role="alert">
          <p className="soft">The agents could not be loaded.</p>
          <Button small onClick={() => void refetch()}>
            Try again
          </Button>
        </div>
      ) : (
        <div className="agent-list agents-loading" role="status" aria-label="Loading agents">
          {["a", "b", "c", "d", "e"].map((key) => (
            <Skeleton key={key} height={ROW - 12} />
          ))}
        </div>
      )}
      <div className="row agents-more">
        <button
          type="button"
          className="chip"
          aria-pressed={archived}
          onClick={() => setArchived(!archived)}
        >
          Archived
        </button>
        <button type="button" className="chip" onClick={() => setBinOpen(true)}>
          <Trash2 size={13} /> Bin
        </button>
      </div>
      <BinDialog open={binOpen} onClose={() => setBinOpen(false)} />
    </section>
  );
}
