/** Coat patterns, which are clipped to the outline, and accessories. */

import type { Appearance } from "./appearance";
import type { Frame } from "./bodies";
import { circle, line, oval, pair, path, type Shape } from "./shapes";

type Draw = (frame: Frame, look: Appearance) => Shape[];

export const patterns: Record<Appearance["pattern"], Draw> = {
  plain: () => [],
  belly: (_, { colours }) => [oval(60, 100, 25, 22, { fill: colours.light })],
  spots: (_, { colours }) =>
    [
      [30, 50, 7],
      [90, 58, 8],
      [36, 88, 9],
      [84, 92, 6],
      [60, 30, 6],
      [98, 82, 5],
      [20, 72, 5],
    ].map(([x = 0, y = 0, r = 0]) => circle(x, y, r, { fill: colours.shade, opacity: 0.55 })),
  stripes: (_, { colours }) =>
    pair([
      line(
        "M100 46Q90 48 84 44M106 60Q95 64 88 59M108 76Q98 80 90 76M106 92Q96 95 88 92",
        colours.shade,
        5,
      ),
    ]),
  freckles: ({ face }, { colours }) =>
    pair(
      [
        [80, 8],
        [86, 11],
        [83, 15],
        [90, 6],
      ].map(([x = 0, dy = 0]) => circle(x, face + dy, 1.5, { fill: colours.shade })),
    ),
  dipped: (_, { colours }) => [
    path("M0 88Q15 80 30 88T60 88T90 88T120 88V120H0Z", { fill: colours.light }),
  ],
  star: (_, { colours }) => [
    path("M60 80l3.6 7.6 8.2 1-6 5.8 1.5 8.2-7.3-4-7.3 4 1.5-8.2-6-5.8 8.2-1Z", {
      fill: colours.accent,
      stroke: colours.accent,
      "stroke-width": 2,
      "stroke-linejoin": "round",
    }),
  ],
  mask: ({ face }, { colours }) => [
    path(
      `M10 ${face - 16}Q60 ${face - 24} 110 ${face - 16}V${face + 8}Q78 ${face + 16} 60 ${face + 3}Q42 ${face + 16} 10 ${face + 8}Z`,
      { fill: colours.light },
    ),
  ],
  patch: ({ face }, { colours }) => [
    oval(76, face, 17, 16, { fill: colours.shade, opacity: 0.6 }),
    oval(28, 96, 17, 13, { fill: colours.shade, opacity: 0.6 }),
  ],
};

function band([half, y]: Frame["neck"], sag: number): string {
  return `M${60 - half} ${y - 4}Q60 ${y + sag} ${60 + half} ${y - 4}`;
}

export const extras: Record<Appearance["extra"], Draw> = {
  none: () => [],
  scarf: ({ neck }, { colours }) => [
    line(band(neck, 10), colours.accent, 9),
    path(`M${60 + neck[0] * 0.45} ${neck[1] + 1}l11 2-1 19-11-2Z`, {
      fill: colours.accentShade,
      stroke: colours.accentShade,
      "stroke-width": 2,
      "stroke-linejoin": "round",
    }),
  ],
  bow: ({ neck: [, y] }, { colours }) => [
    ...pair([
      path(`M60 ${y + 3}L74 ${y - 5}Q78 ${y + 3} 74 ${y + 11}Z`, {
        fill: colours.accent,
        stroke: colours.accentShade,
        "stroke-width": 2,
        "stroke-linejoin": "round",
      }),
    ]),
    circle(60, y + 3, 4, { fill: colours.accentShade }),
  ],
  bell: ({ neck }, { colours }) => [
    line(band(neck, 10), colours.accentShade, 5),
    circle(60, neck[1] + 8, 6.5, { fill: "#f3c34e" }),
    line(`M54.5 ${neck[1] + 8}h11M60 ${neck[1] + 9}v4`, "#a06f12", 1.8),
  ],
  glasses: ({ face }, { colours }) => [
    ...pair([
      circle(74, face, 11, { fill: "none", stroke: colours.ink, "stroke-width": 2.4 }),
      line(`M85 ${face - 1}L95 ${face - 5}`, colours.ink, 2.2),
    ]),
    line(`M63.5 ${face - 1}Q60 ${face - 4} 56.5 ${face - 1}`, colours.ink, 2.4),
  ],
  flower: ({ ear: [x, y] }, { colours }) => [
    ...[0, 72, 144, 216, 288].map((turn) => {
      const angle = (turn * Math.PI) / 180;
      return circle(
        Number((x - 4 + 5.4 * Math.cos(angle)).toFixed(1)),
        Number((y + 4 + 5.4 * Math.sin(angle)).toFixed(1)),
        4.4,
        { fill: colours.accent },
      );
    }),
    circle(x - 4, y + 4, 3.6, { fill: "#f7d468" }),
  ],
  cap: ({ top }, { colours }) => [
    path(
      `M39 ${top + 9}Q40 ${top - 11} 60 ${top - 11}T81 ${top + 9}Q60 ${top + 2} 39 ${top + 9}Z`,
      { fill: colours.accent },
    ),
    path(`M72 ${top + 4}Q93 ${top + 4} 97 ${top + 12}Q84 ${top + 13} 70 ${top + 8}Z`, {
      fill: colours.accentShade,
    }),
    circle(60, top - 11, 3, { fill: colours.accentShade }),
  ],
  satchel: ({ arm: [x, y] }, { colours }) => [
    line(`M${120 - x + 6} ${y - 14}Q58 ${y + 4} ${x - 16} ${y + 14}`, colours.accentShade, 3.4),
    path(
      `M${x - 24} ${y + 9}h18a3 3 0 0 1 3 3v11a4 4 0 0 1-4 4h-16a4 4 0 0 1-4-4v-11a3 3 0 0 1 3-3Z`,
      { fill: colours.accent, stroke: colours.accentShade, "stroke-width": 2 },
    ),
    line(`M${x - 26} ${y + 16}h22`, colours.accentShade, 2),
  ],
  headphones: ({ ear: [x], top, face }, { colours }) => [
    line(
      `M${124 - x - 10} ${face - 6}C${124 - x - 6} ${top - 12} ${x - 4} ${top - 12} ${x + 6} ${face - 6}`,
      colours.ink,
      3.4,
    ),
    ...pair([
      oval(x + 7, face + 1, 6, 9, {
        fill: colours.accent,
        stroke: colours.accentShade,
        "stroke-width": 2,
      }),
    ]),
  ],
};
