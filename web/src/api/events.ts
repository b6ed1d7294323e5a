/** Live events of the zoo: one stream for the page, and the state of its connection. */

import { useEffect, useSyncExternalStore } from "react";
import { type Connection as ClientConnection, EVENT_KINDS, type ZooEvent } from "./model";

export type Connection = "connecting" | "open" | "lost";

type Listener = (event: ZooEvent) => void;

const FIRST_RETRY = 1000;
const LONGEST_RETRY = 15_000;
const REST_AFTER = 30_000;

let source: EventSource | null = null;
let connection: Connection = "connecting";
let retryAfter = FIRST_RETRY;
let retryTimer: number | undefined;
let restTimer: number | undefined;
const listeners = new Set<Listener>();
const connectionListeners = new Set<() => void>();
const returnListeners = new Set<() => void>();
const clientListeners = new Set<(connection: ClientConnection) => void>();

function becomes(next: Connection) {
  if (next === connection) return;
  const cameBack = next === "open" && connection === "lost";
  connection = next;
  for (const listener of connectionListeners) listener();
  if (cameBack) for (const listener of returnListeners) listener();
}

function tell(message: Event) {
  const event = JSON.parse((message as MessageEvent<string>).data) as ZooEvent;
  for (const listener of listeners) listener(event);
}

function tellOfClient(message: Event) {
  const told = JSON.parse((message as MessageEvent<string>).data) as ClientConnection;
  for (const listener of clientListeners) listener(told);
}

function connect() {
  window.clearTimeout(retryTimer);
  source?.close();
  const opened = new EventSource("/api/events");
  source = opened;
  opened.onopen = () => {
    retryAfter = FIRST_RETRY;
    becomes("open");
  };
  opened.onerror = () => {
    becomes("lost");
    // The browser reconnects on its own, unless the response was not an event stream.
    if (opened.readyState === EventSource.CLOSED) {
      retryTimer = window.setTimeout(connect, retryAfter);
      retryAfter = Math.min(retryAfter * 2, LONGEST_RETRY);
    }
  };
  for (const kind of EVENT_KINDS) opened.addEventListener(kind, tell);
  opened.addEventListener("connection", tellOfClient);
  // The server no longer stores all of the missed events.
  opened.addEventListener("reset", () => {
    for (const listener of returnListeners) listener();
  });
}

/**
 * A hidden window closes its stream after a while: browsers allow six to one server, and
 * the seventh window would wait for ever. What it missed is asked for when it is seen again.
 */
function restOrWake() {
  window.clearTimeout(restTimer);
  if (document.visibilityState === "hidden") {
    restTimer = window.setTimeout(() => {
      window.clearTimeout(retryTimer);
      source?.close();
      source = null;
    }, REST_AFTER);
  } else if (!source) {
    becomes("lost");
    connect();
  }
}

/** Open the stream. The returned function closes it. */
export function startEvents(): () => void {
  connect();
  window.addEventListener("online", connect);
  document.addEventListener("visibilitychange", restOrWake);
  return () => {
    window.removeEventListener("online", connect);
    document.removeEventListener("visibilitychange", restOrWake);
    window.clearTimeout(retryTimer);
    window.clearTimeout(restTimer);
    source?.close();
    source = null;
    becomes("connecting");
  };
}

/** Reconnect immediately at the user's request. */
export function reconnect() {
  retryAfter = FIRST_RETRY;
  connect();
}

export function onEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Add a listener for reconnects, after which events may be missing. */
export function onReturn(listener: () => void): () => void {
  returnListeners.add(listener);
  return () => returnListeners.delete(listener);
}

/** Add a listener for calls of MCP endpoints by clients. */
export function onConnection(listener: (connection: ClientConnection) => void): () => void {
  clientListeners.add(listener);
  return () => clientListeners.delete(listener);
}

export function useConnection(): Connection {
  return useSyncExternalStore(
    (listener) => {
      connectionListeners.add(listener);
      return () => connectionListeners.delete(listener);
    },
    () => connection,
  );
}

export function useZooEvents(listener: Listener) {
  useEffect(() => onEvent(listener), [listener]);
}
