/** Client applications: installing servers into them, and their recent connections. */

import { type QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { onConnection } from "./events";
import { buildPath, requestJson } from "./http";
import type { Connection } from "./model";

export type Client = {
  name: string;
  title: string;
  /** Whether the client seems to be installed on this machine. */
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
  /** Empty if nothing would change. */
  diff: string;
  path: string | null;
  warnings: string[];
  /** Text that the user pastes into a client without a config file. */
  paste: string | null;
  link: string | null;
  isApplied: boolean;
};

export type InstallRequest = {
  client: string;
  server: string;
  /** The URL of the server. Without it, the client starts the server. */
  url?: string | undefined;
  replace?: boolean | undefined;
};

const CLIENTS = ["clients"] as const;
const CONNECTIONS = ["connections"] as const;

export function useClients() {
  return useQuery({
    queryKey: CLIENTS,
    queryFn: ({ signal }) => requestJson<Client[]>("/api/clients", { signal }),
  });
}

export function usePlan({ client, ...body }: InstallRequest) {
  return useQuery({
    queryKey: ["plan", client, body],
    queryFn: ({ signal }) =>
      requestJson<Plan>(buildPath("clients", client, "plan"), { method: "POST", body, signal }),
    staleTime: 0,
    gcTime: 0,
  });
}

function useChange(kind: "install" | "uninstall") {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ client, ...body }: InstallRequest) =>
      requestJson<unknown>(buildPath("clients", client, kind), { method: "POST", body }),
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: CLIENTS });
      void queries.invalidateQueries({ queryKey: ["plan"] });
    },
  });
}

export const useInstall = () => useChange("install");
export const useUninstall = () => useChange("uninstall");

/** Return the clients that have called recently, newest first. */
export function useConnections(server?: string): Connection[] {
  const { data } = useQuery({
    queryKey: CONNECTIONS,
    queryFn: ({ signal }) => requestJson<Connection[]>("/api/connections", { signal }),
  });
  return (data ?? []).filter((one) => server === undefined || one.server === server);
}

function isSame(one: Connection, other: Connection): boolean {
  return (
    one.server === other.server && one.client === other.client && one.version === other.version
  );
}

/** Update the status lights when the server reports calls. */
export function followConnections(queries: QueryClient): () => void {
  return onConnection((connection) => {
    queries.setQueryData<Connection[]>(CONNECTIONS, (known = []) => [
      connection,
      ...known.filter((one) => !isSame(one, connection)),
    ]);
  });
}
