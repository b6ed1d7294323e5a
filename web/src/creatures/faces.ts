/** Eyes and mouths, relative to the point between the eyes. */

import type { Appearance } from "./appearance";
import { circle, line, mirrorShapes, oval, pair, path, type Shape } from "./shapes";

export type Mood = "awake" | "asleep" | "happy";

type Draw = (y: number, look: Appearance) => Shape[];

const WHITE = "#fffdf9";

function pupil(x: number, y: number, radius: number, ink: string): Shape[] {
  return [
    circle(x, y, radius, { fill: ink }),
    circle(x + radius * 0.35, y - radius * 0.4, radius * 0.34, { fill: WHITE }),
  ];
}

function ball(x: number, y: number, radius: number, ink: string): Shape[] {
  return [circle(x, y, radius, { fill: WHITE }), ...pupil(x, y + 0.6, radius * 0.62, ink)];
}

const AWAKE: Record<Appearance["eyes"], Draw> = {
  dots: (y, { colours }) =>
    pair([circle(74, y, 4.2, { fill: colours.ink }), circle(75.4, y - 1.5, 1.4, { fill: WHITE })]),
  round: (y, { colours }) => [
    ...ball(46.5, y, 8.6, colours.ink),
    ...ball(73.5, y, 8.6, colours.ink),
  ],
  sleepy: (y, look) => [
    ...AWAKE.round(y, look),
    ...pair([path(`M64.4 ${y}A9.1 9.1 0 0 1 82.6 ${y}Z`, { fill: look.colours.shade })]),
  ],
  merry: (y, { colours }) =>
    pair([line(`M67 ${y + 2}Q73.5 ${y - 7} 80 ${y + 2}`, colours.ink, 3.2)]),
  tall: (y, { colours }) =>
    pair([oval(73, y, 4.6, 7.4, { fill: colours.ink }), circle(74.6, y - 3, 1.9, { fill: WHITE })]),
  single: (y, { colours }) => ball(60, y - 1, 12.5, colours.ink),
  three: (y, { colours }) => [
    ...ball(42, y + 1, 6.4, colours.ink),
    ...ball(60, y - 4, 7.4, colours.ink),
    ...ball(78, y + 1, 6.4, colours.ink),
  ],
  starry: (y, { colours }) =>
    [46.5, 73.5].flatMap((x) => [
      circle(x, y, 7.6, { fill: colours.ink }),
      circle(x + 2.4, y - 2.6, 2.5, { fill: WHITE }),
      circle(x - 2.6, y + 2.4, 1.5, { fill: WHITE }),
    ]),
  sideways: (y, { colours }) =>
    [46.5, 73.5].flatMap((x) => [
      circle(x, y, 8, { fill: WHITE }),
      circle(x + 3, y + 0.5, 4.6, { fill: colours.ink }),
      circle(x + 4.4, y - 1.2, 1.5, { fill: WHITE }),
    ]),
  wide: (y, { colours }) => [
    ...ball(41, y, 7, colours.ink),
    ...ball(79, y, 7, colours.ink),
    ...pair([line(`M73 ${y - 10}Q79 ${y - 13} 85 ${y - 10}`, colours.shade, 2.6)]),
  ],
};

/** Distances of the eyes from the middle, for drawing closed eyes. */
const PLACES: Partial<Record<Appearance["eyes"], readonly number[]>> = {
  single: [0],
  three: [-18, 0, 18],
  wide: [-19, 19],
};

function closed(y: number, look: Appearance, bend: number): Shape[] {
  const places = PLACES[look.eyes] ?? [-13.5, 13.5];
  const reach = look.eyes === "single" ? 10 : 6;
  return places.map((offset) => {
    const x = 60 + offset;
    return line(`M${x - reach} ${y}Q${x} ${y + bend} ${x + reach} ${y}`, look.colours.ink, 3);
  });
}

export function eyes(y: number, look: Appearance, mood: Mood): Shape[] {
  if (mood === "asleep") return closed(y, look, 6);
  if (mood === "happy") return closed(y + 2, look, -9);
  return AWAKE[look.eyes](y, look);
}

const MOUTHS: Record<Appearance["mouth"], Draw> = {
  smile: (y, { colours }) => [line(`M53 ${y}Q60 ${y + 7} 67 ${y}`, colours.ink, 2.8)],
  cat: (y, { colours }) => [
    line(`M52 ${y}Q56 ${y + 5} 60 ${y}Q64 ${y + 5} 68 ${y}`, colours.ink, 2.6),
  ],
  oh: (y, { colours }) => [oval(60, y + 2, 3.4, 4.2, { fill: colours.ink })],
  tooth: (y, { colours }) => [
    path(`M61 ${y + 1.6}h5.6v4.6a2 2 0 0 1-2 2h-1.6a2 2 0 0 1-2-2Z`, { fill: WHITE }),
    line(`M51 ${y}Q60 ${y + 4.5} 69 ${y}`, colours.ink, 2.8),
  ],
  wave: (y, { colours }) => [line(`M50 ${y + 1}q3.4 4 6.8 0t6.8 0t6.6 0`, colours.ink, 2.6)],
  beak: (y, { colours }) => [
    path(`M52 ${y - 3}Q60 ${y - 7} 68 ${y - 3}Q64 ${y + 7} 60 ${y + 8}Q56 ${y + 7} 52 ${y - 3}Z`, {
      fill: colours.accent,
      stroke: colours.accentShade,
      "stroke-width": 1.6,
    }),
    line(`M53.5 ${y - 0.4}Q60 ${y + 2} 66.5 ${y - 0.4}`, colours.accentShade, 1.8),
  ],
  tongue: (y, { colours }) => [
    path(`M58 ${y + 2}h8v4a4 4 0 0 1-8 0Z`, { fill: colours.blush }),
    line(`M51 ${y}Q60 ${y + 6} 69 ${y}`, colours.ink, 2.8),
  ],
  snout: (y, { colours }) => [
    oval(60, y + 1, 11, 7.5, { fill: colours.light }),
    ...pair([oval(64, y, 1.8, 2.6, { fill: colours.shade })]),
  ],
  grin: (y, { colours }) => [
    path(`M50 ${y - 1}Q60 ${y + 2} 70 ${y - 1}Q69 ${y + 10} 60 ${y + 10}T50 ${y - 1}Z`, {
      fill: colours.ink,
    }),
    path(`M55 ${y + 7}Q60 ${y + 3.5} 65 ${y + 7}Q63 ${y + 10} 60 ${y + 10}T55 ${y + 7}Z`, {
      fill: colours.blush,
    }),
  ],
};

export function mouth(y: number, look: Appearance): Shape[] {
  return MOUTHS[look.mouth](y, look);
}

export function cheeks(y: number, look: Appearance): Shape[] {
  const cheek = oval(84, y, 5, 3.2, { fill: look.colours.blush, opacity: 0.5 });
  return [cheek, mirrorShapes([cheek])];
}
