/** Reproducible random numbers: the same seed gives the same numbers on every machine. */

/** Return a 32-bit hash of a text (FNV-1a over its UTF-16 units, with a final mix). */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

export type Random = {
  /** Return a number from 0 up to, but not including, 1. */
  next: () => number;
  between: (low: number, high: number) => number;
  pick: <T>(choices: readonly T[]) => T;
};

/** Return a mulberry32 generator: small, fast, and random enough for appearances and walks. */
export function createRandom(seed: string): Random {
  let state = hashText(seed);
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return {
    next,
    between: (low, high) => low + next() * (high - low),
    pick: <T>(choices: readonly T[]) => choices[Math.floor(next() * choices.length)] as T,
  };
}
