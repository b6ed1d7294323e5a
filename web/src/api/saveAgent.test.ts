import { expect, test, vi } from "vitest";
import type { Agent } from "./model";
import { ClashError, saveChanges } from "./saveAgent";
import { mergeTexts } from "./textMerge";

const BASE: Agent = {
  id: "ember",
  name: "Ember",
  description: "Builds",
  systemPrompt: "one\ntwo\nthree\nfour",
  skillCategories: [],
  skills: [],
  contextRefs: [],
  appearanceSeed: "",
  tags: [],
  injectsMemory: true,
  archived: false,
  createdAt: "",
  updatedAt: "",
  version: 3,
};

/** A server with one agent, as far as versions go. */
function serverWith(current: Agent) {
  const requests: { version: string | null; body: unknown }[] = [];
  let stored = current;
  vi.stubGlobal("fetch", async (_path: string, init: RequestInit) => {
    const version = new Headers(init.headers).get("If-Match");
    const body = JSON.parse(String(init.body)) as Partial<Agent>;
    requests.push({ version, body });
    if (version !== `"${stored.version}"`) {
      return Response.json(
        { error: "no", code: "VERSION_CONFLICT", details: { current: stored } },
        { status: 412 },
      );
    }
    stored = { ...stored, ...body, version: stored.version + 1 };
    return Response.json(stored);
  });
  return { requests, stored: () => stored };
}

test("a change is sent with the version that it was made to", async () => {
  const server = serverWith(BASE);
  const saved = await saveChanges(BASE, { name: "Ash" });
  expect(saved).toEqual({ agent: { ...BASE, name: "Ash", version: 4 }, merged: false });
  expect(server.requests).toEqual([{ version: '"3"', body: { name: "Ash" } }]);
});

test("a change of another field is kept, and ours is sent again", async () => {
  const server = serverWith({ ...BASE, description: "Repairs", version: 5 });
  const saved = await saveChanges(BASE, { name: "Ash" });
  expect(saved.merged).toBe(false);
  expect(server.stored()).toEqual({ ...BASE, name: "Ash", description: "Repairs", version: 6 });
});

test("changes in other lines of one text are merged", async () => {
  const server = serverWith({ ...BASE, systemPrompt: "ONE\ntwo\nthree\nfour", version: 5 });
  const saved = await saveChanges(BASE, { systemPrompt: "one\ntwo\nthree\nFOUR" });
  expect(saved.merged).toBe(true);
  expect(server.stored().systemPrompt).toBe("ONE\ntwo\nthree\nFOUR");
});

test("changes of the same line are left to the user, with both texts, and nothing is overwritten", async () => {
  const theirs = "one\nTWO by them\nthree\nfour";
  const server = serverWith({ ...BASE, systemPrompt: theirs, version: 5 });
  const mine = "one\nTWO by me\nthree\nfour";
  const error = await saveChanges(BASE, { systemPrompt: mine }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ClashError);
  const [clash] = (error as ClashError).clashes;
  expect(clash).toMatchObject({ field: "systemPrompt", mine, theirs });
  expect(clash?.merged).toContain("TWO by me");
  expect(clash?.merged).toContain("TWO by them");
  expect(server.stored().systemPrompt).toBe(theirs);
});

test("what is known to have changed is merged before anything is sent", async () => {
  const latest = { ...BASE, systemPrompt: "ONE\ntwo\nthree\nfour", version: 5 };
  const server = serverWith(latest);
  await saveChanges(BASE, { systemPrompt: "one\ntwo\nthree\nFOUR" }, latest);
  expect(server.requests).toEqual([
    { version: '"5"', body: { systemPrompt: "ONE\ntwo\nthree\nFOUR" } },
  ]);
});

test("the same change on both sides is not a conflict", async () => {
  serverWith({ ...BASE, tags: ["a"], version: 5 });
  const saved = await saveChanges(BASE, { tags: ["a"] });
  expect(saved.agent.tags).toEqual(["a"]);
});

test("a merge of texts without a common line keeps both", () => {
  const { text, clean } = mergeTexts("", "mine", "theirs");
  expect(clean).toBe(false);
  expect(text).toContain("mine");
  expect(text).toContain("theirs");
});
