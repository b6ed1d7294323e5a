/** Which commands a few typed letters mean, the best first. */

export type Command = {
  id: string;
  title: string;
  /** What else it can be found by. */
  words: string;
  group: string;
  run: () => void;
  /** The seed of the creature that is shown beside it. */
  seed?: string;
};

const MOST = 60;

/** Lower is better; null when it is not meant. */
function distance({ title, words }: Command, wanted: string[]): number | null {
  const name = title.toLocaleLowerCase();
  const all = `${name} ${words.toLocaleLowerCase()}`;
  let sum = 0;
  for (const word of wanted) {
    if (!all.includes(word)) return null;
    if (name.startsWith(word)) continue;
    sum += name.includes(` ${word}`) ? 1 : name.includes(word) ? 2 : 4;
  }
  return sum;
}

export function meant(commands: readonly Command[], typed: string): Command[] {
  const wanted = typed.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return commands
    .flatMap((command) => {
      const found = distance(command, wanted);
      return found === null ? [] : [{ command, found }];
    })
    .sort((one, other) => one.found - other.found)
    .slice(0, MOST)
    .map(({ command }) => command);
}
