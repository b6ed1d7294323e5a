import { ArrowRightLeft, Flag, GitFork, ScrollText, StickyNote } from "lucide-react";
import type { EntryType as Type } from "../api/model";
import "./brain.css";

export const TYPES: Record<Type, { label: string; icon: typeof Flag }> = {
  decision: { label: "Decision", icon: GitFork },
  milestone: { label: "Milestone", icon: Flag },
  note: { label: "Note", icon: StickyNote },
  summary: { label: "Summary", icon: ScrollText },
  handoff: { label: "Hand-over", icon: ArrowRightLeft },
};

export function EntryType({ type }: { type: Type }) {
  const { label, icon: Icon } = TYPES[type] ?? TYPES.note;
  return (
    <span className="entry-type" data-type={type}>
      <Icon size={14} aria-hidden="true" /> {label}
    </span>
  );
}
