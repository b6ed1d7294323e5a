/** Seeds of appearances. A seed can be any text; a random seed gives a random appearance. */
export function createRandomSeed(): string {
  const numbers = crypto.getRandomValues(new Uint32Array(2));
  return `look-${[...numbers].map((number) => number.toString(36)).join("")}`;
}
