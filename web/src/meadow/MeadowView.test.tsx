import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { AgentSummary } from "../api/model";
import { MeadowView } from "./MeadowView";

function agent(id: string, name: string): AgentSummary {
  return {
    id,
    name,
    description: "",
    tags: [],
    appearanceSeed: "",
    archived: false,
    skillNames: ["Read"],
    entryCount: 2,
    updatedAt: "",
    version: 1,
    lastInjectedAt: null,
  };
}

function renderMeadow(agents: AgentSummary[]) {
  const onOpen = vi.fn();
  render(<MeadowView agents={agents} theme="light" still onOpen={onOpen} />);
  return { onOpen, buttons: within(screen.getByRole("list")).getAllByRole("button") };
}

test("every agent is a button with its name, and one of them is in the tab order", () => {
  const { buttons } = renderMeadow([agent("a", "Ember"), agent("b", "Sage"), agent("c", "Atlas")]);
  expect(buttons.map(({ textContent }) => textContent)).toEqual([
    "Ember, 1 skill, 2 memories",
    "Sage, 1 skill, 2 memories",
    "Atlas, 1 skill, 2 memories",
  ]);
  expect(buttons.map(({ tabIndex }) => tabIndex)).toEqual([0, -1, -1]);
});

test("the keyboard opens an agent", async () => {
  const { onOpen } = renderMeadow([agent("a", "Ember")]);
  await userEvent.tab();
  await userEvent.keyboard("{Enter}");
  expect(onOpen).toHaveBeenCalledExactlyOnceWith("a");
});

test("markup in a name is text", () => {
  const { buttons } = renderMeadow([agent("a", "<img src=x onerror=alert(1)>")]);
  expect(buttons[0]?.querySelector("img")).toBeNull();
  expect(buttons[0]?.textContent).toContain("<img");
});
