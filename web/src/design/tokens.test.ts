import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const SHEET = readFileSync("src/design/tokens.css", "utf8");

/** The colours of a theme: what a block of the sheet sets, over what the first one does. */
function colours(theme: "light" | "dark"): Map<string, string> {
  const [light = "", dark = ""] = SHEET.split(':root[data-theme="dark"]');
  const found = new Map<string, string>();
  for (const block of theme === "light" ? [light] : [light, dark]) {
    for (const [, name = "", value = ""] of block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)) {
      found.set(name, value);
    }
  }
  return found;
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const part = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

const GROUNDS = ["paper", "panel", "panel-sunken", "panel-raised"];
const TEXTS: [string, string][] = [
  ...GROUNDS.flatMap((ground): [string, string][] =>
    ["ink", "ink-soft", "primary-ink", "danger-ink"].map((ink) => [ink, ground]),
  ),
  ["primary-ink", "primary-soft"],
  ["ink", "primary-soft"],
  ["ink", "warm-soft"],
  ["ink-soft", "warm-soft"],
  ["warm-ink", "warm-soft"],
  ["danger-ink", "danger-soft"],
  ["ink-on-colour", "primary"],
  ["ink-on-colour", "danger"],
  ["ink", "added-soft"],
  ["ink", "removed-soft"],
  ...["decision", "milestone", "note", "summary", "handoff"].map((type): [string, string] => [
    type,
    `${type}-soft`,
  ]),
];
const EDGES: [string, string][] = GROUNDS.flatMap((ground): [string, string][] => [
  ["focus", ground],
  ["line-strong", ground],
]);

test.each(["light", "dark"] as const)(
  "%s: every text has a contrast of 4.5, every edge of 3",
  (theme) => {
    const found = colours(theme);
    const tooWeak = (pairs: [string, string][], least: number) =>
      pairs
        .map(([one, other]) => ({
          one,
          other,
          ratio: contrast(found.get(one) ?? "", found.get(other) ?? ""),
        }))
        .filter(({ ratio }) => !(ratio >= least));
    expect(tooWeak(TEXTS, 4.5)).toEqual([]);
    expect(tooWeak(EDGES, 3)).toEqual([]);
  },
);

test("contrast is measured as WCAG does", () => {
  expect(contrast("#000000", "#ffffff")).toBe(21);
  expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
});
