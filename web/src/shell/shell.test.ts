import { expect, test } from "vitest";
import type { AgentSummary } from "../api/model";
import { matching } from "./AgentList";
import { getPage } from "./focusOnNavigation";

const AGENTS = [
  { name: "Ember", description: "Builds things", tags: ["python"], skillNames: ["Write tests"] },
  { name: "Sage", description: "Explains", tags: [], skillNames: [] },
] as unknown as AgentSummary[];

test("a search looks at names, purposes, tags and skills, and needs every word", () => {
  const found = (search: string) => matching(AGENTS, search).map(({ name }) => name);
  expect([
    found(""),
    found("EMB"),
    found("python tests"),
    found("python sage"),
    found("explains"),
  ]).toEqual([["Ember", "Sage"], ["Ember"], ["Ember"], [], ["Sage"]]);
});

test("the parts of an agent are one page, and focus stays between them", () => {
  expect(getPage("/agent/ember/soul")).toBe(getPage("/agent/ember/brain"));
  expect(getPage("/agent/ember")).not.toBe(getPage("/agent/sage"));
  expect(getPage("/")).not.toBe(getPage("/servers"));
});
