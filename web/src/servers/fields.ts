/**
 * Form fields derived from the JSON Schema of a tool, and tool arguments built from typed values.
 */

import type { JsonSchema, PromptArgument } from "../api/servers";

export type FieldKind =
  | "line"
  | "text"
  | "number"
  | "integer"
  | "switch"
  | "choice"
  | "lines"
  | "json";

export type FormField = {
  name: string;
  kind: FieldKind;
  description: string;
  required: boolean;
  choices: unknown[];
  /** The initial text of the field. */
  initial: string;
  minimum?: number | undefined;
  maximum?: number | undefined;
  maxLength?: number | undefined;
};

/** The typed value of each field. A switch is `true` or `false`. */
export type FieldValues = Record<string, string>;

const MOST_STEPS = 8;

/** Names of parameters that usually hold several lines of text. */
const LONG = /code|text|content|context|body|script|summary|source|prompt|message|input|note/i;

function resolved(schema: JsonSchema, root: JsonSchema, steps = 0): JsonSchema {
  if (steps > MOST_STEPS) return {};
  if (schema.$ref) {
    const found = root.$defs?.[schema.$ref.replace("#/$defs/", "")];
    return found
      ? resolved({ ...found, ...schema, $ref: undefined } as JsonSchema, root, steps + 1)
      : {};
  }
  const ways = (schema.anyOf ?? schema.oneOf)?.filter((way) => way.type !== "null");
  if (ways?.length === 1 && ways[0]) {
    const { anyOf: _any, oneOf: _one, ...around } = schema;
    return resolved({ ...ways[0], ...around }, root, steps + 1);
  }
  return schema;
}

function typeOf(schema: JsonSchema): string | undefined {
  if (!Array.isArray(schema.type)) return schema.type;
  const types = schema.type.filter((type) => type !== "null");
  return types.length === 1 ? types[0] : undefined;
}

function kindOf(name: string, schema: JsonSchema, root: JsonSchema): FieldKind {
  if (schema.enum) return "choice";
  switch (typeOf(schema)) {
    case "string":
      return (schema.maxLength ?? 1000) > 200 && LONG.test(name) ? "text" : "line";
    case "number":
      return "number";
    case "integer":
      return "integer";
    case "boolean":
      return "switch";
    case "array":
      return typeOf(resolved(schema.items ?? {}, root)) === "string" ? "lines" : "json";
    default:
      return "json";
  }
}

function asTyped(kind: FieldKind, value: unknown): string {
  if (value === undefined || value === null) return "";
  if (kind === "lines" && Array.isArray(value)) return value.join("\n");
  if (kind === "choice" || kind === "json") return JSON.stringify(value, null, 2);
  return String(value);
}

export function createFields(schema: JsonSchema): FormField[] {
  return Object.entries(schema.properties ?? {}).map(([name, given]) => {
    const property = resolved(given, schema);
    const kind = kindOf(name, property, schema);
    const required = schema.required?.includes(name) ?? false;
    const initial = asTyped(kind, property.default);
    return {
      name,
      // A switch cannot represent a missing value.
      kind: kind === "switch" && !required && initial === "" ? "choice" : kind,
      description: property.description ?? "",
      required,
      choices: property.enum ?? (kind === "switch" ? [true, false] : []),
      initial: kind === "switch" && required && initial === "" ? "false" : initial,
      minimum: property.minimum,
      maximum: property.maximum,
      maxLength: property.maxLength,
    };
  });
}

export function createPromptFields(prompt: PromptArgument[]): FormField[] {
  return prompt.map(({ name, description, required }) => ({
    name,
    kind: LONG.test(name) ? "text" : "line",
    description: description ?? "",
    required,
    choices: [],
    initial: "",
  }));
}

export function getInitialValues(fields: FormField[]): FieldValues {
  return Object.fromEntries(fields.map(({ name, initial }) => [name, initial]));
}

class Unusable extends Error {}

function numberOf({ kind, minimum, maximum }: FormField, text: string): number {
  const number = Number(text);
  if (Number.isNaN(number)) throw new Unusable(`“${text}” is not a number.`);
  if (kind === "integer" && !Number.isInteger(number)) {
    throw new Unusable("It has to be a whole number.");
  }
  if (minimum !== undefined && number < minimum) throw new Unusable(`${minimum} or more.`);
  if (maximum !== undefined && number > maximum) throw new Unusable(`${maximum} or less.`);
  return number;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Unusable(`This is not JSON yet: ${(error as Error).message}`);
  }
}

function argumentOf(field: FormField, text: string): unknown {
  switch (field.kind) {
    case "number":
    case "integer":
      return numberOf(field, text.trim());
    case "switch":
      return text === "true";
    case "lines":
      return text.split("\n").filter((line) => line.trim() !== "");
    case "choice":
    case "json":
      return jsonOf(text);
    default:
      return text;
  }
}

/**
 * Build the arguments of a call, or return the error of each invalid field. Empty fields are
 * omitted.
 */
export function buildArguments(
  fields: FormField[],
  typed: FieldValues,
): { values: Record<string, unknown>; problems: Record<string, string> } {
  const values: Record<string, unknown> = {};
  const problems: Record<string, string> = {};
  for (const field of fields) {
    const text = typed[field.name] ?? field.initial;
    if (text.trim() === "") {
      if (field.required) problems[field.name] = "This is needed.";
      continue;
    }
    try {
      values[field.name] = argumentOf(field, text);
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      problems[field.name] = error.message;
    }
  }
  return { values, problems };
}
