/** Parts that grow on a body: ears, horns, tails, arms and feet. */

import type { Appearance } from "./appearance";
import type { Frame } from "./bodies";
import { circle, group, line, mirrorShapes, oval, pair, path, type Shape } from "./shapes";

type Draw = (frame: Frame, look: Appearance) => Shape[];

/** Draw shapes upwards from 0,0 at the right ear, leaning outwards, and mirror them on the left. */
function planted({ ear: [x, y, lean] }: Frame, shapes: Shape[]): Shape[] {
  return pair([group({ transform: `translate(${x} ${y}) rotate(${lean})` }, shapes)]);
}

export const crowns: Record<Appearance["crown"], Draw> = {
  bare: () => [],
  "round ears": (frame, { colours }) =>
    planted(frame, [
      circle(0, -5, 12, { fill: colours.coat }),
      circle(0, -5, 7, { fill: colours.light }),
    ]),
  "pointed ears": (frame, { colours }) =>
    planted(frame, [
      path("M-13 6Q-10-18 1-22Q11-14 13 6Z", { fill: colours.coat }),
      path("M-6 4Q-4-10 1-14Q6-8 7 4Z", { fill: colours.accent }),
    ]),
  "floppy ears": (frame, { colours }) =>
    planted(frame, [
      path("M-8 2C-6-12 12-14 17 0C22 14 22 30 14 32C6 33 4 18-8 2Z", { fill: colours.shade }),
    ]),
  "long ears": (frame, { colours }) =>
    planted(frame, [
      path("M-9 4C-13-16-8-30-1-30S12-16 9 4Z", { fill: colours.coat }),
      path("M-4 2C-6-14-4-24-1-24S6-14 4 2Z", { fill: colours.light }),
    ]),
  "stub horns": (frame, { colours }) =>
    planted(frame, [
      path("M-8 5Q-7-10 3-15Q8-4 9 5Z", { fill: colours.accent }),
      line("M-3.5-2Q2-1 6.5-4", colours.accentShade, 1.8),
    ]),
  feelers: (frame, { colours }) =>
    planted(frame, [
      line("M-4 5Q-9-12 1-20", colours.shade, 3),
      circle(2, -22, 5, { fill: colours.accent }),
    ]),
  sprout: ({ top }, { colours }) => [
    line(`M60 ${top + 3}Q59 ${top - 6} 60 ${top - 10}`, colours.accentShade, 3),
    path(
      `M60 ${top - 9}C46 ${top - 8} 42 ${top - 17} 42 ${top - 17}C54 ${top - 22} 60 ${top - 16} 60 ${top - 9}Z`,
      { fill: colours.accent },
    ),
    path(
      `M60 ${top - 9}C72 ${top - 6} 78 ${top - 14} 79 ${top - 15}C68 ${top - 21} 61 ${top - 16} 60 ${top - 9}Z`,
      { fill: colours.accentShade },
    ),
  ],
  crest: ({ top }, { colours }) => [
    path(
      `M44 ${top + 8}Q43 ${top - 4} 49 ${top - 8}Q52 ${top - 2} 54 ${top}Q55 ${top - 12} 61 ${top - 15}Q65 ${top - 7} 66 ${top}Q69 ${top - 5} 74 ${top - 6}Q77 ${top + 2} 75 ${top + 9}Z`,
      { fill: colours.accent },
    ),
  ],
  antlers: (frame, { colours }) =>
    planted(frame, [
      line("M-4 5C-3-6 0-10 4-20M-2-5Q6-6 10-13M1-12Q-5-14-6-20", colours.accentShade, 3.6),
    ]),
  tuft: ({ top }, { colours }) => [
    path(
      `M47 ${top + 6}Q44 ${top - 6} 52 ${top - 7}Q50 ${top - 16} 60 ${top - 14}Q70 ${top - 18} 69 ${top - 8}Q78 ${top - 6} 73 ${top + 6}Q60 ${top + 1} 47 ${top + 6}Z`,
      { fill: colours.shade },
    ),
  ],
  "ram horns": (frame, { colours }) =>
    planted(frame, [
      line("M-5 4C0-9 17-8 17 4C17 13 6 13 7 6", colours.accentShade, 7.5),
      line("M-5 4C0-9 17-8 17 4C17 13 6 13 7 6", colours.accent, 4),
    ]),
};

export const tails: Record<Appearance["tail"], Draw> = {
  none: () => [],
  curl: ({ tail: [x, y] }, { colours }) => [
    line(`M${x - 8} ${y}c13 4 19-6 13-13c-5-5-11 1-7 5`, colours.shade, 5),
  ],
  puff: ({ tail: [x, y] }, { colours }) => [
    circle(x + 3, y, 9.5, { fill: colours.light }),
    circle(x + 6, y + 2, 5, { fill: colours.coat, opacity: 0.5 }),
  ],
  fish: ({ tail: [x, y] }, { colours }) => [
    path(
      `M${x - 8} ${y + 3}Q${x + 6} ${y - 2} ${x + 14} ${y - 17}Q${x + 17} ${y - 6} ${x + 12} ${y - 1}Q${x + 18} ${y + 2} ${x + 17} ${y + 11}Q${x + 4} ${y + 8} ${x - 8} ${y + 3}Z`,
      { fill: colours.accent },
    ),
  ],
  arrow: ({ tail: [x, y] }, { colours }) => [
    line(`M${x - 8} ${y + 2}Q${x + 9} ${y + 4} ${x + 10} ${y - 12}`, colours.shade, 4),
    path(`M${x + 10} ${y - 23}l8 12q-8-3-16 0Z`, {
      fill: colours.accentShade,
      "stroke-linejoin": "round",
      stroke: colours.accentShade,
      "stroke-width": 2,
    }),
  ],
  brush: ({ tail: [x, y] }, { colours }) => [
    path(
      `M${x - 8} ${y + 6}C${x + 8} ${y + 10} ${x + 20} ${y - 4} ${x + 12} ${y - 24}C${x + 2} ${y - 20} ${x + 2} ${y - 8} ${x - 8} ${y - 6}Z`,
      { fill: colours.shade },
    ),
    path(
      `M${x + 12} ${y - 24}C${x + 7} ${y - 22} ${x + 4} ${y - 17} ${x + 2.5} ${y - 12}Q${x + 9} ${y - 11} ${x + 14.6} ${y - 13}Q${x + 14.6} ${y - 18} ${x + 12} ${y - 24}Z`,
      { fill: colours.light },
    ),
  ],
  leaf: ({ tail: [x, y] }, { colours }) => [
    path(
      `M${x - 6} ${y + 2}Q${x + 2} ${y - 18} ${x + 18} ${y - 14}Q${x + 16} ${y + 2} ${x - 6} ${y + 2}Z`,
      { fill: colours.accent },
    ),
    line(`M${x - 6} ${y + 2}Q${x + 4} ${y - 4} ${x + 12} ${y - 10}`, colours.accentShade, 1.8),
  ],
};

export const arms: Record<Appearance["arms"], Draw> = {
  none: () => [],
  nubs: ({ arm: [x, y] }, { colours }) =>
    pair([
      group({ transform: `rotate(24 ${x} ${y})` }, [
        oval(x, y + 4, 5.5, 9, { fill: colours.shade }),
      ]),
    ]),
  wings: ({ arm: [x, y] }, { colours }) =>
    pair([
      path(
        `M${x - 7} ${y - 6}Q${x + 8} ${y - 20} ${x + 16} ${y - 15}Q${x + 16} ${y - 9} ${x + 13} ${y - 5}Q${x + 14} ${y + 1} ${x + 8} ${y + 4}Q${x} ${y + 8} ${x - 7} ${y + 4}Z`,
        { fill: colours.light, stroke: colours.shade, "stroke-width": 1.8 },
      ),
    ]),
  raised: ({ arm: [x, y] }, { colours }) => [
    group({ transform: `rotate(-38 ${x} ${y})` }, [
      oval(x + 2, y - 6, 5.2, 11, { fill: colours.shade }),
    ]),
    mirrorShapes([
      group({ transform: `rotate(24 ${x} ${y})` }, [
        oval(x, y + 4, 5.5, 9, { fill: colours.shade }),
      ]),
    ]),
  ],
};

export function feet({ colours }: Appearance): Shape[] {
  return pair([oval(75, 104.5, 11, 6.5, { fill: colours.shade })]);
}
