/**
 * Where the creatures are, and how they walk. Pure: time and size come from outside, nothing is drawn.
 *
 * Every creature is in a box with its name below it, all boxes have one size, and a step that
 * would make two boxes overlap is not taken. So creatures and names never overlap, whatever happens.
 */

import { createRandom, type Random } from "../creatures/random";

export type Box = { left: number; top: number; right: number; bottom: number };

export type MeadowInhabitant = { id: string; seed: string };

export type Walker = MeadowInhabitant & {
  /** The point between the feet. */
  x: number;
  y: number;
  facing: 1 | -1;
  walking: boolean;
  targetX: number;
  targetY: number;
  /** Time of the next decision, in seconds of the meadow's clock. */
  decidesAt: number;
  /** Walked distance, which drives the animation of the feet. */
  stride: number;
  /** Time until which the creature stands still because of an event. */
  busyUntil: number;
  /** Time at which the creature was added. */
  bornAt: number;
  random: Random;
};

export type MeadowMeasures = {
  width: number;
  height: number;
  /** Side of a creature's square, in pixels. */
  size: number;
  boxWidth: number;
  boxHeight: number;
  /** Creatures stay below this height: above are the sky and the hills. */
  horizon: number;
};

export const LABEL_HEIGHT = 22;
const LARGEST = 112;
const SMALLEST = 58;
const MARGIN = 10;
/** Share of the ground that creatures may occupy, so that they have room to walk. */
const FULLEST = 0.4;
const LONGEST_STEP = 0.05;

function boxOf(size: number) {
  return { boxWidth: Math.max(size * 1.12, 78), boxHeight: size + LABEL_HEIGHT };
}

/** Return the size of the creatures for a number of them, and the height that the meadow needs. */
export function computeMeasures(count: number, width: number, viewHeight: number): MeadowMeasures {
  const horizon = Math.round(Math.min(Math.max(viewHeight * 0.24, 92), 190));
  const ground = width * Math.max(viewHeight - horizon, 60);
  let size = width < 600 ? 84 : LARGEST;
  const needed = () => {
    const { boxWidth, boxHeight } = boxOf(size);
    return (count * boxWidth * boxHeight) / FULLEST;
  };
  while (size > SMALLEST && needed() > ground) size -= 2;
  const height = Math.max(viewHeight, Math.ceil(horizon + needed() / Math.max(width, 1)));
  return { width, height, size, horizon, ...boxOf(size) };
}

export class World {
  measures: MeadowMeasures;
  readonly walkers: Walker[] = [];
  time = 0;
  private readonly byId = new Map<string, Walker>();
  private cells = new Map<number, Walker[]>();
  private obstacles: Box[] = [];

  constructor(measures: MeadowMeasures) {
    this.measures = measures;
  }

  find(id: string): Walker | undefined {
    return this.byId.get(id);
  }

  /** Place all creatures again after the size or the obstacles of the meadow changed. */
  reshape(measures: MeadowMeasures, obstacles: Box[]) {
    const { width, height } = this.measures;
    this.measures = measures;
    this.obstacles = obstacles;
    this.cells = new Map();
    for (const walker of this.walkers) {
      const wanted = {
        x: (walker.x / width) * measures.width,
        y: (walker.y / height) * measures.height,
      };
      this.settle(walker, wanted);
    }
  }

  /** Set the inhabitants. Creatures that are already in the meadow keep their positions. */
  populate(inhabitants: readonly MeadowInhabitant[]) {
    const staying = new Set(inhabitants.map(({ id }) => id));
    for (const walker of this.walkers.filter(({ id }) => !staying.has(id))) this.remove(walker);
    for (const { id, seed } of inhabitants) {
      const known = this.byId.get(id);
      if (known) known.seed = seed;
      else this.add({ id, seed });
    }
  }

  step(seconds: number) {
    const passed = Math.min(seconds, LONGEST_STEP);
    this.time += passed;
    for (const walker of this.walkers) {
      if (walker.busyUntil > this.time) walker.walking = false;
      else if (walker.walking) this.walk(walker, passed);
      else if (this.time >= walker.decidesAt) this.setOut(walker);
    }
  }

  /** Make a creature stand still for some seconds because of an event. */
  attend(id: string, seconds: number) {
    const walker = this.byId.get(id);
    if (walker) walker.busyUntil = this.time + seconds;
  }

  /** Find the creature or name at a point. */
  at(x: number, y: number): Walker | undefined {
    return this.near(x, y).find((walker) => {
      const { left, top, right, bottom } = this.boxAt(walker.x, walker.y);
      return x >= left && x <= right && y >= top && y <= bottom;
    });
  }

  boxAt(x: number, y: number): Box {
    const { boxWidth, size } = this.measures;
    return {
      left: x - boxWidth / 2,
      right: x + boxWidth / 2,
      top: y - size,
      bottom: y + LABEL_HEIGHT,
    };
  }

  private add({ id, seed }: MeadowInhabitant) {
    const random = createRandom(`${id} walks`);
    const { width, height, horizon } = this.measures;
    const walker: Walker = {
      id,
      seed,
      x: 0,
      y: 0,
      facing: random.next() < 0.5 ? -1 : 1,
      walking: false,
      targetX: 0,
      targetY: 0,
      decidesAt: this.time + random.between(0.3, 6),
      stride: random.between(0, 6),
      busyUntil: 0,
      bornAt: this.time,
      random,
    };
    this.byId.set(id, walker);
    this.walkers.push(walker);
    this.settle(walker, { x: random.between(0, width), y: random.between(horizon, height) });
  }

  private remove(walker: Walker) {
    this.byId.delete(walker.id);
    this.walkers.splice(this.walkers.indexOf(walker), 1);
    this.leaveCell(walker);
  }

  private settle(walker: Walker, wanted: { x: number; y: number }) {
    const place = this.freePlaceNear(wanted.x, wanted.y, walker);
    walker.x = place.x;
    walker.y = place.y;
    walker.walking = false;
    this.enterCell(walker);
  }

  /** Find the free position nearest to a point, on a grid of half a creature's box. */
  private freePlaceNear(x: number, y: number, walker: Walker): { x: number; y: number } {
    const clamped = this.clamp(x, y);
    if (this.isFree(clamped.x, clamped.y, walker)) return clamped;
    const { boxWidth, boxHeight, width, height } = this.measures;
    let best = clamped;
    let distance = Number.POSITIVE_INFINITY;
    const first = this.clamp(0, 0);
    for (let py = first.y; py <= height; py += boxHeight / 2) {
      for (let px = first.x; px <= width; px += boxWidth / 2) {
        const away = (px - clamped.x) ** 2 + (py - clamped.y) ** 2;
        if (away < distance && this.isInside(px, py) && this.isFree(px, py, walker)) {
          best = { x: px, y: py };
          distance = away;
        }
      }
    }
    return best;
  }

  private setOut(walker: Walker) {
    const { size } = this.measures;
    const angle = walker.random.between(0, 2 * Math.PI);
    const far = walker.random.between(size * 0.9, size * 3.2);
    const target = this.clamp(
      walker.x + Math.cos(angle) * far,
      walker.y + Math.sin(angle) * far * 0.6,
    );
    walker.targetX = target.x;
    walker.targetY = target.y;
    walker.walking = true;
  }

  private walk(walker: Walker, passed: number) {
    const dx = walker.targetX - walker.x;
    const dy = walker.targetY - walker.y;
    const distance = Math.hypot(dx, dy);
    const reach = this.measures.size * 0.42 * passed;
    if (
      distance <= reach ||
      !this.advance(walker, (dx / distance) * reach, (dy / distance) * reach)
    ) {
      walker.walking = false;
      walker.decidesAt = this.time + walker.random.between(1.2, 6.5);
      return;
    }
    walker.stride += reach;
    if (Math.abs(dx) > 2) walker.facing = dx > 0 ? 1 : -1;
  }

  /** Take a step. If another creature blocks one axis, move along the other only. */
  private advance(walker: Walker, dx: number, dy: number): boolean {
    return [
      [dx, dy],
      [dx, 0],
      [0, dy],
    ].some(([stepX = 0, stepY = 0]) => {
      if (Math.abs(stepX) + Math.abs(stepY) < 0.01) return false;
      const x = walker.x + stepX;
      const y = walker.y + stepY;
      if (!this.isInside(x, y) || !this.isFree(x, y, walker)) return false;
      this.leaveCell(walker);
      walker.x = x;
      walker.y = y;
      this.enterCell(walker);
      return true;
    });
  }

  private clamp(x: number, y: number): { x: number; y: number } {
    const { width, height, boxWidth, size, horizon } = this.measures;
    const side = boxWidth / 2 + MARGIN;
    const top = horizon + size * 0.55;
    const bottom = height - LABEL_HEIGHT - MARGIN;
    return {
      x: Math.min(Math.max(x, side), Math.max(side, width - side)),
      y: Math.min(Math.max(y, top), Math.max(top, bottom)),
    };
  }

  private isInside(x: number, y: number): boolean {
    const clamped = this.clamp(x, y);
    return clamped.x === x && clamped.y === y;
  }

  private isFree(x: number, y: number, walker: Walker): boolean {
    const { boxWidth, boxHeight } = this.measures;
    const alone = this.near(x, y).every(
      (other) =>
        other === walker || Math.abs(other.x - x) >= boxWidth || Math.abs(other.y - y) >= boxHeight,
    );
    return alone && !this.obstacles.some((obstacle) => overlaps(obstacle, this.boxAt(x, y)));
  }

  private near(x: number, y: number): Walker[] {
    const { boxWidth, boxHeight } = this.measures;
    const column = Math.floor(x / boxWidth);
    const row = Math.floor(y / boxHeight);
    const found: Walker[] = [];
    for (let c = column - 1; c <= column + 1; c += 1) {
      for (let r = row - 1; r <= row + 1; r += 1)
        found.push(...(this.cells.get(cellKey(c, r)) ?? []));
    }
    return found;
  }

  private keyOf({ x, y }: Walker): number {
    const { boxWidth, boxHeight } = this.measures;
    return cellKey(Math.floor(x / boxWidth), Math.floor(y / boxHeight));
  }

  private enterCell(walker: Walker) {
    const key = this.keyOf(walker);
    const cell = this.cells.get(key);
    if (cell) cell.push(walker);
    else this.cells.set(key, [walker]);
  }

  private leaveCell(walker: Walker) {
    const cell = this.cells.get(this.keyOf(walker));
    cell?.splice(cell.indexOf(walker), 1);
  }
}

function cellKey(column: number, row: number): number {
  return (row + 8) * 4096 + column + 8;
}

export function overlaps(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
