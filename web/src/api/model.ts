/** Types of the zoo's JSON data. The Python side is `paddock.zoo.model`. */

export const ENTRY_TYPES = ["decision", "milestone", "note", "summary", "handoff"] as const;
export type EntryType = (typeof ENTRY_TYPES)[number];

export type SkillCategory = { id: string; name: string; color: string };

export type Skill = {
  id: string;
  name: string;
  /** The text that is injected. */
  description: string;
  whenToUse: string;
  categoryId: string;
  enabled: boolean;
  /** Ids of skills of the same agent. */
  requires: string[];
  libraryId: string | null;
};

export type Agent = {
  id: string;
  name: string;
  description: string;
  systemPrompt: string;
  skillCategories: SkillCategory[];
  skills: Skill[];
  contextRefs: string[];
  appearanceSeed: string;
  tags: string[];
  injectsMemory: boolean;
  archived: boolean;
  createdAt: string;
  updatedAt: string;
  version: number;
};

export type AgentSummary = {
  id: string;
  name: string;
  description: string;
  tags: string[];
  appearanceSeed: string;
  archived: boolean;
  /** Names of the enabled skills. */
  skillNames: string[];
  entryCount: number;
  updatedAt: string;
  version: number;
  lastInjectedAt: string | null;
  /** Only set for agents in the bin. */
  deletedAt?: string | null;
};

export type NewAgent = Partial<Omit<Agent, "createdAt" | "updatedAt" | "version">> & {
  name: string;
};
export type AgentChanges = Partial<Omit<Agent, "id" | "createdAt" | "updatedAt" | "version">>;

export type BrainEntry = {
  id: string;
  agentId: string;
  type: EntryType;
  content: string;
  timestamp: string;
  updatedAt: string;
  pinned: boolean;
  tags: string[];
  metadata: Record<string, unknown>;
  version: number;
};

export type NewEntry = Pick<BrainEntry, "type" | "content"> &
  Partial<Pick<BrainEntry, "tags" | "pinned" | "metadata">>;
export type EntryChanges = Partial<Pick<BrainEntry, "type" | "content" | "tags" | "pinned">>;

export type EntryFilter = {
  type?: EntryType | undefined;
  /** Entries with at least one of these tags. */
  tags?: string[] | undefined;
  dateFrom?: string | undefined;
  dateTo?: string | undefined;
  pinned?: boolean | undefined;
  text?: string | undefined;
};

export type Section = {
  kind: string;
  title: string;
  text: string;
  characters: number;
  tokens: number;
};

export type Injection = {
  agentId: string;
  agentName: string;
  prompt: string;
  sections: Section[];
  tokens: number;
  warnings: string[];
};

export type AgentVersion = {
  version: number;
  savedAt: string;
  source: string;
  summary: string;
  agent: Agent | null;
};

export type SkillFinding = { kind: string; skillIds: string[]; message: string };

export type LibrarySkill = {
  id: string;
  name: string;
  description: string;
  whenToUse: string;
  tags: string[];
  requires: string[];
  packId: string | null;
  version: number;
};

export type Pack = { id: string; name: string; description: string; version: number };

export type FileFormat = { name: string; title: string; kind: string };
export type TextFile = { path: string; text: string };
/** Data that does not fit into a format, or that was imported only in part. */
export type ReportLine = { field: string; message: string; path?: string | null };
export type Exported = { files: TextFile[]; report: ReportLine[] };
export type ImportPreview = {
  agents: Agent[];
  /** Skills that would be added to the library. */
  skills: LibrarySkill[];
  /** Number of brain entries of all agents. */
  entries: number;
  report: ReportLine[];
};

export const EVENT_KINDS = [
  "agent:created",
  "agent:updated",
  "agent:deleted",
  "agent:restored",
  "agent:purged",
  "agent:injected",
  "agent:handedOver",
  "brain:written",
  "brain:updated",
  "brain:deleted",
  "brain:restored",
  "library:changed",
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export type ZooEvent = {
  id: number;
  kind: EventKind;
  at: string;
  source: string;
  agentId: string | null;
  entryId: string | null;
  detail: Record<string, unknown>;
};

export type Health = {
  status: string;
  version: string;
  database: string;
  signedIn: string | null;
  /** Whether the user has to sign in first. */
  needsSignIn: boolean;
  /** Whether users sign in with a name and a password instead of a token. */
  isTeam: boolean;
};

export type Page<T> = { items: T[]; nextCursor: string | null };

/** A client that has called an MCP endpoint. */
export type Connection = {
  server: string;
  client: string;
  version: string;
  era: string;
  at: string;
  tool: string | null;
};

/** A starter agent. */
export type Starter = { id: string; name: string; description: string; agent: Agent };
