/** Scenery of the meadow. Positions depend on the size of the meadow. */

import { createRandom, type Random } from "../creatures/random";
import type { Box, MeadowMeasures } from "./meadow";

export type SceneryItem =
  | { kind: "clearing"; x: number; y: number; width: number; height: number }
  | { kind: "pond"; x: number; y: number; width: number; height: number }
  | { kind: "tree"; x: number; y: number; height: number; crown: number }
  | { kind: "stone"; x: number; y: number; width: number }
  | { kind: "flowers"; x: number; y: number; petal: number; count: number }
  | { kind: "grass"; x: number; y: number; height: number };

export type Scenery = { things: SceneryItem[]; obstacles: Box[] };

/** Height of one section of the meadow. Further sections below repeat it with other scenery. */
const STRETCH = 720;

function pondIn(random: Random, width: number, top: number, height: number): SceneryItem {
  const side = random.next() < 0.5 ? 0.2 : 0.76;
  return {
    kind: "pond",
    x: width * side,
    y: top + height * random.between(0.5, 0.7),
    width: Math.min(width * 0.2, 250),
    height: Math.min(width * 0.08, 92),
  };
}

function strewn(count: number, make: () => SceneryItem): SceneryItem[] {
  return Array.from({ length: Math.round(count) }, make);
}

function isDry(thing: SceneryItem, ponds: SceneryItem[]): boolean {
  return ponds.every((pond) => {
    if (pond.kind !== "pond") return true;
    const across = (thing.x - pond.x) / (pond.width / 2 + 14);
    const down = (thing.y - pond.y) / (pond.height / 2 + 14);
    return across ** 2 + down ** 2 > 1;
  });
}

/** Trees stay at the sides, so that the middle is open ground. */
function treesIn(random: Random, width: number, top: number, height: number): SceneryItem[] {
  return strewn(Math.min(width / 420, 4), () => {
    const left = random.next() < 0.5;
    return {
      kind: "tree",
      x: left ? random.between(16, width * 0.1) : random.between(width * 0.9, width - 16),
      y: top + random.between(0.08, 0.98) * height,
      height: random.between(88, 128),
      crown: Math.floor(random.between(0, 3)),
    };
  });
}

function stretch(
  random: Random,
  { width }: MeadowMeasures,
  top: number,
  height: number,
): SceneryItem[] {
  const roomy = width >= 720 && height >= 330;
  const ponds = roomy ? [pondIn(random, width, top, height)] : [];
  const area = (width * height) / 100_000;
  const somewhere = () => ({
    x: random.between(0, width),
    y: top + random.between(0.02, 1) * height,
  });
  const plants = [
    ...strewn(area * 5, () => ({
      kind: "grass",
      ...somewhere(),
      height: random.between(7, 13),
    })),
    ...strewn(area * 1.6, () => ({
      kind: "flowers",
      ...somewhere(),
      petal: Math.floor(random.between(0, 4)),
      count: Math.floor(random.between(2, 6)),
    })),
    ...strewn(area * 0.3, () => ({
      kind: "stone",
      ...somewhere(),
      width: random.between(14, 34),
    })),
  ] as SceneryItem[];
  return [
    ...strewn(area * 0.5, () => ({
      kind: "clearing",
      ...somewhere(),
      width: random.between(160, 420),
      height: random.between(50, 120),
    })),
    ...ponds,
    ...plants.filter((plant) => isDry(plant, ponds)),
    ...(roomy ? treesIn(random, width, top, height).filter((tree) => isDry(tree, ponds)) : []),
  ];
}

function inTheWay(thing: SceneryItem): Box[] {
  if (thing.kind === "pond") {
    const { x, y, width, height } = thing;
    return [
      { left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 },
    ];
  }
  if (thing.kind === "tree") {
    const { x, y, height } = thing;
    return [{ left: x - height * 0.36, right: x + height * 0.36, top: y - height, bottom: y + 4 }];
  }
  return [];
}

export function sceneryFor(measures: MeadowMeasures): Scenery {
  const random = createRandom(`meadow ${measures.width}`);
  const things: SceneryItem[] = [];
  for (let top = measures.horizon; top < measures.height; top += STRETCH) {
    things.push(...stretch(random, measures, top, Math.min(STRETCH, measures.height - top)));
  }
  const flat = things.filter(({ kind }) => kind === "clearing" || kind === "pond");
  const upright = things.filter((thing) => !flat.includes(thing)).sort((a, b) => a.y - b.y);
  return { things: [...flat, ...upright], obstacles: things.flatMap(inTheWay) };
}
