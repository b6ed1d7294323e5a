/** Two changes of one text, brought together line by line. */

import { diff3Merge } from "node-diff3";

export type Merged = {
  text: string;
  /** Whether the merge needs no review: the changes were in different lines, or identical. */
  clean: boolean;
};

const MINE = "<<<<<<< yours";
const BETWEEN = "=======";
const THEIRS = ">>>>>>> theirs";

/** Where the changes meet, both are kept, with marks around them. */
export function mergeTexts(base: string, mine: string, theirs: string): Merged {
  const blocks = diff3Merge(mine.split("\n"), base.split("\n"), theirs.split("\n"));
  const lines: string[] = [];
  let clean = true;
  for (const block of blocks) {
    if (block.conflict) {
      clean = false;
      lines.push(MINE, ...block.conflict.a, BETWEEN, ...block.conflict.b, THEIRS);
    } else {
      lines.push(...(block.ok ?? []));
    }
  }
  return { text: lines.join("\n"), clean };
}
