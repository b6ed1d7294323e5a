import { expect, test } from "vitest";
import type { ZooEvent } from "../api/model";
import { happeningOf, wordsFor } from "./happenings";

function event(changes: Partial<ZooEvent>): ZooEvent {
  return {
    id: 1,
    kind: "agent:injected",
    at: "",
    source: "mcp",
    agentId: "ember",
    entryId: null,
    detail: {},
    ...changes,
  };
}

const nameOf = (id: string) => ({ ember: "Ember", atlas: "Atlas" })[id] ?? id;

test("an injection calls the agent, and a new memory makes it write", () => {
  expect(happeningOf(event({}))).toMatchObject({ agentId: "ember", reaction: "called" });
  expect(happeningOf(event({ kind: "brain:written" }))).toMatchObject({ reaction: "remembers" });
});

test("of a hand-over the receiver reacts, and knows from whom it comes", () => {
  const handed = event({
    kind: "agent:handedOver",
    agentId: "atlas",
    detail: { toAgentId: "ember" },
  });
  expect(happeningOf(handed)).toMatchObject({
    agentId: "ember",
    fromId: "atlas",
    reaction: "receives",
  });
  expect(wordsFor(handed, nameOf)).toBe("Atlas handed over to Ember");
});

test("what happens to no creature is not shown", () => {
  expect(happeningOf(event({ kind: "library:changed", agentId: null }))).toBeNull();
  expect(happeningOf(event({ kind: "agent:deleted" }))).toBeNull();
});

test("words say who and by whom", () => {
  expect(wordsFor(event({}), nameOf)).toBe("Ember was called to work by an AI client");
});
