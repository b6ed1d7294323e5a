/** Global keyboard shortcuts. */

import { readPreference } from "../design/preferences";

export const SINGLE_KEYS = "single-keys";

const IS_APPLE = /Mac|iPhone|iPad/.test(navigator.platform);
export const COMMAND_KEY = IS_APPLE ? "⌘" : "Ctrl";

export type Shortcut = { keys: string[]; does: string };

/** Shortcuts by page, as the shortcut sheet shows them. */
export const SHORTCUTS: [string, Shortcut[]][] = [
  [
    "Everywhere",
    [
      { keys: [COMMAND_KEY, "K"], does: "Find anything, do anything" },
      { keys: ["?"], does: "This sheet" },
      { keys: ["N"], does: "New agent" },
      { keys: ["/"], does: "Search the agents" },
      { keys: ["G", "Z"], does: "To the zoo" },
      { keys: ["G", "S"], does: "To servers and tools" },
      { keys: ["Esc"], does: "Close what is open" },
    ],
  ],
  [
    "In the zoo",
    [
      { keys: ["Tab"], does: "To the creatures" },
      { keys: ["←", "→", "↑", "↓"], does: "From one to its neighbour" },
      { keys: ["Enter"], does: "Open its sheet" },
    ],
  ],
  [
    "On the sheet of an agent",
    [{ keys: ["1", "…", "5"], does: "Overview, soul, skills, brain, what is injected" }],
  ],
  ["While trying a tool", [{ keys: [COMMAND_KEY, "Enter"], does: "Run it" }]],
];

export const TABS = ["", "soul", "skills", "brain", "injected"];

/** Maximum time between the two keys of a sequence, in milliseconds. */
const PATIENCE = 1200;

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}

export type ShortcutActions = {
  palette: () => void;
  help: () => void;
  newAgent: () => void;
  search: () => void;
  go: (path: string) => void;
  /** Switch to another tab of the current agent. */
  tab: (index: number) => void;
};

const PLACES: Record<string, string> = { z: "/", s: "/servers" };

/** Listen to keys in the whole window. The returned function removes the listener. */
export function listenToKeys(doings: ShortcutActions): () => void {
  let first: { key: string; at: number } | null = null;

  const single: Record<string, () => void> = {
    "?": doings.help,
    "/": doings.search,
    n: doings.newAgent,
  };

  const press = (event: KeyboardEvent) => {
    const key = event.key.toLowerCase();
    if ((event.ctrlKey || event.metaKey) && !event.altKey && key === "k") {
      event.preventDefault();
      doings.palette();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (isTyping(event.target) || readPreference(SINGLE_KEYS) === "off") return;
    if (document.querySelector("[role=dialog], [role=menu]")) return;
    const isSecond = first?.key === "g" && event.timeStamp - first.at < PATIENCE;
    first = { key, at: event.timeStamp };
    const place = isSecond ? PLACES[key] : undefined;
    const number = Number(key);
    if (place) doings.go(place);
    else if (single[key]) single[key]();
    else if (number >= 1 && number <= TABS.length) doings.tab(number - 1);
    else return;
    event.preventDefault();
  };

  window.addEventListener("keydown", press);
  return () => window.removeEventListener("keydown", press);
}
