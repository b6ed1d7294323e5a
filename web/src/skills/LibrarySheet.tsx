import { useQueryClient } from "@tanstack/react-query";
import { Check, Package, Plus } from "lucide-react";
import { useState } from "react";
import type { Agent, LibrarySkill, Pack } from "../api/model";
import { keys, rememberAgent, useLibrary } from "../api/queries";
import { copyFromLibrary } from "../api/zoo";
import { Button } from "../design/Button";
import { Dialog } from "../design/Dialog";
import { showFailure } from "../design/failures";
import { formatCount } from "../design/format";
import { EmptyState, ErrorState, LoadingState } from "../design/states";
import { toast } from "../design/toasts";

type Shelf = { pack: Pack | null; skills: LibrarySkill[] };

function shelves(packs: readonly Pack[], skills: readonly LibrarySkill[], search: string): Shelf[] {
  const wanted = skills.filter(({ name, description }) =>
    `${name}\n${description}`.toLocaleLowerCase().includes(search.toLocaleLowerCase()),
  );
  const known = new Set(packs.map(({ id }) => id));
  const loose = wanted.filter(({ packId }) => packId === null || !known.has(packId));
  return [
    ...packs.map((pack) => ({ pack, skills: wanted.filter(({ packId }) => packId === pack.id) })),
    { pack: null, skills: loose },
  ].filter(({ skills: found }) => found.length > 0);
}

export function LibrarySheet({
  agent,
  open,
  onClose,
}: {
  agent: Agent;
  open: boolean;
  onClose: () => void;
}) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      form="sheet"
      title="Library"
      description={`${agent.name} gets copies, which are its own.`}
    >
      <Library agent={agent} />
    </Dialog>
  );
}

function Library({ agent }: { agent: Agent }) {
  const { skills, packs } = useLibrary();
  const [search, setSearch] = useState("");
  const client = useQueryClient();
  const copy = async (what: { skillIds?: string[]; packId?: string }, name: string) => {
    try {
      rememberAgent(client, await copyFromLibrary({ agentId: agent.id, ...what }));
      void client.invalidateQueries({ queryKey: keys.findings(agent.id) });
      toast(`${agent.name} has ${name} now.`);
    } catch (error) {
      showFailure(error);
    }
  };
  const error = skills.error ?? packs.error;
  if (error)
    return (
      <ErrorState
        error={error}
        onRetry={() => void Promise.all([skills.refetch(), packs.refetch()])}
      />
    );
  if (!skills.data || !packs.data) return <LoadingState />;
  if (skills.data.length === 0) {
    return (
      <EmptyState title="The library is empty" seed="librarian">
        “Keep in the library” in the menu of a skill puts a copy here, for all agents.
      </EmptyState>
    );
  }
  const taken = new Set(agent.skills.map(({ libraryId }) => libraryId));
  return (
    <>
      <input
        className="input"
        type="search"
        aria-label="Search the library"
        placeholder="Search the library"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      {shelves(packs.data, skills.data, search).map(({ pack, skills: found }) => (
        <section key={pack?.id ?? ""} className="stack-small">
          <div className="row">
            <h3>{pack ? pack.name : "Single skills"}</h3>
            <span className="spring" />
            {pack && (
              <Button small onClick={() => void copy({ packId: pack.id }, pack.name)}>
                <Package size={16} /> Add all {formatCount(found.length, "skill")}
              </Button>
            )}
          </div>
          {pack?.description && <p className="soft">{pack.description}</p>}
          <ul className="stack-small">
            {found.map((skill) => (
              <li key={skill.id} className="library-skill">
                <div>
                  <strong>{skill.name}</strong>
                  <p className="soft small excerpt">{skill.description}</p>
                </div>
                <Button
                  small
                  disabled={taken.has(skill.id)}
                  onClick={() => void copy({ skillIds: [skill.id] }, skill.name)}
                >
                  {taken.has(skill.id) ? <Check size={16} /> : <Plus size={16} />}
                  {taken.has(skill.id) ? "Has it" : "Add"}
                  <span className="hidden-text"> {skill.name}</span>
                </Button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
