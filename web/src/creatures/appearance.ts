/** The appearance of a creature, derived from its seed alone. `drawing` draws it. */

import { createRandom } from "./random";

export const BODIES = [
  "pebble",
  "pear",
  "bean",
  "dumpling",
  "loaf",
  "drop",
  "cloud",
  "turnip",
  "gumdrop",
  "wobble",
  "fluff",
] as const;
export const EYES = [
  "dots",
  "round",
  "sleepy",
  "merry",
  "tall",
  "single",
  "three",
  "starry",
  "sideways",
  "wide",
] as const;
export const MOUTHS = [
  "smile",
  "cat",
  "oh",
  "tooth",
  "wave",
  "beak",
  "tongue",
  "snout",
  "grin",
] as const;
export const CROWNS = [
  "bare",
  "round ears",
  "pointed ears",
  "floppy ears",
  "stub horns",
  "feelers",
  "sprout",
  "crest",
  "antlers",
  "tuft",
  "ram horns",
  "long ears",
] as const;
export const TAILS = ["none", "curl", "puff", "fish", "arrow", "brush", "leaf"] as const;
export const ARMS = ["none", "nubs", "wings", "raised"] as const;
export const PATTERNS = [
  "plain",
  "belly",
  "spots",
  "stripes",
  "freckles",
  "dipped",
  "star",
  "mask",
  "patch",
] as const;
export const EXTRAS = [
  "none",
  "scarf",
  "bow",
  "bell",
  "glasses",
  "flower",
  "cap",
  "satchel",
  "headphones",
  "none",
] as const;
/** Factors for the width and height of the drawn body. */
const BUILDS = [
  [0.92, 1.04],
  [1, 1],
  [1.06, 0.94],
  [0.96, 0.95],
] as const;
/** Lightness and chroma of the coat, in OKLCH. */
const COATS = [
  [0.86, 0.085],
  [0.79, 0.115],
  [0.72, 0.125],
  [0.64, 0.115],
  [0.9, 0.05],
] as const;
const HUES = 24;

export type Colours = {
  coat: string;
  shade: string;
  light: string;
  accent: string;
  accentShade: string;
  ink: string;
  blush: string;
};

export type Appearance = {
  body: (typeof BODIES)[number];
  eyes: (typeof EYES)[number];
  mouth: (typeof MOUTHS)[number];
  crown: (typeof CROWNS)[number];
  tail: (typeof TAILS)[number];
  arms: (typeof ARMS)[number];
  pattern: (typeof PATTERNS)[number];
  extra: (typeof EXTRAS)[number];
  build: (typeof BUILDS)[number];
  colours: Colours;
};

function oklch(lightness: number, chroma: number, hue: number): string {
  return `oklch(${lightness.toFixed(3)} ${chroma.toFixed(3)} ${Math.round(hue) % 360})`;
}

function coloursOf(
  hue: number,
  accentTurn: number,
  [lightness, chroma]: readonly [number, number],
): Colours {
  const accent = hue + accentTurn;
  return {
    coat: oklch(lightness, chroma, hue),
    shade: oklch(lightness - 0.17, chroma + 0.015, hue),
    light: oklch(Math.min(lightness + 0.1, 0.97), chroma * 0.42, hue),
    accent: oklch(0.78, 0.13, accent),
    accentShade: oklch(0.62, 0.13, accent),
    ink: oklch(0.26, 0.035, hue),
    blush: oklch(0.74, 0.13, 18),
  };
}

/** Return the appearance for a seed. The same text always gives the same appearance. */
export function createAppearance(seed: string): Appearance {
  const random = createRandom(seed);
  const hue = Math.floor(random.next() * HUES) * (360 / HUES);
  return {
    body: random.pick(BODIES),
    colours: coloursOf(hue, random.pick([70, 130, 180, 220, 290]), random.pick(COATS)),
    eyes: random.pick(EYES),
    mouth: random.pick(MOUTHS),
    crown: random.pick(CROWNS),
    tail: random.pick(TAILS),
    arms: random.pick(ARMS),
    pattern: random.pick(PATTERNS),
    extra: random.pick(EXTRAS),
    build: random.pick(BUILDS),
  };
}
