/** Saving one skill; concurrent changes of the rest of the agent do not conflict with it. */

import { ConflictError } from "./http";
import type { Agent, Skill } from "./model";
import { mergeTexts } from "./textMerge";
import { changeSkill, agent as getAgent } from "./zoo";

export type SkillChanges = Partial<
  Pick<Skill, "name" | "description" | "whenToUse" | "categoryId" | "requires">
>;

/** Raised if the same field of this skill was edited elsewhere. Nothing was saved. */
export class SkillClashError extends Error {
  readonly theirs: Skill;
  readonly current: Agent;

  constructor(theirs: Skill, current: Agent) {
    super("This skill was edited elsewhere.");
    this.name = "SkillClashError";
    this.theirs = theirs;
    this.current = current;
  }
}

const ATTEMPTS = 4;

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function rebased(base: Skill, theirs: Skill, changes: SkillChanges, current: Agent): SkillChanges {
  const result: SkillChanges = { ...changes };
  for (const field of Object.keys(changes) as (keyof SkillChanges)[]) {
    if (same(theirs[field], base[field]) || same(theirs[field], changes[field])) continue;
    const merged =
      field === "description"
        ? mergeTexts(base.description, changes.description ?? "", theirs.description)
        : null;
    if (!merged?.clean) throw new SkillClashError(theirs, current);
    result.description = merged.text;
  }
  return result;
}

/** Save changes that are based on one version of an agent's skill. */
export async function saveSkill(agent: Agent, base: Skill, changes: SkillChanges): Promise<Agent> {
  let { version } = agent;
  let wanted = changes;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await changeSkill(agent.id, base.id, wanted, version);
    } catch (error) {
      if (!(error instanceof ConflictError) || attempt === ATTEMPTS) throw error;
      const current = error.currentAgent ?? (await getAgent(agent.id));
      const theirs = current.skills.find(({ id }) => id === base.id);
      if (!theirs) throw error;
      wanted = rebased(base, theirs, changes, current);
      version = current.version;
    }
  }
}
