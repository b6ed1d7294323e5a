/**
 * Named servers with their contents, calls of their tools, and the engines and extensions of the
 * machine.
 */

import { useQuery } from "@tanstack/react-query";
import { buildPath, requestJson } from "./http";

export type ServerSummary = {
  name: string;
  title: string | null;
  description: string | null;
  /** `built-in`, `user` or `extension`. */
  source: string;
  extension: string | null;
  version: string | null;
  /** Null if it is known only after the server was run. */
  tools: number | null;
  prompts: number | null;
  resources: number | null;
  findings: number;
  url: string;
  /** The reason why the server cannot be used. */
  problem: string | null;
};

/** The part of JSON Schema that forms support. */
export type JsonSchema = {
  type?: string | string[];
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
};

export type ToolInfo = {
  name: string;
  title: string | null;
  description: string | null;
  inputSchema: JsonSchema;
  annotations: {
    readOnlyHint?: boolean;
    destructiveHint?: boolean;
    openWorldHint?: boolean;
  } | null;
};

export type PromptArgument = {
  name: string;
  title: string | null;
  description: string | null;
  required: boolean;
};

export type PromptInfo = {
  name: string;
  title: string | null;
  description: string | null;
  arguments: PromptArgument[];
};

export type ResourceInfo = {
  name: string;
  title: string | null;
  description: string | null;
  mimeType: string | null;
};

export type Finding = {
  code: string;
  severity: string;
  place: string;
  message: string;
  remedy: string;
};

export type ServerDetail = Omit<ServerSummary, "tools" | "prompts" | "resources" | "findings"> & {
  instructions: string | null;
  tools: ToolInfo[];
  prompts: PromptInfo[];
  resources: (ResourceInfo & { uri: string })[];
  templates: (ResourceInfo & { uriTemplate: string })[];
  findings: Finding[];
  configuration: Record<string, unknown>;
};

/** One content item of the result of a tool or a prompt. */
export type Content = {
  type: string;
  text?: string;
  data?: string;
  mimeType?: string;
  uri?: string;
  name?: string;
  resource?: { uri: string; text?: string; mimeType?: string };
};

export type CallResult = {
  content: Content[];
  structuredContent: unknown;
  isError: boolean;
  milliseconds: number;
};

export type PromptAnswer = {
  description: string | null;
  messages: { role: string; content: Content | Content[] }[];
};

export type Engine = {
  name: string;
  title: string;
  version: string;
  licence: string;
  /** The path of the engine, or empty if it is not installed. */
  found: string;
  howToGet: string;
  capabilities: string[];
  confinement: string;
  isChosen: boolean;
  reason: string;
};

type Named = { name: string; description: string | null };

export type Extension = {
  name: string;
  kind: string;
  version: string | null;
  place: string;
  servers: Named[];
  tools: Named[];
  prompts: Named[];
  resources: Named[];
  problem: string | null;
};

/** In a URL, `~` replaces the slash of a qualified name. */
export function encodeServerName(server: string): string {
  return server.replaceAll("/", "~");
}

export function useServers() {
  return useQuery({
    queryKey: ["servers"],
    queryFn: ({ signal }) => requestJson<ServerSummary[]>("/api/servers", { signal }),
  });
}

export function useServer(name: string) {
  return useQuery({
    queryKey: ["servers", name],
    queryFn: ({ signal }) =>
      requestJson<ServerDetail>(buildPath("servers", encodeServerName(name)), { signal }),
  });
}

export function useEngines() {
  return useQuery({
    queryKey: ["engines"],
    queryFn: ({ signal }) => requestJson<Engine[]>("/api/engines", { signal }),
  });
}

export function useExtensions() {
  return useQuery({
    queryKey: ["extensions"],
    queryFn: ({ signal }) => requestJson<Extension[]>("/api/extensions", { signal }),
  });
}

export const callTool = (server: string, tool: string, body: unknown, signal: AbortSignal) =>
  requestJson<CallResult>(buildPath("servers", encodeServerName(server), "tools", tool, "call"), {
    method: "POST",
    body: { arguments: body },
    signal,
  });

export const getPrompt = (server: string, prompt: string, body: unknown, signal: AbortSignal) =>
  requestJson<PromptAnswer>(buildPath("servers", encodeServerName(server), "prompts", prompt), {
    method: "POST",
    body: { arguments: body },
    signal,
  });
