/** Saving an agent without overwriting concurrent changes. */

import { ConflictError } from "./http";
import type { Agent, AgentChanges } from "./model";
import { mergeTexts } from "./textMerge";
import { changeAgent, agent as getAgent } from "./zoo";

type Field = keyof AgentChanges;

/** A text in which both sides have changed the same lines. */
export type EditConflict = { field: Field; mine: string; theirs: string; merged: string };

/**
 * Raised if both sides have changed the same lines. Nothing was saved; the user has to resolve the
 * conflict.
 */
export class ClashError extends Error {
  readonly current: Agent;
  readonly clashes: EditConflict[];

  constructor(current: Agent, clashes: EditConflict[]) {
    super("The same text was edited elsewhere.");
    this.name = "ClashError";
    this.current = current;
    this.clashes = clashes;
  }
}

export type SaveResult = {
  agent: Agent;
  /** Whether concurrent changes were merged with those of the user. */
  merged: boolean;
};

const ATTEMPTS = 4;

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** Rebase changes onto the current agent, which has been changed elsewhere. */
function rebased(base: Agent, current: Agent, changes: AgentChanges): AgentChanges {
  const clashes: EditConflict[] = [];
  const result: Record<string, unknown> = { ...changes };
  for (const field of Object.keys(changes) as Field[]) {
    const mine = changes[field];
    const theirs = current[field];
    if (same(theirs, base[field]) || same(theirs, mine)) continue;
    const before = base[field];
    if (typeof mine === "string" && typeof theirs === "string" && typeof before === "string") {
      const merged = mergeTexts(before, mine, theirs);
      if (merged.clean) result[field] = merged.text;
      else clashes.push({ field, mine, theirs, merged: merged.text });
    } else {
      clashes.push({ field, mine: shown(mine), theirs: shown(theirs), merged: shown(mine) });
    }
  }
  if (clashes.length > 0) throw new ClashError(current, clashes);
  return result as AgentChanges;
}

/**
 * Save changes that were made to `base` and merge concurrent changes into them.
 *
 * @param latest What is known of the agent by now, if that is more than `base`.
 */
export async function saveChanges(
  base: Agent,
  changes: AgentChanges,
  latest: Agent = base,
): Promise<SaveResult> {
  let known = latest;
  let wanted = latest.version === base.version ? changes : rebased(base, latest, changes);
  for (let attempt = 1; ; attempt += 1) {
    try {
      const agent = await changeAgent(base.id, wanted, known.version);
      const merged = (Object.keys(changes) as Field[]).some(
        (field) => !same(wanted[field], changes[field]),
      );
      return { agent, merged };
    } catch (error) {
      if (!(error instanceof ConflictError) || attempt === ATTEMPTS) throw error;
      const current = error.currentAgent ?? (await getAgent(base.id));
      wanted = rebased(base, current, changes);
      known = current;
    }
  }
}
