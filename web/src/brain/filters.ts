/** Filters of a brain, kept in the URL so that users can share them and return to them. */

import { ENTRY_TYPES, type EntryFilter, type EntryType } from "../api/model";

export type Filters = {
  text: string;
  type: EntryType | "";
  tags: string[];
  pinned: boolean;
  /** Days in the user's calendar, such as 2026-11-18. */
  from: string;
  to: string;
};

const DAY = /^\d{4}-\d{2}-\d{2}$/;

function dayIn(parameters: URLSearchParams, name: string): string {
  const day = parameters.get(name) ?? "";
  return DAY.test(day) ? day : "";
}

export function parseFilters(parameters: URLSearchParams): Filters {
  const type = ENTRY_TYPES.find((known) => known === parameters.get("type")) ?? "";
  return {
    text: parameters.get("text") ?? "",
    type,
    tags: parameters.getAll("tag"),
    pinned: parameters.get("pinned") === "true",
    from: dayIn(parameters, "from"),
    to: dayIn(parameters, "to"),
  };
}

export function toSearchParams({ text, type, tags, pinned, from, to }: Filters): URLSearchParams {
  const parameters = new URLSearchParams();
  if (text) parameters.set("text", text);
  if (type) parameters.set("type", type);
  for (const tag of tags) parameters.append("tag", tag);
  if (pinned) parameters.set("pinned", "true");
  if (from) parameters.set("from", from);
  if (to) parameters.set("to", to);
  return parameters;
}

/**
 * Convert filters for the server. A day becomes its first or last moment in the user's time zone.
 */
export function toEntryFilter({ text, type, tags, pinned, from, to }: Filters): EntryFilter {
  return {
    text: text.trim() || undefined,
    type: type || undefined,
    tags: tags.length > 0 ? tags : undefined,
    pinned: pinned || undefined,
    dateFrom: from ? new Date(`${from}T00:00:00`).toISOString() : undefined,
    dateTo: to ? new Date(`${to}T23:59:59.999`).toISOString() : undefined,
  };
}

export function isFiltered(filters: Filters): boolean {
  return [...toSearchParams(filters)].length > 0;
}
