import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Tooltip } from "radix-ui";
import { createMemoryRouter, Outlet, RouterProvider } from "react-router";
import { expect, test, vi } from "vitest";
import type { Agent } from "../api/model";
import { makeQueryClient, useAgent } from "../api/queries";
import { SoulPage } from "./SoulPage";

const AGENT: Agent = {
  id: "ember",
  name: "Ember",
  description: "",
  systemPrompt: "first line",
  skillCategories: [],
  skills: [],
  contextRefs: [],
  appearanceSeed: "",
  tags: [],
  injectsMemory: true,
  archived: false,
  createdAt: "",
  updatedAt: "",
  version: 1,
};

/** A server with one agent. The result reads the agent, and edits it as another window would. */
function serverWith(agent: Agent) {
  let stored = agent;
  const write = (changes: Partial<Agent>) => {
    stored = { ...stored, ...changes, version: stored.version + 1 };
  };
  vi.stubGlobal("fetch", async (_path: string, init: RequestInit) => {
    if (init.method !== "PATCH") return Response.json(stored);
    if (new Headers(init.headers).get("If-Match") !== `"${stored.version}"`) {
      return Response.json({ error: "changed", details: { current: stored } }, { status: 412 });
    }
    write(JSON.parse(String(init.body)));
    return Response.json(stored);
  });
  return { read: () => stored, write };
}

function Page() {
  const { data } = useAgent("ember");
  return data ? <Outlet context={data} /> : null;
}

async function openSoul() {
  const router = createMemoryRouter([
    { element: <Page />, children: [{ index: true, element: <SoulPage /> }] },
  ]);
  const page = render(
    <QueryClientProvider client={makeQueryClient()}>
      <Tooltip.Provider>
        <RouterProvider router={router} />
      </Tooltip.Provider>
    </QueryClientProvider>,
  );
  const text = await screen.findByLabelText<HTMLTextAreaElement>("Who it is and how it works");
  return { ...page, text };
}

const save = () => userEvent.click(screen.getByRole("button", { name: "Save" }));

test("what is typed is a draft until it is saved, and is then on the server", async () => {
  const server = serverWith(AGENT);
  const { text, unmount } = await openSoul();
  await userEvent.type(text, " and more");
  expect(screen.getByText(/Draft kept/)).toBeDefined();
  unmount();
  const again = await openSoul();
  expect(again.text.value).toBe("first line and more");
  await save();
  expect(await screen.findByText(/All saved/)).toBeDefined();
  expect(server.read().systemPrompt).toBe("first line and more");
});

test("the shortcut saves", async () => {
  const server = serverWith(AGENT);
  const { text } = await openSoul();
  await userEvent.type(text, "!{Control>}s{/Control}");
  expect(await screen.findByText(/All saved/)).toBeDefined();
  expect(server.read().systemPrompt).toBe("first line!");
});

test("when both have changed a line, both texts are shown and the user decides", async () => {
  const server = serverWith(AGENT);
  const { text } = await openSoul();
  await userEvent.clear(text);
  await userEvent.type(text, "mine");
  server.write({ systemPrompt: "theirs" });
  await save();
  expect(await screen.findByRole("heading", { name: "Changed here and elsewhere" })).toBeDefined();
  expect(server.read().systemPrompt).toBe("theirs");
  const merged = screen.getByLabelText<HTMLTextAreaElement>("One text of both");
  expect(merged.value).toContain("mine");
  expect(merged.value).toContain("theirs");
  await userEvent.click(screen.getByRole("button", { name: "Keep mine" }));
  expect(await screen.findByText(/All saved/)).toBeDefined();
  expect(server.read().systemPrompt).toBe("mine");
});

test("a server that is gone leaves the draft where it is", async () => {
  serverWith(AGENT);
  const { text } = await openSoul();
  await userEvent.type(text, "!");
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  await save();
  expect(text.value).toBe("first line!");
  expect(screen.getByText(/Draft kept/)).toBeDefined();
});
