import { expect, test, vi } from "vitest";
import { ApiError, buildPath, ConflictError, OfflineError, requestJson, send } from "./http";

function answers(response: () => Response | Promise<Response>) {
  const fetched = vi.fn<(path: string, init: RequestInit) => Promise<Response>>(async () =>
    response(),
  );
  vi.stubGlobal("fetch", fetched);
  return fetched;
}

const failure = (send: Promise<unknown>) => send.catch((error: unknown) => error);

test("a path takes any id", () => {
  expect(buildPath("agents", "a/../b?c#d", "brain", 3)).toBe(
    "/api/agents/a%2F..%2Fb%3Fc%23d/brain/3",
  );
});

test("a query leaves out what is not asked for", async () => {
  const fetched = answers(() => Response.json([]));
  await send("/api/x", {
    query: { text: "", tags: ["a", "b"], none: [], pinned: false, cursor: null },
  });
  expect(fetched.mock.calls[0]?.[0]).toBe("/api/x?tags=a%2Cb&pinned=false");
});

test("an error has what the server says", async () => {
  answers(() =>
    Response.json(
      { error: "No such agent.", code: "AGENT_NOT_FOUND", details: [] },
      { status: 404 },
    ),
  );
  const error = await failure(requestJson("/api/x"));
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ message: "No such agent.", code: "AGENT_NOT_FOUND", status: 404 });
});

test("an error without a message still has a text", async () => {
  answers(() => new Response("<html>", { status: 500 }));
  expect(await failure(send("/api/x"))).toMatchObject({
    message: "The server answered with status 500.",
  });
});

test.each([
  { details: { current: { systemPrompt: "now" } } },
  { details: [{ current: { systemPrompt: "now" } }] },
])("a conflict carries what is there now: %j", async (body) => {
  answers(() => Response.json({ error: "changed", ...body }, { status: 412 }));
  const error = await failure(send("/api/x"));
  expect(error).toBeInstanceOf(ConflictError);
  expect((error as ConflictError).currentAgent).toEqual({ systemPrompt: "now" });
});

test("an unreachable server is distinguished from one that refuses", async () => {
  answers(() => Promise.reject(new TypeError("Failed to fetch")));
  expect(await failure(send("/api/x"))).toBeInstanceOf(OfflineError);
  answers(() => new Response("", { status: 502 }));
  expect(await failure(send("/api/x"))).toBeInstanceOf(OfflineError);
});
