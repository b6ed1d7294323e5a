/** Fuzzy matching of commands. */

export type Command = {
  id: string;
  title: string;
  /** Further words that match the command. */
  words: string;
  group: string;
  run: () => void;
  /** The seed of the creature shown beside the command. */
  seed?: string;
};

const MOST = 60;

/** Return the rank of a match, lower is better, or null without a match. */
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
