import {
  Archive,
  ArchiveRestore,
  CopyPlus,
  Download,
  MoreHorizontal,
  PencilLine,
  Sparkles,
  Trash2,
} from "lucide-react";
import { useEffect, useState } from "react";
import { onEvent } from "../api/events";
import type { Agent } from "../api/model";
import { Creature } from "../creatures/Creature";
import { Button, IconButton } from "../design/Button";
import { Menu, MenuItem, MenuLine } from "../design/Menu";
import { ExportDialog } from "../files/ExportDialog";
import { PageTitle } from "../shell/PageTitle";
import { AppearanceDialog } from "./AppearanceDialog";
import { DetailsDialog } from "./DetailsDialog";
import { useAgentActions } from "./useAgentActions";

type Open = "look" | "details" | "export" | null;

const REJOICES = 2500;

/** Return a happy mood for a moment after an event of the agent. */
function useJoy(id: string): boolean {
  const [happy, setHappy] = useState(false);
  useEffect(() => {
    let timer: number | undefined;
    const stop = onEvent((event) => {
      if (event.agentId !== id && event.detail.toAgentId !== id) return;
      setHappy(true);
      window.clearTimeout(timer);
      timer = window.setTimeout(() => setHappy(false), REJOICES);
    });
    return () => {
      window.clearTimeout(timer);
      stop();
    };
  }, [id]);
  return happy;
}

function Actions({ agent, onOpen }: { agent: Agent; onOpen: (what: Open) => void }) {
  const { remove, duplicate, archive } = useAgentActions(agent);
  return (
    <Menu trigger={<IconButton look="plain" label="More" icon={<MoreHorizontal size={20} />} />}>
      <MenuItem icon={<Sparkles size={18} />} onSelect={() => onOpen("look")}>
        Another look
      </MenuItem>
      <MenuItem icon={<CopyPlus size={18} />} onSelect={() => void duplicate()}>
        Duplicate
      </MenuItem>
      <MenuItem icon={<Download size={18} />} onSelect={() => onOpen("export")}>
        Export
      </MenuItem>
      <MenuItem
        icon={agent.archived ? <ArchiveRestore size={18} /> : <Archive size={18} />}
        onSelect={() => void archive(!agent.archived)}
      >
        {agent.archived ? "Take out of the archive" : "Archive"}
      </MenuItem>
      <MenuLine />
      <MenuItem danger icon={<Trash2 size={18} />} onSelect={() => void remove()}>
        Delete
      </MenuItem>
    </Menu>
  );
}

/** The header of an agent, shown on each of its pages. */
export function AgentHeader({ agent }: { agent: Agent }) {
  const [open, setOpen] = useState<Open>(null);
  const { change } = useAgentActions(agent);
  const close = () => setOpen(null);
  const happy = useJoy(agent.id);
  const chooseLook = (appearanceSeed: string) => {
    close();
    void change({ appearanceSeed });
  };
  return (
    <header className="agent-head">
      <button
        type="button"
        className="agent-stage"
        aria-label={`Another look for ${agent.name}`}
        onClick={() => setOpen("look")}
      >
        <Creature
          className="agent-creature"
          seed={agent.appearanceSeed || agent.id}
          size={132}
          mood={happy ? "happy" : "awake"}
        />
      </button>
      <div className="agent-who">
        <PageTitle title={agent.name}>{agent.name}</PageTitle>
        <p className="agent-purpose">
          {agent.description || <span className="soft">Nothing says yet what it is for.</span>}
        </p>
        <ul className="chips" aria-label="Tags">
          {agent.archived && <li className="chip">Archived</li>}
          {agent.tags.map((tag) => (
            <li key={tag} className="chip">
              {tag}
            </li>
          ))}
        </ul>
      </div>
      <div className="agent-actions">
        <Button onClick={() => setOpen("details")}>
          <PencilLine size={18} /> Edit
        </Button>
        <Actions agent={agent} onOpen={setOpen} />
      </div>
      <AppearanceDialog
        agent={agent}
        open={open === "look"}
        onClose={close}
        onChoose={chooseLook}
      />
      <DetailsDialog agent={agent} open={open === "details"} onClose={close} onSave={change} />
      <ExportDialog agent={agent} open={open === "export"} onClose={close} />
    </header>
  );
}
