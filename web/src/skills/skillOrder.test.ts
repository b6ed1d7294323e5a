import { expect, test } from "vitest";
import type { Skill } from "../api/model";
import { computeDepths, groupSkills, moved, reorderGroup, wouldCreateCycle } from "./skillOrder";

function skill(id: string, categoryId = "general", requires: string[] = []): Skill {
  return {
    id,
    name: id,
    description: "",
    whenToUse: "",
    categoryId,
    enabled: true,
    requires,
    libraryId: null,
  };
}

const SKILLS = [skill("a"), skill("b", "craft"), skill("c"), skill("d", "craft"), skill("e")];

test("skills stand under their categories in their order, and lost ones under the first", () => {
  const categories = [
    { id: "general", name: "General", color: "" },
    { id: "craft", name: "Craft", color: "" },
  ];
  const groups = groupSkills(categories, [...SKILLS, skill("f", "gone")]);
  expect(groups.map(({ skills }) => skills.map(({ id }) => id))).toEqual([
    ["a", "c", "e", "f"],
    ["b", "d"],
  ]);
});

test("a new order in one category leaves the others where they are", () => {
  expect(reorderGroup(SKILLS, ["e", "a", "c"])).toEqual(["e", "b", "a", "d", "c"]);
});

test("an item moves as far as there are places", () => {
  expect(moved(["a", "b", "c"], "a", 1)).toEqual(["b", "a", "c"]);
  expect(moved(["a", "b", "c"], "a", -1)).toEqual(["a", "b", "c"]);
  expect(moved(["a", "b", "c"], "c", 5)).toEqual(["a", "b", "c"]);
});

test("skills that need others stand further on, and circles do no harm", () => {
  const chain = [
    skill("a"),
    skill("b", "general", ["a"]),
    skill("c", "general", ["b", "a", "missing"]),
  ];
  expect([...computeDepths(chain)]).toEqual([
    ["a", 0],
    ["b", 1],
    ["c", 2],
  ]);
  const circle = [skill("a", "general", ["b"]), skill("b", "general", ["a"])];
  expect(computeDepths(circle).size).toBe(2);
});

test("a requirement that would lead back is seen", () => {
  const chain = [skill("a"), skill("b", "general", ["a"]), skill("c", "general", ["b"])];
  expect(wouldCreateCycle(chain, "a", "c")).toBe(true);
  expect(wouldCreateCycle(chain, "c", "a")).toBe(false);
  expect(wouldCreateCycle(chain, "a", "a")).toBe(true);
});
