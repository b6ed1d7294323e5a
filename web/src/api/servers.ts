/** The named servers and what is in them. */

import { useQuery } from "@tanstack/react-query";
import { pathOf, sendForJson } from "./http";

export type ServerSummary = {
  name: string;
  title: string | null;
  description: string;
  /** `built-in`, `user` or `extension`. */
  source: string;
  tools: number | null;
  prompts: number | null;
  resources: number | null;
  findings: number | null;
  url: string;
};

/** A tool or a prompt, as far as both are alike. */
export type ServerItem = { name: string; title?: string | null; description?: string | null };

export type ServerDetail = Omit<ServerSummary, "tools" | "prompts" | "resources" | "findings"> & {
  instructions: string | null;
  tools: ServerItem[];
  prompts: ServerItem[];
};

export function useServers() {
  return useQuery({
    queryKey: ["servers"],
    queryFn: ({ signal }) => sendForJson<ServerSummary[]>("/api/servers", { signal }),
  });
}

export function useServer(name: string) {
  return useQuery({
    queryKey: ["servers", name],
    queryFn: ({ signal }) => sendForJson<ServerDetail>(pathOf("servers", name), { signal }),
  });
}
