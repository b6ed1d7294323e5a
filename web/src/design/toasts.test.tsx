import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Tooltip } from "radix-ui";
import { expect, test, vi } from "vitest";
import { Toasts, toast } from "./toasts";

function renderToasts() {
  render(
    <Tooltip.Provider>
      <Toasts />
    </Tooltip.Provider>,
  );
}

test("undo is done once, and the message goes", async () => {
  renderToasts();
  const run = vi.fn();
  act(() => {
    toast("Ember is in the bin.", { action: { label: "Undo", run } });
  });
  await userEvent.click(screen.getByRole("button", { name: "Undo" }));
  expect(run).toHaveBeenCalledTimes(1);
  expect(screen.queryByText("Ember is in the bin.")).toBeNull();
});

test("a message that is dismissed does not do its action", async () => {
  renderToasts();
  const run = vi.fn();
  act(() => {
    toast("Ember is archived.", { action: { label: "Undo", run } });
  });
  await userEvent.click(screen.getByRole("button", { name: "Dismiss" }));
  expect(run).not.toHaveBeenCalled();
  expect(screen.queryByText("Ember is archived.")).toBeNull();
});

test("many messages leave the latest four", () => {
  renderToasts();
  act(() => {
    for (let number = 1; number <= 6; number += 1) toast(`message ${number}`);
  });
  const shown = [1, 2, 3, 4, 5, 6].filter((number) => screen.queryByText(`message ${number}`));
  expect(shown).toEqual([3, 4, 5, 6]);
});
