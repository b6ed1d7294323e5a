/** The order of skills, which is the order in which they are injected. */

import type { Skill, SkillCategory } from "../api/model";

export type CategoryGroup = { category: SkillCategory; skills: Skill[] };

/** Skills under their categories; a skill whose category is gone stands under the first. */
export function grouped(
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

/** All ids, with those of one group in a new order on the places that the group has. */
export function rearranged(skills: readonly Skill[], groupIds: readonly string[]): string[] {
  const inGroup = new Set(groupIds);
  const next = [...groupIds];
  return skills.map(({ id }) => (inGroup.has(id) ? (next.shift() ?? id) : id));
}

/** A list with one item moved by some places, as far as there are places. */
export function moved(ids: readonly string[], id: string, by: number): string[] {
  const from = ids.indexOf(id);
  const to = Math.min(Math.max(from + by, 0), ids.length - 1);
  const rest = ids.filter((each) => each !== id);
  return [...rest.slice(0, to), id, ...rest.slice(to)];
}

/** How far from a skill without requirements each one is: the columns of the graph. */
export function depths(skills: readonly Skill[]): Map<string, number> {
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

/** Whether a skill would, through others, need itself if it needed another. */
export function wouldCircle(skills: readonly Skill[], id: string, required: string): boolean {
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
