/** The REST routes that the app uses, one function each. */

import { buildPath, requestJson, send } from "./http";
import type {
  Agent,
  AgentChanges,
  AgentSummary,
  AgentVersion,
  BrainEntry,
  EntryChanges,
  EntryFilter,
  Exported,
  FileFormat,
  Health,
  ImportPreview,
  Injection,
  LibrarySkill,
  NewAgent,
  NewEntry,
  Pack,
  Page,
  ReportLine,
  Skill,
  SkillCategory,
  SkillFinding,
  Starter,
  TextFile,
} from "./model";

type Signal = AbortSignal | undefined;

export const health = (signal?: Signal) => requestJson<Health>("/api/health", { signal });

export type Credentials = { name: string; password: string } | { token: string };

export const signIn = (body: Credentials) => send("/api/sign-in", { method: "POST", body });

export const signOut = () => send("/api/sign-out", { method: "POST" });

/** Fetch all agents page by page, because the zoo shows every agent. */
export async function agentSummaries(archived: boolean, signal?: Signal): Promise<AgentSummary[]> {
  const found: AgentSummary[] = [];
  let cursor: string | null = null;
  do {
    const query = { archived, cursor, limit: 500 };
    const page: Page<AgentSummary> = await requestJson("/api/agents/summaries", { query, signal });
    found.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor);
  return found;
}

export const agent = (id: string, signal?: Signal) =>
  requestJson<Agent>(buildPath("agents", id), { signal });

export const createAgent = (body: NewAgent) =>
  requestJson<Agent>("/api/agents", { method: "POST", body });

export const changeAgent = (id: string, body: AgentChanges, version?: number) =>
  requestJson<Agent>(buildPath("agents", id), { method: "PATCH", body, version });

export const deleteAgent = (id: string) => send(buildPath("agents", id), { method: "DELETE" });

export const restoreAgent = (id: string) =>
  requestJson<Agent>(buildPath("agents", id, "restore"), { method: "POST" });

export const bin = (signal?: Signal) => requestJson<AgentSummary[]>("/api/bin", { signal });

export const purgeAgent = (id: string) => send(buildPath("bin", id), { method: "DELETE" });

export const duplicateAgent = (id: string, name?: string) =>
  requestJson<Agent>(buildPath("agents", id, "duplicate"), { method: "POST", body: { name } });

export const versions = (id: string, signal?: Signal) =>
  requestJson<AgentVersion[]>(buildPath("agents", id, "versions"), { signal });

export const version = (id: string, number: number, signal?: Signal) =>
  requestJson<AgentVersion>(buildPath("agents", id, "versions", number), { signal });

export const restoreVersion = (id: string, number: number) =>
  requestJson<Agent>(buildPath("agents", id, "versions", number, "restore"), { method: "POST" });

export const preview = (
  id: string,
  query: { memory?: boolean; budget?: number },
  signal?: Signal,
) => requestJson<Injection>(buildPath("agents", id, "preview"), { query, signal });

export const addSkill = (id: string, body: Partial<Skill>) =>
  requestJson<Agent>(buildPath("agents", id, "skills"), { method: "POST", body });

export const changeSkill = (id: string, skillId: string, body: Partial<Skill>, version?: number) =>
  requestJson<Agent>(buildPath("agents", id, "skills", skillId), {
    method: "PATCH",
    body,
    version,
  });

export const deleteSkill = (id: string, skillId: string) =>
  requestJson<Agent>(buildPath("agents", id, "skills", skillId), { method: "DELETE" });

export const enableSkill = (id: string, skillId: string, enabled: boolean) =>
  requestJson<Agent>(buildPath("agents", id, "skills", skillId, "toggle"), {
    method: "POST",
    body: { enabled },
  });

export const orderSkills = (id: string, ids: string[]) =>
  requestJson<Agent>(buildPath("agents", id, "skills", "order"), { method: "PUT", body: { ids } });

export const addCategory = (id: string, body: Partial<SkillCategory>) =>
  requestJson<Agent>(buildPath("agents", id, "categories"), { method: "POST", body });

export const changeCategory = (id: string, categoryId: string, body: Partial<SkillCategory>) =>
  requestJson<Agent>(buildPath("agents", id, "categories", categoryId), { method: "PATCH", body });

export const deleteCategory = (id: string, categoryId: string, moveTo?: string) =>
  requestJson<Agent>(buildPath("agents", id, "categories", categoryId), {
    method: "DELETE",
    query: { moveTo },
  });

export const skillFindings = (id: string, signal?: Signal) =>
  requestJson<SkillFinding[]>(buildPath("agents", id, "skill-findings"), { signal });

export const handOver = (
  id: string,
  body: { toAgentId: string; summary: string; entryIds: string[] },
) => requestJson<BrainEntry>(buildPath("agents", id, "hand-over"), { method: "POST", body });

export async function entries(
  id: string,
  filter: EntryFilter,
  cursor: string | null,
  signal?: Signal,
): Promise<Page<BrainEntry>> {
  const query = { ...filter, cursor, limit: 50 };
  const response = await send(buildPath("agents", id, "brain"), { query, signal });
  return { items: await response.json(), nextCursor: response.headers.get("X-Next-Cursor") };
}

export const createEntry = (id: string, entry: NewEntry) =>
  requestJson<BrainEntry>(buildPath("agents", id, "brain"), {
    method: "POST",
    body: { ...entry, metadata: { source: "manual", ...entry.metadata } },
  });

export const changeEntry = (
  id: string,
  entryId: string,
  body: EntryChanges,
  entryVersion?: number,
) =>
  requestJson<BrainEntry>(buildPath("agents", id, "brain", entryId), {
    method: "PATCH",
    body,
    version: entryVersion,
  });

export const deleteEntry = (id: string, entryId: string) =>
  send(buildPath("agents", id, "brain", entryId), { method: "DELETE" });

export const restoreEntry = (id: string, entryId: string) =>
  requestJson<BrainEntry>(buildPath("agents", id, "brain", entryId, "restore"), { method: "POST" });

export const pinEntry = (id: string, entryId: string, pinned: boolean) =>
  requestJson<BrainEntry>(buildPath("agents", id, "brain", entryId, "pin"), {
    method: "PATCH",
    body: { pinned },
  });

export const librarySkills = (signal?: Signal) =>
  requestJson<LibrarySkill[]>("/api/library/skills", { signal });

export const createLibrarySkill = (body: Partial<LibrarySkill>) =>
  requestJson<LibrarySkill>("/api/library/skills", { method: "POST", body });

export const packs = (signal?: Signal) => requestJson<Pack[]>("/api/library/packs", { signal });

export const copyFromLibrary = (body: { agentId: string; skillIds?: string[]; packId?: string }) =>
  requestJson<Agent>("/api/library/copy", { method: "POST", body });

export const formats = (signal?: Signal) => requestJson<FileFormat[]>("/api/formats", { signal });

export const exported = (id: string, format: string, memory: boolean, signal?: Signal) =>
  requestJson<Exported>(buildPath("agents", id, "export"), { query: { format, memory }, signal });

export const exportArchive = (id: string, format: string, memory: boolean) =>
  `${buildPath("agents", id, "export.zip")}?${new URLSearchParams({ format, memory: String(memory) })}`;

export const importPreview = (files: TextFile[], format?: string) =>
  requestJson<ImportPreview>("/api/import/preview", { method: "POST", body: { files, format } });

export const importFiles = (files: TextFile[], format?: string) =>
  requestJson<{ created: string[]; report: ReportLine[] }>("/api/import", {
    method: "POST",
    body: { files, format },
  });

export const starters = (signal?: Signal) => requestJson<Starter[]>("/api/starters", { signal });

export const takeStarters = (ids: string[]) =>
  requestJson<Agent[]>("/api/starters", { method: "POST", body: { ids } });
