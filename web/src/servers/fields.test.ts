import { expect, test } from "vitest";
import type { JsonSchema } from "../api/servers";
import { buildArguments, createFields, getInitialValues } from "./fields";

const SCHEMA: JsonSchema = {
  type: "object",
  properties: {
    code: { type: "string", description: "What to run." },
    count: { type: "integer", minimum: 1, default: 2 },
    language: { type: "string", enum: ["English", "French"], default: "English" },
    tags: { type: "array", items: { type: "string" } },
    pinned: { type: "boolean" },
    deep: { type: "object" },
    seconds: { anyOf: [{ type: "number" }, { type: "null" }], default: null },
    mood: { $ref: "#/$defs/Mood" },
  },
  $defs: { Mood: { type: "string", enum: ["calm", "wild"] } },
  required: ["code"],
};

test("every kind of schema gets the field that suits it", () => {
  const kinds = createFields(SCHEMA).map(({ name, kind }) => [name, kind]);
  expect(Object.fromEntries(kinds)).toEqual({
    code: "text",
    count: "integer",
    language: "choice",
    tags: "lines",
    pinned: "choice",
    deep: "json",
    seconds: "number",
    mood: "choice",
  });
});

test("fields contain their defaults, and empty fields are omitted", () => {
  const fields = createFields(SCHEMA);
  const typed = { ...getInitialValues(fields), code: "1 + 1" };
  expect(buildArguments(fields, typed)).toEqual({
    values: { code: "1 + 1", count: 2, language: "English" },
    problems: {},
  });
});

test("what was typed becomes values of the types that the schema asks for", () => {
  const typed = {
    code: "x",
    count: "3",
    language: '"French"',
    tags: "one\n\ntwo words",
    pinned: "false",
    deep: '{"a": [1]}',
    seconds: "1.5",
    mood: '"wild"',
  };
  expect(buildArguments(createFields(SCHEMA), typed).values).toEqual({
    code: "x",
    count: 3,
    language: "French",
    tags: ["one", "two words"],
    pinned: false,
    deep: { a: [1] },
    seconds: 1.5,
    mood: "wild",
  });
});

test("what cannot be used says so at its field", () => {
  const typed = { code: " ", count: "0", seconds: "soon", deep: "{" };
  const { problems } = buildArguments(createFields(SCHEMA), typed);
  expect(Object.keys(problems)).toEqual(["code", "count", "deep", "seconds"]);
});

test("a recursive schema terminates", () => {
  const loop: JsonSchema = {
    properties: { it: { $ref: "#/$defs/It" } },
    $defs: { It: { anyOf: [{ $ref: "#/$defs/It" }] } },
  };
  expect(createFields(loop)[0]?.kind).toBe("json");
});
