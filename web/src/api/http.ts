/** Requests to the server that served this page, and their errors. */

import type { Agent } from "./model";

type Problem = { error?: string; code?: string; details?: unknown };

/** The server has rejected the request. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: unknown;

  constructor(status: number, problem: Problem) {
    super(problem.error ?? `The server answered with status ${status}.`);
    this.name = "ApiError";
    this.status = status;
    this.code = problem.code ?? "";
    this.details = problem.details;
  }
}

/** The item was changed elsewhere since it was loaded. */
export class ConflictError extends ApiError {
  /** The current agent or entry. */
  get current(): unknown {
    const details = this.details;
    const first = Array.isArray(details) ? details[0] : details;
    return (first as { current?: unknown } | undefined)?.current;
  }

  get currentAgent(): Agent | undefined {
    const agent = this.current as Agent | undefined;
    return agent && "systemPrompt" in agent ? agent : undefined;
  }
}

/** The server did not respond: it is not running, or the network is down. */
export class OfflineError extends Error {
  constructor() {
    super("Paddock does not answer. Is it still running?");
    this.name = "OfflineError";
  }
}

type Query = Record<string, string | number | boolean | string[] | null | undefined>;

export type RequestOptions = {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  body?: unknown;
  query?: Query;
  /**
   * The version that the change is based on. If the server has a newer one, the request ends in a
   * conflict.
   */
  version?: number | undefined;
  signal?: AbortSignal | undefined;
};

/** Build a path from parts, which may contain any characters. */
export function buildPath(...parts: (string | number)[]): string {
  return `/api/${parts.map((part) => encodeURIComponent(part)).join("/")}`;
}

function getAgentPath(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === "") continue;
    if (Array.isArray(value) && value.length === 0) continue;
    parameters.set(name, Array.isArray(value) ? value.join(",") : String(value));
  }
  const written = parameters.toString();
  return written ? `${path}?${written}` : path;
}

async function problemOf(response: Response): Promise<ApiError> {
  const problem: Problem = await response.json().catch(() => ({}));
  return response.status === 412
    ? new ConflictError(response.status, problem)
    : new ApiError(response.status, problem);
}

export async function send(path: string, options: RequestOptions = {}): Promise<Response> {
  const { method = "GET", body, query, version, signal } = options;
  const headers: Record<string, string> = { Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (version !== undefined) headers["If-Match"] = `"${version}"`;
  let response: Response;
  try {
    response = await fetch(getAgentPath(path, query), {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new OfflineError();
  }
  // Sent by a development proxy or a gateway if the server does not respond.
  if ([502, 503, 504].includes(response.status) && !isJson(response)) throw new OfflineError();
  if (!response.ok) throw await problemOf(response);
  return response;
}

function isJson(response: Response): boolean {
  return (response.headers.get("Content-Type") ?? "").includes("json");
}

export async function requestJson<T>(path: string, options?: RequestOptions): Promise<T> {
  const response = await send(path, options);
  return (await response.json()) as T;
}
