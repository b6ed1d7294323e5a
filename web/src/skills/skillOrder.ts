/** The order of skills, which is the order in which they are injected. */

import type { Skill, SkillCategory } from "../api/model";

export type CategoryGroup = { category: SkillCategory; skills: Skill[] };

/** Group skills by category. A skill whose category is missing belongs to the first group. */
export function groupSkills(
  categories: readonly SkillCategory[],
  skills: readonly Skill[],
): CategoryGroup[] {
  const groups = categories.map((category) => ({ category, skills: [] as Skill[] }));
  for (const skill of skills) {
    const group = groups.find(({ category }) => category.id === skill.categoryId) ?? groups[0];
    group?.skills.push(skill);
  }
  return groups;
}

/**
 * Return the ids of all skills after the skills of one group were reordered among their own
 * positions.
 */
export function reorderGroup(skills: readonly Skill[], groupIds: readonly string[]): string[] {
  const inGroup = new Set(groupIds);
  const next = [...groupIds];
  return skills.map(({ id }) => (inGroup.has(id) ? (next.shift() ?? id) : id));
}

/** Return a list with one item moved by some positions, limited to the bounds of the list. */
export function moved(ids: readonly string[], id: string, by: number): string[] {
  const from = ids.indexOf(id);
  const to = Math.min(Math.max(from + by, 0), ids.length - 1);
  const rest = ids.filter((each) => each !== id);
  return [...rest.slice(0, to), id, ...rest.slice(to)];
}

/**
 * Return how many requirements separate each skill from a skill without requirements: its column in
 * the graph.
 */
export function computeDepths(skills: readonly Skill[]): Map<string, number> {
  const byId = new Map(skills.map((skill) => [skill.id, skill]));
  const known = new Map<string, number>();
  const depth = (id: string, path: readonly string[]): number => {
    const found = known.get(id);
    if (found !== undefined) return found;
    const requires = (byId.get(id)?.requires ?? []).filter(
      (each) => byId.has(each) && !path.includes(each),
    );
    const result =
      requires.length === 0
        ? 0
        : 1 + Math.max(...requires.map((each) => depth(each, [...path, id])));
    known.set(id, result);
    return result;
  };
  for (const { id } of skills) depth(id, []);
  return known;
}

/** Return whether a new requirement would create a cycle. */
export function wouldCreateCycle(skills: readonly Skill[], id: string, required: string): boolean {
  const byId = new Map(skills.map((skill) => [skill.id, skill]));
  const seen = new Set<string>();
  const leads = (from: string): boolean => {
    if (from === id) return true;
    if (seen.has(from)) return false;
    seen.add(from);
    return (byId.get(from)?.requires ?? []).some(leads);
  };
  return leads(required);
}
