/** Progress through the guide, derived from the existing agents and installations. */

import { useEffect } from "react";
import { useClients, useConnections } from "../api/clients";
import { useSummaries } from "../api/queries";
import { usePreference } from "../design/preferences";

/** The server that offers agents to clients. */
export const ZOO_SERVER = "AgentZoo";
export const ZOO_ADDRESS = "/mcp";

export const STEPS = ["agent", "client", "call"] as const;
export type Step = (typeof STEPS)[number];

export type Progress = {
  done: Record<Step, boolean>;
  /** The number of completed steps. */
  count: number;
  /** The first step that is not completed. */
  next: Step | null;
  /** Whether the guide has steps left and was not dismissed. */
  isOffered: boolean;
  /** Whether the data has been loaded from the server. */
  isKnown: boolean;
  dismiss: () => void;
};

export function useProgress(): Progress {
  const { data: agents } = useSummaries();
  const { data: clients } = useClients();
  const connections = useConnections(ZOO_SERVER);
  const [sent, setSent] = usePreference("start-dismissed");
  const called =
    connections.length > 0 || (agents ?? []).some((one) => one.lastInjectedAt !== null);
  const done = {
    agent: (agents ?? []).length > 0,
    client: called || (clients ?? []).some((one) => one.installed.includes(ZOO_SERVER)),
    call: called,
  };
  const next = STEPS.find((step) => !done[step]) ?? null;
  const isKnown = agents !== undefined && clients !== undefined;
  const isFinished = isKnown && next === null;
  useEffect(() => {
    if (isFinished) setSent("finished");
  }, [isFinished, setSent]);
  return {
    done,
    count: STEPS.filter((step) => done[step]).length,
    next,
    isOffered: sent === null && !isFinished,
    isKnown,
    dismiss: () => setSent("dismissed"),
  };
}
