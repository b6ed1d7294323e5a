/** Preferences of the user for this browser, kept in local storage and shared by all windows. */

import { useCallback, useSyncExternalStore } from "react";

const PREFIX = "paddock:";
const listeners = new Set<() => void>();

/** If local storage is forbidden or full, a preference lasts as long as the page. */
const unsaved = new Map<string, string>();

export function readPreference(name: string): string | null {
  try {
    return unsaved.get(name) ?? localStorage.getItem(PREFIX + name);
  } catch {
    return unsaved.get(name) ?? null;
  }
}

export function writePreference(name: string, value: string | null) {
  unsaved.delete(name);
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
  } catch {
    if (value !== null) unsaved.set(name, value);
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  window.addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", listener);
  };
}

export function usePreference(name: string): [string | null, (value: string | null) => void] {
  const value = useSyncExternalStore(subscribe, () => readPreference(name));
  const write = useCallback((next: string | null) => writePreference(name, next), [name]);
  return [value, write];
}
