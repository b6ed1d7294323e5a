import { expect, test } from "vitest";
import { ago, dayName, estimateTokens, formatCount } from "./format";

const NOON = new Date(2026, 10, 18, 12);

test("one is one, and many are many", () => {
  expect([
    formatCount(0, "entry", "entries"),
    formatCount(1, "entry", "entries"),
    formatCount(1200, "skill"),
  ]).toEqual(["0 entries", "1 entry", "1,200 skills"]);
});

test("tokens are counted as the server does: four bytes to one, rounded up", () => {
  expect(["", "a", "abcd", "abcde", "äöü"].map(estimateTokens)).toEqual([0, 1, 1, 2, 2]);
});

test("times are formatted as people say them", () => {
  const before = (seconds: number) =>
    ago(new Date(NOON.getTime() - seconds * 1000).toISOString(), NOON.getTime());
  expect([before(10), before(120), before(7200), before(86_400), before(40 * 86_400)]).toEqual([
    "just now",
    "2 minutes ago",
    "2 hours ago",
    "yesterday",
    "last month",
  ]);
  expect(ago("not a time")).toBe("");
});

test("days are named from where the user is", () => {
  expect(dayName(new Date(2026, 10, 18, 0, 1).toISOString(), NOON)).toBe("Today");
  expect(dayName(new Date(2026, 10, 17, 23, 59).toISOString(), NOON)).toBe("Yesterday");
  expect(dayName(new Date(2026, 10, 2).toISOString(), NOON)).toBe("Monday, November 2");
  expect(dayName(new Date(2025, 10, 2).toISOString(), NOON)).toBe("Sunday, November 2, 2025");
});
