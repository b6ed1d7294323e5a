import { useMemo } from "react";
import { useNavigate } from "react-router";
import { useSummaries } from "../api/queries";
import { encodeServerName, useServers } from "../api/servers";
import { useTheme } from "../design/theme";
import type { Command } from "./fuzzyMatch";

export type DialogOpeners = { onNew: () => void; onImport: () => void; onHelp: () => void };

const PAGES = [
  ["/", "To the zoo", "meadow creatures home"],
  ["/servers", "To servers & tools", "mcp engines extensions clients"],
  ["/start", "First steps", "guide starters connect install begin help"],
] as const;

/** Return all commands that are available everywhere. */
export function useCommands({ onNew, onImport, onHelp }: DialogOpeners): Command[] {
  const navigate = useNavigate();
  const { data: agents } = useSummaries();
  const { data: servers } = useServers();
  const { choose } = useTheme();
  return useMemo(() => {
    const go = (path: string) => () => void navigate(path);
    const found: Command[] = PAGES.map(([path, title, words]) => ({
      id: path,
      title,
      words,
      group: "Pages",
      run: go(path),
    }));
    const add = (id: string, title: string, words: string, run: () => void) =>
      found.push({ id, title, words, group: "Do", run });
    add("new", "New agent", "create make add", onNew);
    add("import", "Import agents", "file paste claude cursor copilot", onImport);
    add("light", "Colours: light", "theme day", () => choose("light"));
    add("dark", "Colours: dark", "theme night", () => choose("dark"));
    add("system", "Colours: as the system has them", "theme", () => choose("system"));
    add("keys", "Keyboard shortcuts", "help keys", onHelp);
    for (const { id, name, description, tags, skillNames, appearanceSeed } of agents ?? []) {
      found.push({
        id: `agent ${id}`,
        title: name,
        words: [id, description, ...tags, ...skillNames].join(" "),
        group: "Agents",
        seed: appearanceSeed || id,
        run: go(`/agent/${encodeURIComponent(id)}`),
      });
    }
    for (const { name, title, description } of servers ?? []) {
      found.push({
        id: `server ${name}`,
        title: title || name,
        words: `${name} ${description ?? ""} server tools`,
        group: "Servers",
        run: go(`/servers/${encodeServerName(name)}`),
      });
    }
    return found;
  }, [agents, servers, navigate, choose, onNew, onImport, onHelp]);
}
