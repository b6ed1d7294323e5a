import { ArrowRightLeft, Plus } from "lucide-react";
import { useCallback, useMemo, useState } from "react";
import { useSearchParams } from "react-router";
import { useThisAgent } from "../agent/AgentLayout";
import type { BrainEntry } from "../api/model";
import { useEntries } from "../api/queries";
import { Button } from "../design/Button";
import { Dialog } from "../design/Dialog";
import { dayName, formatCount } from "../design/format";
import { EmptyState, ErrorState, LoadingState } from "../design/states";
import { useTitle } from "../shell/PageTitle";
import { BrainFilters } from "./BrainFilters";
import { EntryCard } from "./EntryCard";
import { EntryForm, type EntryValues } from "./EntryForm";
import { type Filters, isFiltered, parseFilters, toEntryFilter, toSearchParams } from "./filters";
import { HandOverDialog } from "./HandOverDialog";
import { useBrainActions } from "./useBrainActions";

export type DayGroup = { name: string; entries: BrainEntry[] };

/** Group entries, newest first, by day. */
export function byDay(entries: readonly BrainEntry[], now = new Date()): DayGroup[] {
  const groups: DayGroup[] = [];
  for (const entry of entries) {
    const name = dayName(entry.timestamp, now);
    const last = groups.at(-1);
    if (last?.name === name) last.entries.push(entry);
    else groups.push({ name, entries: [entry] });
  }
  return groups;
}

function useFilters(): [Filters, (filters: Filters) => void] {
  const [parameters, setParameters] = useSearchParams();
  const filters = useMemo(() => parseFilters(parameters), [parameters]);
  const change = useCallback(
    (next: Filters) =>
      setParameters(toSearchParams(next), { replace: true, preventScrollReset: true }),
    [setParameters],
  );
  return [filters, change];
}

function Group({
  name,
  entries,
  onTag,
  onEdit,
  agentId,
}: DayGroup & {
  onTag: (tag: string) => void;
  onEdit: (entry: BrainEntry) => void;
  agentId: string;
}) {
  const { pin, remove } = useBrainActions(agentId);
  return (
    <section className="day" aria-label={name}>
      <h2 className="day-name">{name}</h2>
      <ol className="day-entries">
        {entries.map((entry) => (
          <li key={entry.id}>
            <EntryCard
              entry={entry}
              onTag={onTag}
              onPin={() => void pin(entry)}
              onEdit={() => onEdit(entry)}
              onDelete={() => void remove(entry)}
            />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Nothing({ filtered, onAdd }: { filtered: boolean; onAdd: () => void }) {
  if (filtered)
    return (
      <EmptyState title="Nothing like that" seed="searching">
        No entry fits what you have asked for.
      </EmptyState>
    );
  return (
    <EmptyState
      title="An empty brain, all ears"
      seed="all ears"
      actions={
        <Button look="primary" onClick={onAdd}>
          <Plus size={18} /> Write the first entry
        </Button>
      }
    >
      What is decided, learned and reached lands here, written by you or by an AI client at work.
    </EmptyState>
  );
}

export function BrainPage() {
  const agent = useThisAgent();
  useTitle(`Brain of ${agent.name}`);
  const [filters, setFilters] = useFilters();
  const entries = useEntries(agent.id, toEntryFilter(filters));
  const { add, edit } = useBrainActions(agent.id);
  const [editing, setEditing] = useState<BrainEntry | "new" | null>(null);
  const [theirs, setTheirs] = useState<BrainEntry | null>(null);
  const [handingOver, setHandingOver] = useState(false);
  const all = entries.data?.pages.flatMap(({ items }) => items) ?? [];
  const pinned = filters.pinned ? [] : all.filter((entry) => entry.pinned);
  const groups = [
    ...(pinned.length > 0 ? [{ name: "Pinned", entries: pinned }] : []),
    ...byDay(filters.pinned ? all : all.filter((entry) => !entry.pinned)),
  ];
  const close = () => {
    setEditing(null);
    setTheirs(null);
  };
  const save = async (values: EntryValues) => {
    if (editing === "new") {
      const added = await add(values);
      if (added) close();
      return added;
    }
    if (!editing) return false;
    const { saved, theirs: found } = await edit(theirs ?? editing, values);
    if (found) setTheirs(found);
    else if (saved) close();
    return saved;
  };

  return (
    <div className="stack">
      <div className="row">
        <p className="soft brain-count" role="status">
          {entries.data &&
            `${formatCount(all.length, "entry", "entries")}${entries.hasNextPage ? ", and more" : ""}`}
        </p>
        <span className="spring" />
        <Button onClick={() => setHandingOver(true)}>
          <ArrowRightLeft size={18} /> Hand over
        </Button>
        <Button look="primary" onClick={() => setEditing("new")}>
          <Plus size={18} /> Add entry
        </Button>
      </div>
      <BrainFilters filters={filters} onChange={setFilters} />
      <div className="timeline" aria-busy={entries.isPlaceholderData}>
        {entries.data ? (
          groups.map((group) => (
            <Group
              key={group.name}
              {...group}
              agentId={agent.id}
              onEdit={setEditing}
              onTag={(tag) =>
                setFilters({ ...filters, tags: [...new Set([...filters.tags, tag])] })
              }
            />
          ))
        ) : entries.error ? (
          <ErrorState error={entries.error} onRetry={() => void entries.refetch()} />
        ) : (
          <LoadingState label="Loading the brain" />
        )}
        {entries.data && all.length === 0 && (
          <Nothing filtered={isFiltered(filters)} onAdd={() => setEditing("new")} />
        )}
      </div>
      {entries.hasNextPage && (
        <Button disabled={entries.isFetchingNextPage} onClick={() => void entries.fetchNextPage()}>
          {entries.isFetchingNextPage ? "Loading…" : "Show earlier entries"}
        </Button>
      )}
      <Dialog
        open={editing !== null}
        onClose={close}
        title={editing === "new" ? "Remember something" : "Edit the entry"}
      >
        {editing !== null && (
          <EntryForm
            draft={editing === "new" ? `entry:${agent.id}` : `entry:${agent.id}:${editing.id}`}
            {...(editing === "new" ? {} : { entry: editing })}
            theirs={theirs}
            onSave={save}
            onCancel={close}
          />
        )}
      </Dialog>
      <HandOverDialog
        open={handingOver}
        agent={agent}
        entries={all}
        onClose={() => setHandingOver(false)}
      />
    </div>
  );
}
