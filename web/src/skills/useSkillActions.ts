/**
 * Actions on skills and categories. Each uses its own route, so that concurrent changes elsewhere
 * are kept.
 */

import { useQueryClient } from "@tanstack/react-query";
import type { Agent, Skill, SkillCategory } from "../api/model";
import { keys, rememberAgent } from "../api/queries";
import { SkillClashError, saveSkill } from "../api/saveSkill";
import * as zoo from "../api/zoo";
import { showFailure } from "../design/failures";
import { toast } from "../design/toasts";
import { reorderGroup } from "./skillOrder";

export type SkillValues = Pick<
  Skill,
  "name" | "description" | "whenToUse" | "categoryId" | "requires"
>;

export function useSkillActions(agent: Agent) {
  const client = useQueryClient();
  const { id } = agent;

  /** Every route returns the current agent. */
  const attempt = async (change: () => Promise<Agent>): Promise<Agent | null> => {
    try {
      const changed = await change();
      rememberAgent(client, changed);
      void client.invalidateQueries({ queryKey: keys.findings(id) });
      void client.invalidateQueries({ queryKey: keys.preview(id) });
      return changed;
    } catch (error) {
      showFailure(error);
      void client.invalidateQueries({ queryKey: keys.agent(id), exact: true });
      return null;
    }
  };

  /** Shown immediately. The response of the server then replaces it. */
  const showAtOnce = (skills: Skill[]) =>
    client.setQueryData<Agent>(keys.agent(id), { ...agent, skills });

  const enable = (skill: Skill, enabled: boolean) => {
    showAtOnce(agent.skills.map((each) => (each.id === skill.id ? { ...each, enabled } : each)));
    return attempt(() => zoo.enableSkill(id, skill.id, enabled));
  };

  const order = (ids: string[]) => {
    const places = new Map(ids.map((each, index) => [each, index]));
    showAtOnce([...agent.skills].sort((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0)));
    return attempt(() => zoo.orderSkills(id, ids));
  };

  const putBack = async (skill: Skill, ids: string[]) => {
    if (await attempt(() => zoo.addSkill(id, skill))) await attempt(() => zoo.orderSkills(id, ids));
  };

  return {
    enable,
    enableAll: async (skills: Skill[], enabled: boolean) => {
      for (const skill of skills) {
        if (skill.enabled !== enabled) await attempt(() => zoo.enableSkill(id, skill.id, enabled));
      }
    },
    arrange: (groupIds: string[]) => order(reorderGroup(agent.skills, groupIds)),
    add: (values: SkillValues) => attempt(() => zoo.addSkill(id, values)),
    /**
     * Save a skill. In a conflict, nothing is saved and the skill as edited elsewhere is returned.
     */
    change: async (base: Agent, skill: Skill, values: Partial<SkillValues>) => {
      let clash: SkillClashError | null = null;
      const saved = await attempt(() =>
        saveSkill(base, skill, values).catch((error: unknown) => {
          if (error instanceof SkillClashError) clash = error;
          throw error;
        }),
      );
      return { saved, clash: clash as SkillClashError | null };
    },
    remove: async (skill: Skill) => {
      const ids = agent.skills.map((each) => each.id);
      const removed = await attempt(() => zoo.deleteSkill(id, skill.id));
      if (!removed) return;
      toast(`${skill.name} is deleted.`, {
        milliseconds: 12_000,
        action: { label: "Undo", run: () => void putBack(skill, ids) },
      });
    },
    keepInLibrary: async ({ name, description, whenToUse }: Skill) => {
      try {
        await zoo.createLibrarySkill({ name, description, whenToUse });
        toast(`${name} is in the library now.`);
      } catch (error) {
        showFailure(error);
      }
    },
    addCategory: (values: Pick<SkillCategory, "name" | "color">) =>
      attempt(() => zoo.addCategory(id, values)),
    changeCategory: (category: SkillCategory, values: Pick<SkillCategory, "name" | "color">) =>
      attempt(() => zoo.changeCategory(id, category.id, values)),
    removeCategory: (category: SkillCategory, moveTo?: string) =>
      attempt(() => zoo.deleteCategory(id, category.id, moveTo)),
  };
}
