/**
 * Outlines of bodies in a square of 120 units with the ground at 104, and the points where other
 * parts attach.
 */

import type { Appearance } from "./appearance";

export type Frame = {
  outline: string;
  /** The highest point on the middle line. */
  top: number;
  /** The point where the right ear or horn grows: x, y, and its outward angle in degrees. */
  ear: readonly [number, number, number];
  /** The height of the eyes. */
  face: number;
  /** The points where the tail and the right arm begin. */
  tail: readonly [number, number];
  arm: readonly [number, number];
  /** Half the width and the height of the neck, for scarves and similar things. */
  neck: readonly [number, number];
};

function scalloped(): string {
  const bumps = 13;
  const points = Array.from({ length: bumps }, (_, index) => {
    const angle = (index / bumps) * 2 * Math.PI - Math.PI / 2;
    return [60 + 36 * Math.cos(angle), 67 + 34 * Math.sin(angle)] as const;
  });
  const [start] = points.slice(-1);
  const arcs = points.map(([x, y]) => `A9.6 9.6 0 0 1 ${x.toFixed(1)} ${y.toFixed(1)}`);
  return start ? `M${start[0].toFixed(1)} ${start[1].toFixed(1)}${arcs.join("")}Z` : "";
}

export const FRAMES: Record<Appearance["body"], Frame> = {
  pebble: {
    outline: "M17 75C17 45 36 31 60 31S103 45 103 75C103 97 88 104 60 104S17 97 17 75Z",
    top: 31,
    ear: [82, 40, 26],
    face: 62,
    tail: [99, 84],
    arm: [98, 76],
    neck: [41, 86],
  },
  pear: {
    outline:
      "M60 23C77 23 80 40 85 55C90 68 99 75 99 87C99 101 82 104 60 104S21 101 21 87C21 75 30 68 35 55C40 40 43 23 60 23Z",
    top: 23,
    ear: [73, 30, 18],
    face: 50,
    tail: [95, 92],
    arm: [88, 70],
    neck: [30, 70],
  },
  bean: {
    outline: "M60 19C85 19 91 43 89 66C87 93 82 104 60 104S33 93 31 66C29 43 35 19 60 19Z",
    top: 19,
    ear: [77, 27, 20],
    face: 50,
    tail: [86, 86],
    arm: [88, 72],
    neck: [28, 76],
  },
  dumpling: {
    outline:
      "M60 33C67 27 75 36 85 46C99 58 107 73 102 89C98 102 80 104 60 104S22 102 18 89C13 73 21 58 35 46C45 36 53 27 60 33Z",
    top: 32,
    ear: [79, 40, 30],
    face: 66,
    tail: [101, 88],
    arm: [98, 76],
    neck: [41, 88],
  },
  loaf: {
    outline: "M23 58C23 37 38 31 60 31S97 37 97 58L99 88C99 101 87 104 60 104S21 101 21 88Z",
    top: 31,
    ear: [82, 36, 18],
    face: 59,
    tail: [98, 86],
    arm: [97, 74],
    neck: [37, 82],
  },
  drop: {
    outline: "M60 15C67 31 95 52 95 78C95 96 80 104 60 104S25 96 25 78C25 52 53 31 60 15Z",
    top: 16,
    ear: [78, 45, 34],
    face: 66,
    tail: [91, 88],
    arm: [92, 76],
    neck: [34, 86],
  },
  cloud: {
    outline:
      "M31 101C13 102 11 80 24 74C15 58 30 43 43 48C47 29 73 29 77 48C90 43 105 58 96 74C109 80 107 102 89 101C80 106 40 106 31 101Z",
    top: 34,
    ear: [80, 46, 28],
    face: 64,
    tail: [101, 88],
    arm: [98, 74],
    neck: [37, 86],
  },
  turnip: {
    outline: "M60 27C89 27 101 45 97 62C92 85 82 104 60 104S28 85 23 62C19 45 31 27 60 27Z",
    top: 27,
    ear: [83, 35, 28],
    face: 56,
    tail: [86, 88],
    arm: [94, 68],
    neck: [32, 80],
  },
  gumdrop: {
    outline: "M60 25C83 25 87 50 93 76C97 95 95 104 60 104S23 95 27 76C33 50 37 25 60 25Z",
    top: 25,
    ear: [76, 33, 20],
    face: 56,
    tail: [94, 90],
    arm: [90, 72],
    neck: [31, 78],
  },
  wobble: {
    outline: "M55 27C80 22 100 46 100 70C102 95 84 104 58 104S18 95 20 72C22 48 34 31 55 27Z",
    top: 26,
    ear: [80, 35, 24],
    face: 59,
    tail: [96, 88],
    arm: [98, 74],
    neck: [38, 84],
  },
  fluff: {
    outline: scalloped(),
    top: 25,
    ear: [80, 35, 26],
    face: 60,
    tail: [99, 82],
    arm: [100, 72],
    neck: [40, 86],
  },
};
