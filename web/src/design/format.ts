/** Formatting of numbers, sizes and times for people. */

export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}

const BYTES_PER_TOKEN = 4;

/** Estimate the number of tokens as the server does: four bytes of UTF-8 are one token. */
export function estimateTokens(text: string): number {
  return Math.ceil(new TextEncoder().encode(text).length / BYTES_PER_TOKEN);
}

const STEPS: readonly [number, Intl.RelativeTimeFormatUnit][] = [
  [60, "second"],
  [60, "minute"],
  [24, "hour"],
  [30, "day"],
  [12, "month"],
  [Number.POSITIVE_INFINITY, "year"],
];

/** Format a time relative to now, such as "3 hours ago". */
export function ago(time: string, now = Date.now()): string {
  let amount = (Date.parse(time) - now) / 1000;
  if (Number.isNaN(amount)) return "";
  if (Math.abs(amount) < 45) return "just now";
  for (const [size, unit] of STEPS) {
    if (Math.abs(amount) < size) {
      return new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(
        Math.round(amount),
        unit,
      );
    }
    amount /= size;
  }
  return "";
}

/** Format a day as "Today", "Yesterday", or its date. */
export function dayName(time: string, now = new Date()): string {
  const day = new Date(time);
  const midnight = (date: Date) =>
    new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  const days = Math.round((midnight(now) - midnight(day)) / 86_400_000);
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  const year = day.getFullYear() === now.getFullYear() ? undefined : ("numeric" as const);
  return day.toLocaleDateString("en", { weekday: "long", day: "numeric", month: "long", year });
}

export function clockTime(time: string): string {
  return new Date(time).toLocaleTimeString("en", {
    hour: "2-digit",
    minute: "2-digit",
    hour12: false,
  });
}

const SOURCES: Record<string, string> = {
  web: "in the browser",
  manual: "by hand",
  mcp: "by an AI client",
  auto: "automatically",
  cli: "in the terminal",
  import: "from a file",
  sync: "by sync",
};

/** Return the name of the program that made a change. */
export function sourceName(source: unknown): string {
  const name = typeof source === "string" ? source : "";
  return SOURCES[name] ?? name;
}
