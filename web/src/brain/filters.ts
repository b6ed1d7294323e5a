/** What of a brain is shown: kept in the address, so that it can be sent and gone back to. */

import { ENTRY_TYPES, type EntryFilter, type EntryType } from "../api/model";

export type Filters = {
  text: string;
  type: EntryType | "";
  tags: string[];
  pinned: boolean;
  /** Days as the user's calendar has them, such as 2026-11-18. */
  from: string;
  to: string;
};

const DAY = /^\d{4}-\d{2}-\d{2}$/;

function dayIn(parameters: URLSearchParams, name: string): string {
  const day = parameters.get(name) ?? "";
  return DAY.test(day) ? day : "";
}

export function filtersIn(parameters: URLSearchParams): Filters {
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

export function parametersOf({ text, type, tags, pinned, from, to }: Filters): URLSearchParams {
  const parameters = new URLSearchParams();
  if (text) parameters.set("text", text);
  if (type) parameters.set("type", type);
  for (const tag of tags) parameters.append("tag", tag);
  if (pinned) parameters.set("pinned", "true");
  if (from) parameters.set("from", from);
  if (to) parameters.set("to", to);
  return parameters;
}

/** For the server a day is a moment: the first and the last of the day where the user is. */
export function queryOf({ text, type, tags, pinned, from, to }: Filters): EntryFilter {
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
  return [...parametersOf(filters)].length > 0;
}
