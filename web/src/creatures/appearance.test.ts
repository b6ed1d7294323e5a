import { render } from "@testing-library/react";
import { createElement } from "react";
import { expect, test } from "vitest";
import { createAppearance } from "./appearance";
import { Creature } from "./Creature";
import { composeDrawing, portraitFile } from "./drawing";
import { renderMarkup } from "./shapes";

function drawn(seed: string) {
  return renderMarkup(composeDrawing(createAppearance(seed), { name: "test" }));
}

test("the same seed gives the same look and the same drawing", () => {
  for (const seed of ["ember", "", "Ünïcødé 🦊", "x".repeat(10_000), "constructor", "__proto__"]) {
    expect(createAppearance(seed)).toEqual(createAppearance(seed));
    expect(drawn(seed)).toBe(drawn(seed));
  }
});

test("looks that people know do not change with the program", () => {
  expect(createAppearance("ember")).toMatchInlineSnapshot(`
    {
      "arms": "raised",
      "body": "dumpling",
      "build": [
        1,
        1,
      ],
      "colours": {
        "accent": "oklch(0.780 0.130 285)",
        "accentShade": "oklch(0.620 0.130 285)",
        "blush": "oklch(0.740 0.130 18)",
        "coat": "oklch(0.640 0.115 105)",
        "ink": "oklch(0.260 0.035 105)",
        "light": "oklch(0.740 0.048 105)",
        "shade": "oklch(0.470 0.130 105)",
      },
      "crown": "antlers",
      "extra": "glasses",
      "eyes": "round",
      "mouth": "tooth",
      "pattern": "mask",
      "tail": "brush",
    }
  `);
});

test("500 seeds have at least 490 different looks, and as many drawings", () => {
  const seeds = Array.from({ length: 500 }, (_, index) => `agent ${index}`);
  expect(
    new Set(seeds.map((seed) => JSON.stringify(createAppearance(seed)))).size,
  ).toBeGreaterThanOrEqual(490);
  expect(new Set(seeds.map(drawn)).size).toBeGreaterThanOrEqual(490);
});

test("every part is seen among 2,000 seeds", () => {
  const looks = Array.from({ length: 2000 }, (_, index) => createAppearance(`agent ${index}`));
  const kinds = (part: "body" | "eyes" | "mouth" | "crown" | "tail" | "pattern" | "extra") =>
    new Set(looks.map((look) => look[part])).size;
  expect([
    kinds("body"),
    kinds("eyes"),
    kinds("mouth"),
    kinds("crown"),
    kinds("tail"),
    kinds("pattern"),
    kinds("extra"),
  ]).toEqual([11, 10, 9, 12, 7, 9, 9]);
});

test("two creatures on one page share no id", () => {
  const { container } = render(
    createElement(
      "div",
      null,
      createElement(Creature, { seed: "a", size: 64 }),
      createElement(Creature, { seed: "a", size: 64 }),
    ),
  );
  const ids = [...container.querySelectorAll("[id]")].map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(1);
  expect(new Set(ids).size).toBe(ids.length);
});

test("an id stays when the page is drawn again", () => {
  const { container, rerender } = render(createElement(Creature, { seed: "a", size: 64 }));
  const first = container.innerHTML;
  rerender(createElement(Creature, { seed: "a", size: 64 }));
  expect(container.innerHTML).toBe(first);
});

test("no part of a hostile seed appears in the drawing", () => {
  const seed = '"><script>alert(1)</script>';
  expect(portraitFile(seed, "awake", 64)).not.toContain("script");
});
