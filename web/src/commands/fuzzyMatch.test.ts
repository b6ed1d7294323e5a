import { expect, test } from "vitest";
import { type Command, meant } from "./fuzzyMatch";

const command = (title: string, words = ""): Command => ({
  id: title,
  title,
  words,
  group: "",
  run: () => undefined,
});

const COMMANDS = [
  command("Wolfram", "evaluate"),
  command("Open Fern", "gardener"),
  command("Fern"),
];

test("what begins with the letters comes first, and other words find it too", () => {
  expect(meant(COMMANDS, "fern").map(({ title }) => title)).toEqual(["Fern", "Open Fern"]);
  expect(meant(COMMANDS, "GARD").map(({ title }) => title)).toEqual(["Open Fern"]);
});

test("every word has to be meant, and nothing typed means everything", () => {
  expect(meant(COMMANDS, "fern wolf")).toEqual([]);
  expect(meant(COMMANDS, "  ")).toEqual(COMMANDS);
});
