import { expect, test } from "vitest";
import type { ZooEvent } from "../api/model";
import { describeEvent, toReaction } from "./reactions";

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
  expect(toReaction(event({}))).toMatchObject({ agentId: "ember", reaction: "called" });
  expect(toReaction(event({ kind: "brain:written" }))).toMatchObject({ reaction: "remembers" });
});

test("of a hand-over the receiver reacts, and knows from whom it comes", () => {
  const handed = event({
    kind: "agent:handedOver",
    agentId: "atlas",
    detail: { toAgentId: "ember" },
  });
  expect(toReaction(handed)).toMatchObject({
    agentId: "ember",
    fromId: "atlas",
    reaction: "receives",
  });
  expect(describeEvent(handed, nameOf)).toBe("Atlas handed over to Ember");
});

test("what happens to no creature is not shown", () => {
  expect(toReaction(event({ kind: "library:changed", agentId: null }))).toBeNull();
  expect(toReaction(event({ kind: "agent:deleted" }))).toBeNull();
});

test("words say who and by whom", () => {
  expect(describeEvent(event({}), nameOf)).toBe("Ember was called to work by an AI client");
});
