/** Texts that are being written, kept in the browser until the server has them. */

import { useCallback, useMemo } from "react";
import { usePreference } from "./preferences";

type Stored<T> = {
  /** What the server had when the writing began: what changes are relative to. */
  base: T;
  value: T;
};

export type Draft<T> = {
  value: T;
  /** What the server had when the writing began; what it has, when nothing was written. */
  base: T;
  isDirty: boolean;
  change: (changes: Partial<T>) => void;
  /** Saved, or no longer wanted. */
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

/** A draft of `saved` under a name that is unique in this browser; without changes it is `saved`. */
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
