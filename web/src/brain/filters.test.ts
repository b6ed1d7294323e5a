import { expect, test } from "vitest";
import { type Filters, isFiltered, parseFilters, toEntryFilter, toSearchParams } from "./filters";

const NONE: Filters = { text: "", type: "", tags: [], pinned: false, from: "", to: "" };

test("filters go into the address and come back", () => {
  const filters: Filters = {
    text: "sql & wal",
    type: "decision",
    tags: ["a,b", "c"],
    pinned: true,
    from: "2026-11-01",
    to: "2026-11-18",
  };
  expect(parseFilters(toSearchParams(filters))).toEqual(filters);
});

test("unknown parameters in the URL are ignored", () => {
  const made = new URLSearchParams("type=secret&from=yesterday&pinned=maybe");
  expect(parseFilters(made)).toEqual(NONE);
  expect(isFiltered(NONE)).toBe(false);
});

test("the last day counts to its end", () => {
  const { dateFrom, dateTo } = toEntryFilter({ ...NONE, from: "2026-11-18", to: "2026-11-18" });
  expect(Date.parse(dateTo ?? "") - Date.parse(dateFrom ?? "")).toBe(24 * 3600 * 1000 - 1);
});
