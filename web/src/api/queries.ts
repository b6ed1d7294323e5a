/** Queries for the server's data, their cache keys, and the events that invalidate them. */

import {
  keepPreviousData,
  QueryCache,
  QueryClient,
  queryOptions,
  useInfiniteQuery,
  useQuery,
} from "@tanstack/react-query";
import { followConnections } from "./clients";
import { onEvent, onReturn } from "./events";
import { ApiError, OfflineError } from "./http";
import type { Agent, AgentSummary, EntryFilter, ZooEvent } from "./model";
import * as zoo from "./zoo";

export const keys = {
  summaries: (archived: boolean) => ["summaries", archived] as const,
  allSummaries: ["summaries"] as const,
  agent: (id: string) => ["agent", id] as const,
  versions: (id: string) => ["agent", id, "versions"] as const,
  version: (id: string, version: number) => ["agent", id, "versions", version] as const,
  preview: (id: string) => ["agent", id, "preview"] as const,
  findings: (id: string) => ["agent", id, "findings"] as const,
  brain: (id: string) => ["agent", id, "brain"] as const,
  library: ["library"] as const,
  formats: ["formats"] as const,
  health: ["health"] as const,
  bin: ["bin"] as const,
};

export function makeQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      // The session has ended: the sign-in page is shown.
      onError: (error, query) => {
        const isHealth = query.queryKey[0] === keys.health[0];
        if (error instanceof ApiError && error.status === 401 && !isHealth) {
          void client.invalidateQueries({ queryKey: keys.health });
        }
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        networkMode: "always",
        // Retry only when the server did not respond.
        retry: (count, error) => count < 2 && !(error instanceof ApiError),
        retryDelay: (count) => 400 * 2 ** count,
      },
      mutations: { networkMode: "always", retry: false },
    },
  });
  return client;
}

/** Return the signed-in user, and whether the user has access. */
export function useHealth() {
  return useQuery({ queryKey: keys.health, queryFn: ({ signal }) => zoo.health(signal) });
}

export function useBin() {
  return useQuery({ queryKey: keys.bin, queryFn: ({ signal }) => zoo.bin(signal) });
}

export function useSummaries(archived = false) {
  return useQuery({
    queryKey: keys.summaries(archived),
    queryFn: ({ signal }) => zoo.agentSummaries(archived, signal),
  });
}

export const agentQuery = (id: string) =>
  queryOptions({ queryKey: keys.agent(id), queryFn: ({ signal }) => zoo.agent(id, signal) });

export function useAgent(id: string) {
  return useQuery(agentQuery(id));
}

export function useVersions(id: string) {
  return useQuery({
    queryKey: keys.versions(id),
    queryFn: ({ signal }) => zoo.versions(id, signal),
  });
}

export function useVersion(id: string, version: number | null) {
  return useQuery({
    queryKey: keys.version(id, version ?? 0),
    queryFn: ({ signal }) => zoo.version(id, version ?? 0, signal),
    enabled: version !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function usePreview(id: string, options: { memory?: boolean; budget?: number } = {}) {
  return useQuery({
    queryKey: [...keys.preview(id), options],
    queryFn: ({ signal }) => zoo.preview(id, options, signal),
    placeholderData: keepPreviousData,
  });
}

export function useFindings(id: string) {
  return useQuery({
    queryKey: keys.findings(id),
    queryFn: ({ signal }) => zoo.skillFindings(id, signal),
  });
}

export function useEntries(id: string, filter: EntryFilter) {
  return useInfiniteQuery({
    queryKey: [...keys.brain(id), filter],
    queryFn: ({ pageParam, signal }) => zoo.entries(id, filter, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
  });
}

export function useLibrary(enabled = true) {
  const skills = useQuery({
    queryKey: [...keys.library, "skills"],
    queryFn: ({ signal }) => zoo.librarySkills(signal),
    enabled,
  });
  const packs = useQuery({
    queryKey: [...keys.library, "packs"],
    queryFn: ({ signal }) => zoo.packs(signal),
    enabled,
  });
  return { skills, packs };
}

export function useStarters() {
  return useQuery({
    queryKey: ["starters"],
    queryFn: ({ signal }) => zoo.starters(signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useFormats() {
  return useQuery({ queryKey: keys.formats, queryFn: ({ signal }) => zoo.formats(signal) });
}

function summaryOf(agent: Agent, known: AgentSummary): AgentSummary {
  const { id, name, description, tags, appearanceSeed, archived, updatedAt, version } = agent;
  const skillNames = agent.skills.filter((skill) => skill.enabled).map((skill) => skill.name);
  return {
    ...known,
    id,
    name,
    description,
    tags,
    appearanceSeed,
    archived,
    updatedAt,
    version,
    skillNames,
  };
}

/** Store an agent that the server returned in all queries that show it. */
export function rememberAgent(client: QueryClient, agent: Agent) {
  client.setQueryData(keys.agent(agent.id), agent);
  for (const archived of [false, true]) {
    client.setQueryData<AgentSummary[]>(keys.summaries(archived), (list) =>
      list?.map((known) => (known.id === agent.id ? summaryOf(agent, known) : known)),
    );
  }
}

const SUMMARIES_SETTLE = 250;

/** Invalidate the queries that an event affects. A burst of events refetches a list only once. */
function followEvents(client: QueryClient): () => void {
  let timer: number | undefined;
  const summariesChanged = () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => {
      void client.invalidateQueries({ queryKey: keys.allSummaries });
      void client.invalidateQueries({ queryKey: keys.bin });
    }, SUMMARIES_SETTLE);
  };
  const follow = ({ kind, agentId, detail }: ZooEvent) => {
    if (kind === "library:changed") {
      void client.invalidateQueries({ queryKey: keys.library });
      return;
    }
    summariesChanged();
    if (agentId === null) return;
    if (kind === "agent:deleted" || kind === "agent:purged")
      void client.invalidateQueries({ queryKey: keys.agent(agentId), exact: true });
    else if (kind !== "agent:injected")
      void client.invalidateQueries({ queryKey: keys.agent(agentId) });
    if (kind === "agent:handedOver" && typeof detail.toAgentId === "string") {
      void client.invalidateQueries({ queryKey: keys.agent(detail.toAgentId) });
    }
  };
  const stop = onEvent(follow);
  return () => {
    window.clearTimeout(timer);
    stop();
  };
}

/** Refetches queries when the server reports changes, and after a lost connection. */
export function invalidateOnEvents(client: QueryClient): () => void {
  const stops = [
    followEvents(client),
    followConnections(client),
    onReturn(() => void client.invalidateQueries()),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

export function isOffline(error: unknown): boolean {
  return error instanceof OfflineError;
}
