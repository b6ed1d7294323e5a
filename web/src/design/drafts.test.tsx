import { act, renderHook } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { useDraft } from "./drafts";

const SAVED = { text: "from the server" };

test("what is typed is there again after the page was closed", () => {
  const first = renderHook(() => useDraft("soul", SAVED));
  act(() => first.result.current.change({ text: "typed" }));
  first.unmount();
  const second = renderHook(() => useDraft("soul", SAVED));
  expect(second.result.current).toMatchObject({ value: { text: "typed" }, isDirty: true });
});

test("a draft remembers what it was begun from when the server has something newer", () => {
  const { result, rerender } = renderHook(({ saved }) => useDraft("soul", saved), {
    initialProps: { saved: SAVED },
  });
  act(() => result.current.change({ text: "typed" }));
  rerender({ saved: { text: "newer" } });
  expect(result.current).toMatchObject({ value: { text: "typed" }, base: SAVED, isDirty: true });
});

test("without a draft what the server has is shown as it comes", () => {
  const { result, rerender } = renderHook(({ saved }) => useDraft("soul", saved), {
    initialProps: { saved: SAVED },
  });
  rerender({ saved: { text: "newer" } });
  expect(result.current).toMatchObject({ value: { text: "newer" }, isDirty: false });
});

test("typing back to the beginning leaves no draft", () => {
  const { result } = renderHook(() => useDraft("soul", SAVED));
  act(() => result.current.change({ text: "typed" }));
  act(() => result.current.change({ text: SAVED.text }));
  expect(result.current.isDirty).toBe(false);
  expect(localStorage).toHaveLength(0);
});

test("a full storage loses nothing while the page is open", () => {
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("full", "QuotaExceededError");
  });
  const { result } = renderHook(() => useDraft("soul", SAVED));
  act(() => result.current.change({ text: "typed" }));
  expect(result.current.value).toEqual({ text: "typed" });
  act(() => result.current.discard());
});

test("invalid drafts in the storage are ignored", () => {
  localStorage.setItem("paddock:draft:soul", "{broken");
  const { result } = renderHook(() => useDraft("soul", SAVED));
  expect(result.current.value).toEqual(SAVED);
});
