import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { onEvent, startEvents } from "./events";
import type { ZooEvent } from "./model";
import { invalidateOnEvents, keys } from "./queries";

/** The browser's event source, with a server that the test plays. */
class PlayedSource extends EventTarget {
  static readonly CLOSED = 2;
  static last: PlayedSource | undefined;
  static opened = 0;
  readyState = 1;
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;

  constructor() {
    super();
    PlayedSource.last = this;
    PlayedSource.opened += 1;
  }

  close() {
    this.readyState = PlayedSource.CLOSED;
  }

  tell(event: Partial<ZooEvent> & Pick<ZooEvent, "kind">) {
    const whole = {
      id: 1,
      at: "",
      source: "mcp",
      agentId: null,
      entryId: null,
      detail: {},
      ...event,
    };
    this.dispatchEvent(new MessageEvent(event.kind, { data: JSON.stringify(whole) }));
  }
}

const source = () => PlayedSource.last ?? expect.unreachable("the stream was not opened");
let stops: (() => void)[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("EventSource", PlayedSource);
});

afterEach(() => {
  for (const stop of stops) stop();
  stops = [];
  vi.useRealTimers();
});

function freshClient() {
  const client = new QueryClient();
  const stale = vi.spyOn(client, "invalidateQueries");
  stops.push(invalidateOnEvents(client), startEvents());
  return { staleKeys: () => stale.mock.calls.map(([filters]) => filters?.queryKey) };
}

test("who listens hears what the server tells", () => {
  const heard: ZooEvent[] = [];
  stops.push(
    startEvents(),
    onEvent((event) => heard.push(event)),
  );
  source().tell({ kind: "agent:injected", agentId: "ember" });
  expect(heard.map(({ kind, agentId }) => [kind, agentId])).toEqual([["agent:injected", "ember"]]);
});

test("a change makes the agent stale, and the list once for many changes", () => {
  const { staleKeys } = freshClient();
  for (let count = 0; count < 5; count += 1)
    source().tell({ kind: "brain:written", agentId: "ember" });
  vi.runAllTimers();
  expect(staleKeys()).toEqual([...Array(5).fill(keys.agent("ember")), keys.allSummaries, keys.bin]);
});

test("a hand-over makes both agents stale", () => {
  const { staleKeys } = freshClient();
  source().tell({ kind: "agent:handedOver", agentId: "atlas", detail: { toAgentId: "ember" } });
  expect(staleKeys()).toEqual([keys.agent("atlas"), keys.agent("ember")]);
});

test("a hidden window lets its stream go, and asks for everything when it is seen again", () => {
  const { staleKeys } = freshClient();
  const visibility = vi.spyOn(document, "visibilityState", "get");
  source().onopen?.();
  visibility.mockReturnValue("hidden");
  document.dispatchEvent(new Event("visibilitychange"));
  vi.advanceTimersByTime(29_000);
  expect(source().readyState).toBe(1);
  vi.advanceTimersByTime(2_000);
  expect(source().readyState).toBe(PlayedSource.CLOSED);
  const opened = PlayedSource.opened;
  visibility.mockReturnValue("visible");
  document.dispatchEvent(new Event("visibilitychange"));
  expect(PlayedSource.opened).toBe(opened + 1);
  source().onopen?.();
  expect(staleKeys()).toEqual([undefined]);
});

test("after a loss the stream is opened again, and all queries are refetched", () => {
  const { staleKeys } = freshClient();
  source().onopen?.();
  expect(staleKeys()).toEqual([]);
  const opened = PlayedSource.opened;
  source().close();
  source().onerror?.();
  vi.advanceTimersByTime(1000);
  expect(PlayedSource.opened).toBe(opened + 1);
  source().onopen?.();
  expect(staleKeys()).toEqual([undefined]);
});
