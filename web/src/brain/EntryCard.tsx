import { PencilLine, Pin, PinOff, Trash2 } from "lucide-react";
import { useState } from "react";
import type { BrainEntry } from "../api/model";
import { Button, IconButton } from "../design/Button";
import { clockTime, formatCount, sourceName } from "../design/format";
import { EntryType } from "./EntryType";

/** Longer entries are collapsed. */
const FOLDED = 700;

/** The origin of an entry, if it is known. */
export function provenance({ metadata }: BrainEntry): string {
  const { source, workspaceId, sessionId, fromAgentName, fromAgentId } = metadata;
  const parts = [
    source && `written ${sourceName(source)}`,
    (fromAgentName || fromAgentId) && `from ${String(fromAgentName ?? fromAgentId)}`,
    workspaceId && `in ${String(workspaceId)}`,
    sessionId && `session ${String(sessionId).slice(0, 12)}`,
  ];
  return parts.filter(Boolean).join(", ");
}

function Content({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  if (text.length <= FOLDED) return <p className="entry-text">{text}</p>;
  return (
    <>
      <p className="entry-text">{open ? text : `${text.slice(0, FOLDED)}…`}</p>
      <Button look="quiet" small aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? "Show less" : `Show all ${formatCount(text.length, "character")}`}
      </Button>
    </>
  );
}

type EntryCardProps = {
  entry: BrainEntry;
  onTag: (tag: string) => void;
  onPin: () => void;
  onEdit: () => void;
  onDelete: () => void;
};

export function EntryCard({ entry, onTag, onPin, onEdit, onDelete }: EntryCardProps) {
  const { type, content, pinned, tags, timestamp } = entry;
  const from = provenance(entry);
  return (
    <article className="entry" data-type={type}>
      <header className="entry-head">
        <EntryType type={type} />
        <time className="soft small" dateTime={timestamp}>
          {clockTime(timestamp)}
        </time>
        {from && <span className="soft small">{from}</span>}
        <span className="spring" />
        <span className="entry-tools">
          <IconButton
            small
            label={pinned ? "Unpin" : "Pin"}
            aria-pressed={pinned}
            icon={pinned ? <PinOff size={16} /> : <Pin size={16} />}
            onClick={onPin}
          />
          <IconButton small label="Edit" icon={<PencilLine size={16} />} onClick={onEdit} />
          <IconButton small label="Delete" icon={<Trash2 size={16} />} onClick={onDelete} />
        </span>
      </header>
      <Content text={content} />
      {tags.length > 0 && (
        <ul className="chips" aria-label="Tags">
          {tags.map((tag) => (
            <li key={tag}>
              <button type="button" className="chip" onClick={() => onTag(tag)}>
                {tag}
              </button>
            </li>
          ))}
        </ul>
      )}
    </article>
  );
}
