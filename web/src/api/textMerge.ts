/** Three-way merge of texts, line by line. */

import { diff3Merge } from "node-diff3";

export type MergeResult = {
  text: string;
  /** Whether the merge needs no review: the changes were in different lines, or identical. */
  clean: boolean;
};

const MINE = "<<<<<<< yours";
const BETWEEN = "=======";
const THEIRS = ">>>>>>> theirs";

/** Merge two changes of a text. Where they conflict, keep both between conflict markers. */
export function mergeTexts(base: string, mine: string, theirs: string): MergeResult {
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
