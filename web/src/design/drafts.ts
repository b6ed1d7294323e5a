/** Unsaved texts, kept in the browser until the server has saved them. */

import { useCallback, useMemo } from "react";
import { usePreference } from "./preferences";

type Stored<T> = {
  /** The text on the server when the user began to edit. Changes are relative to it. */
  base: T;
  value: T;
};

export type Draft<T> = {
  value: T;
  /**
   * The text on the server when the user began to edit, or the current one if there is no draft.
   */
  base: T;
  isDirty: boolean;
  change: (changes: Partial<T>) => void;
  /** Remove the draft after it was saved or discarded. */
  discard: () => void;
};

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function readStored<T>(text: string | null): Stored<T> | null {
  if (text === null) return null;
  try {
    return JSON.parse(text) as Stored<T>;
  } catch {
    return null;
  }
}

/**
 * Return the draft of `saved` under a name that is unique in this browser, or `saved` if nothing
 * was changed.
 */
export function useDraft<T extends object>(name: string, saved: T): Draft<T> {
  const [text, write] = usePreference(`draft:${name}`);
  const stored = useMemo(() => readStored<T>(text), [text]);
  const value = stored?.value ?? saved;
  const base = stored?.base ?? saved;

  const change = useCallback(
    (changes: Partial<T>) => {
      const next = { ...value, ...changes };
      write(same(next, base) ? null : JSON.stringify({ base, value: next }));
    },
    [base, value, write],
  );
  const discard = useCallback(() => write(null), [write]);
  return { value, base, isDirty: stored !== null && !same(value, saved), change, discard };
}
