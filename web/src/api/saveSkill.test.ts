import { expect, test, vi } from "vitest";
import type { Agent, Skill } from "./model";
import { SkillClashError, saveSkill } from "./saveSkill";

const SKILL: Skill = {
  id: "read",
  name: "Read",
  description: "one\ntwo\nthree",
  whenToUse: "",
  categoryId: "general",
  enabled: true,
  requires: [],
  libraryId: null,
};
const AGENT = { id: "ember", systemPrompt: "", skills: [SKILL], version: 3 } as unknown as Agent;

/** A server on which the skill is another one already, in a newer version of the agent. */
function serverWith(changes: Partial<Skill>) {
  let stored: Agent = { ...AGENT, skills: [{ ...SKILL, ...changes }], version: 5 };
  vi.stubGlobal("fetch", async (_path: string, init: RequestInit) => {
    if (new Headers(init.headers).get("If-Match") !== `"${stored.version}"`) {
      return Response.json({ error: "no", details: { current: stored } }, { status: 412 });
    }
    const skills = stored.skills.map((skill) => ({ ...skill, ...JSON.parse(String(init.body)) }));
    stored = { ...stored, skills, version: stored.version + 1 };
    return Response.json(stored);
  });
  return () => stored.skills[0];
}

test("a skill that was disabled concurrently stays disabled, with our text", async () => {
  const stored = serverWith({ enabled: false });
  await saveSkill(AGENT, SKILL, { name: SKILL.name, description: "new" });
  expect(stored()).toEqual({ ...SKILL, description: "new", enabled: false });
});

test("changes in other lines of its text are merged", async () => {
  const stored = serverWith({ description: "ONE\ntwo\nthree" });
  await saveSkill(AGENT, SKILL, { description: "one\ntwo\nTHREE" });
  expect(stored()?.description).toBe("ONE\ntwo\nTHREE");
});

test("conflicting changes are reported, and theirs are preserved", async () => {
  const stored = serverWith({ description: "theirs" });
  const error = await saveSkill(AGENT, SKILL, { description: "mine" }).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(SkillClashError);
  expect((error as SkillClashError).theirs.description).toBe("theirs");
  expect(stored()?.description).toBe("theirs");
});

test("who has seen theirs and saves again replaces it", async () => {
  const stored = serverWith({ description: "theirs" });
  const error = await saveSkill(AGENT, SKILL, { description: "mine" }).catch(
    (thrown: unknown) => thrown,
  );
  const { current, theirs } = error as SkillClashError;
  await saveSkill(current, theirs, { description: "mine" });
  expect(stored()?.description).toBe("mine");
});
