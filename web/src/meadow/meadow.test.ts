import { expect, test } from "vitest";
import { computeMeasures, overlaps, World } from "./meadow";

const WIDTH = 1200;
const VIEW = 700;

function inhabitants(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    id: `agent ${index}`,
    seed: `seed ${index}`,
  }));
}

function worldOf(count: number, obstacles: Parameters<World["reshape"]>[1] = []) {
  const measures = computeMeasures(count, WIDTH, VIEW);
  const world = new World(measures);
  world.reshape(measures, obstacles);
  world.populate(inhabitants(count));
  return world;
}

function pairsThatOverlap(world: World) {
  const boxes = world.walkers.map(({ id, x, y }) => ({ id, box: world.boxAt(x, y) }));
  return boxes.flatMap((one, index) =>
    boxes
      .slice(index + 1)
      .filter((other) => overlaps(one.box, other.box))
      .map((other) => [one.id, other.id]),
  );
}

test.each([1, 31, 200])("%i creatures walk for a minute and never overlap", (count) => {
  const world = worldOf(count);
  const starts = world.walkers.map(({ x, y }) => ({ x, y }));
  for (let frame = 0; frame < 3600; frame += 1) {
    world.step(1 / 60);
    if (frame % 120 === 0) expect(pairsThatOverlap(world)).toEqual([]);
  }
  const moved = world.walkers.filter(
    ({ x, y }, index) => x !== starts[index]?.x || y !== starts[index]?.y,
  );
  expect(moved.length).toBeGreaterThan(count * 0.8);
});

test("1,000 creatures find a place each in a world that grows for them", () => {
  const world = worldOf(1000);
  expect(world.walkers).toHaveLength(1000);
  expect(pairsThatOverlap(world)).toEqual([]);
  expect(world.measures.height).toBeGreaterThan(VIEW);
});

test("no creature is in the pond or in the sky", () => {
  const pond = { left: 300, top: 350, right: 700, bottom: 520 };
  const world = worldOf(40, [pond]);
  for (let frame = 0; frame < 1200; frame += 1) world.step(1 / 60);
  expect(world.walkers.filter(({ x, y }) => overlaps(pond, world.boxAt(x, y)))).toEqual([]);
  expect(world.walkers.filter(({ y }) => y < world.measures.horizon)).toEqual([]);
});

test("a newcomer does not move those who are there, and who leaves is gone", () => {
  const world = worldOf(5);
  const before = world.walkers.map(({ id, x, y }) => ({ id, x, y }));
  world.populate([...inhabitants(5), { id: "new", seed: "new" }]);
  expect(world.walkers.slice(0, 5).map(({ id, x, y }) => ({ id, x, y }))).toEqual(before);
  expect(world.find("new")).toBeDefined();
  world.populate(inhabitants(2));
  expect(world.walkers.map(({ id }) => id)).toEqual(["agent 0", "agent 1"]);
  expect(world.find("new")).toBeUndefined();
});

test("a smaller window puts no creature on top of another", () => {
  const world = worldOf(40);
  world.reshape(computeMeasures(40, 360, 500), []);
  expect(pairsThatOverlap(world)).toEqual([]);
  expect(Math.max(...world.walkers.map(({ x }) => x))).toBeLessThan(360);
});

test("who is busy stands still until it is over", () => {
  const world = worldOf(1);
  const [walker] = world.walkers;
  world.attend("agent 0", 2);
  const start = { x: walker?.x, y: walker?.y };
  for (let frame = 0; frame < 110; frame += 1) world.step(1 / 60);
  expect({ x: walker?.x, y: walker?.y }).toEqual(start);
  for (let frame = 0; frame < 900; frame += 1) world.step(1 / 60);
  expect({ x: walker?.x, y: walker?.y }).not.toEqual(start);
});

test("a point on a creature finds it, and a point on the grass finds none", () => {
  const world = worldOf(1);
  const walker = world.walkers[0];
  expect(walker && world.at(walker.x, walker.y - 20)).toBe(walker);
  expect(walker && world.at(walker.x + world.measures.boxWidth, walker.y)).toBeUndefined();
});
