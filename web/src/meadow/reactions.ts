/**
 * Reactions of the meadow to events of the zoo: which creature reacts, for how long, and in which
 * words.
 */

import type { EventKind, ZooEvent } from "../api/model";

export type Reaction = "called" | "remembers" | "receives" | "changed" | "arrives";

export type MeadowReaction = {
  id: number;
  agentId: string;
  reaction: Reaction;
  /** The agent that handed work over. */
  fromId?: string;
  at: string;
};

/** Duration of a reaction in seconds. */
export const REACTION_SECONDS: Record<Reaction, number> = {
  called: 4.5,
  remembers: 4.5,
  receives: 5,
  changed: 2.2,
  arrives: 1.6,
};

const REACTIONS: Partial<Record<EventKind, Reaction>> = {
  "agent:created": "arrives",
  "agent:restored": "arrives",
  "agent:updated": "changed",
  "agent:injected": "called",
  "brain:written": "remembers",
  "brain:updated": "remembers",
};

export function toReaction(event: ZooEvent): MeadowReaction | null {
  const { id, agentId, at, kind, detail } = event;
  if (agentId === null) return null;
  if (kind === "agent:handedOver") {
    const toId = typeof detail.toAgentId === "string" ? detail.toAgentId : agentId;
    return { id, agentId: toId, fromId: agentId, reaction: "receives", at };
  }
  const reaction = REACTIONS[kind];
  return reaction ? { id, agentId, reaction, at } : null;
}

const BY: Record<string, string> = {
  mcp: "by an AI client",
  web: "in the browser",
  cli: "in the terminal",
  import: "from a file",
  sync: "by sync",
};

const WORDS: Record<Reaction, string> = {
  called: "was called to work",
  remembers: "wrote something down",
  receives: "was handed work",
  changed: "was changed",
  arrives: "has arrived",
};

/** Describe an event in one line for the strip below the meadow. */
export function describeEvent(event: ZooEvent, nameOf: (id: string) => string): string | null {
  const happening = toReaction(event);
  if (!happening) return null;
  const by = BY[event.source] ?? `by ${event.source}`;
  if (happening.fromId)
    return `${nameOf(happening.fromId)} handed over to ${nameOf(happening.agentId)}`;
  return `${nameOf(happening.agentId)} ${WORDS[happening.reaction]} ${by}`;
}
