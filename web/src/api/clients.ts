/** The applications that use servers: installing into them, and who of them has called. */

import { type QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { onConnection } from "./events";
import { pathOf, sendForJson } from "./http";
import type { Connection } from "./model";

export type Client = {
  name: string;
  title: string;
  /** Whether it seems to be on this machine. */
  detected: boolean;
  /** The servers that Paddock has installed into it. */
  installed: string[];
  path: string | null;
  takesUrls: boolean;
  startsPrograms: boolean;
};

export type Plan = {
  client: string;
  server: string;
  /** Empty when nothing changes. */
  diff: string;
  path: string | null;
  warnings: string[];
  /** What to paste into the client, where it has no file. */
  paste: string | null;
  link: string | null;
  isApplied: boolean;
};

export type Wish = {
  client: string;
  server: string;
  /** Where the server runs; without, the client starts it. */
  url?: string | undefined;
  replace?: boolean | undefined;
};

const CLIENTS = ["clients"] as const;
const CONNECTIONS = ["connections"] as const;

export function useClients() {
  return useQuery({
    queryKey: CLIENTS,
    queryFn: ({ signal }) => sendForJson<Client[]>("/api/clients", { signal }),
  });
}

export function usePlan({ client, ...body }: Wish) {
  return useQuery({
    queryKey: ["plan", client, body],
    queryFn: ({ signal }) =>
      sendForJson<Plan>(pathOf("clients", client, "plan"), { method: "POST", body, signal }),
    staleTime: 0,
    gcTime: 0,
  });
}

function useChange(kind: "install" | "uninstall") {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ client, ...body }: Wish) =>
      sendForJson<unknown>(pathOf("clients", client, kind), { method: "POST", body }),
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: CLIENTS });
      void queries.invalidateQueries({ queryKey: ["plan"] });
    },
  });
}

export const useInstall = () => useChange("install");
export const useUninstall = () => useChange("uninstall");

/** Who has called lately, the latest first. */
export function useConnections(server?: string): Connection[] {
  const { data } = useQuery({
    queryKey: CONNECTIONS,
    queryFn: ({ signal }) => sendForJson<Connection[]>("/api/connections", { signal }),
  });
  return (data ?? []).filter((one) => server === undefined || one.server === server);
}

function isSame(one: Connection, other: Connection): boolean {
  return (
    one.server === other.server && one.client === other.client && one.version === other.version
  );
}

/** Has the lights follow what the server tells. */
export function followConnections(queries: QueryClient): () => void {
  return onConnection((connection) => {
    queries.setQueryData<Connection[]>(CONNECTIONS, (known = []) => [
      connection,
      ...known.filter((one) => !isSame(one, connection)),
    ]);
  });
}
