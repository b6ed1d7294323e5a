import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Tooltip } from "radix-ui";
import { expect, test, vi } from "vitest";
import type { BrainEntry } from "../api/model";
import { byDay } from "./BrainPage";
import { EntryCard, provenance } from "./EntryCard";

function entry(changes: Partial<BrainEntry>): BrainEntry {
  return {
    id: "e",
    agentId: "ember",
    type: "note",
    content: "A note",
    timestamp: new Date(2026, 10, 18, 9, 30).toISOString(),
    updatedAt: "",
    pinned: false,
    tags: [],
    metadata: {},
    version: 1,
    ...changes,
  };
}

function renderCard(changes: Partial<BrainEntry>) {
  const told = { onTag: vi.fn(), onPin: vi.fn(), onEdit: vi.fn(), onDelete: vi.fn() };
  render(
    <Tooltip.Provider>
      <EntryCard entry={entry(changes)} {...told} />
    </Tooltip.Provider>,
  );
  return told;
}

test("entries stand under their days in the order in which they come", () => {
  const day = (date: number, id: string) =>
    entry({ id, timestamp: new Date(2026, 10, date, 9).toISOString() });
  const groups = byDay(
    [day(18, "a"), day(18, "b"), day(17, "c"), day(3, "d")],
    new Date(2026, 10, 18, 12),
  );
  expect(groups.map(({ name, entries }) => [name, entries.map(({ id }) => id)])).toEqual([
    ["Today", ["a", "b"]],
    ["Yesterday", ["c"]],
    ["Tuesday, November 3", ["d"]],
  ]);
});

test("the origin of an entry is shown if it is known", () => {
  expect(provenance(entry({}))).toBe("");
  expect(
    provenance(
      entry({ metadata: { source: "mcp", workspaceId: "paddock", sessionId: "1234567890abcdef" } }),
    ),
  ).toBe("written by an AI client, in paddock, session 1234567890ab");
});

test("a long text is folded, and shown whole when asked", async () => {
  renderCard({ content: `${"word ".repeat(400)}end` });
  expect(screen.queryByText(/end$/)).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Show all 2,003 characters" }));
  expect(screen.getByText(/end$/)).toBeDefined();
});

test("the buttons and tags of an entry report the choice", async () => {
  const told = renderCard({ tags: ["store"], pinned: true });
  await userEvent.click(screen.getByRole("button", { name: "store" }));
  await userEvent.click(screen.getByRole("button", { name: "Unpin" }));
  await userEvent.click(screen.getByRole("button", { name: "Edit" }));
  await userEvent.click(screen.getByRole("button", { name: "Delete" }));
  expect(told.onTag).toHaveBeenCalledWith("store");
  expect([told.onPin, told.onEdit, told.onDelete].map(({ mock }) => mock.calls.length)).toEqual([
    1, 1, 1,
  ]);
});

test("a hostile text is shown as it is, and runs nothing", () => {
  renderCard({ content: "<script>alert(1)</script><img src=x onerror=alert(1)>" });
  expect(screen.getByText("<script>alert(1)</script><img src=x onerror=alert(1)>")).toBeDefined();
  expect(document.querySelector("script, img")).toBeNull();
});
