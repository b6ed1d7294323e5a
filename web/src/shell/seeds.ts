/** Seeds are any text: one that nobody has typed gives a look that nobody has chosen. */
export function freshSeed(): string {
  const numbers = crypto.getRandomValues(new Uint32Array(2));
  return `look-${[...numbers].map((number) => number.toString(36)).join("")}`;
}
