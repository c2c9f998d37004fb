import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { readOpenApi } from "../../../src/event-types/catalogue/openapi";
import { checkSchema, compileSchema } from "../../../src/event-types/schema/payload-schema";
import schemas from "./schemas-of-tools.json";

const RECURSION = "refers to a part from within it";
const LOOK_AROUND = "pattern that can't be checked (look-around";

test.each<[keyof typeof schemas, string[], object, object]>([
  [
    "zod-to-json-schema",
    [RECURSION, LOOK_AROUND, "keyword contentEncoding"],
    { id: "no uuid" },
    { payment: { kind: "cheque" } },
  ],
  [
    "pydantic",
    [LOOK_AROUND, "format binary", "format password", "keyword discriminator", RECURSION],
    { took: "an hour" },
    { payment: { kind: "card", last4: "12345" } },
  ],
  [
    "NJsonSchema",
    [
      "format guid",
      "format decimal",
      "format int32",
      "format byte",
      RECURSION,
      "oneOf that is checked like anyOf",
      "keyword discriminator",
      "pattern that can't be checked (Invalid",
    ],
    { Id: "a", Total: 0 },
    { Id: "a", Kind: 2 },
  ],
])("a schema that %s writes is taken, and checked where it can be", (tool, warnings, ...bad) => {
  const schema = schemas[tool];
  expect(checkSchema(schema)).toEqual({ warnings: warnings.map((part) => expect.stringContaining(part)) });
  const { validate } = compileSchema(schema);
  const good = GOOD[tool];
  expect(validate(good)).toBeNull();
  for (const change of bad) expect(validate({ ...good, ...change })).not.toBeNull();
});

/** Every eleventh of GitHub's events, as webhooks of one OpenAPI document that shares their parts. */
async function documentOfGitHub() {
  const path = fileURLToPath(import.meta.resolve("@octokit/webhooks-schemas"));
  const text = await Bun.file(path).text();
  const SHARED = "#/components/schemas/";
  type Bundle = { definitions: Record<string, object>; oneOf: { $ref: string }[] };
  const { definitions, oneOf }: Bundle = JSON.parse(text.replaceAll("#/definitions/", SHARED));
  const webhookOf = (schema: object) => ({
    post: { requestBody: { content: { "application/json": { schema } } } },
  });
  const sampled = oneOf.filter((_, n) => n % 11 === 0);
  const webhooks = Object.fromEntries(
    sampled.map((each) => [each.$ref.slice(SHARED.length), webhookOf(each)]),
  );
  return { document: { openapi: "3.1.0", webhooks, components: { schemas: definitions } }, sampled };
}

test("the schemas of GitHub's events are taken from one document, and refuse what is no such event", async () => {
  const { document, sampled } = await documentOfGitHub();
  const read = [...readOpenApi(document)];
  expect(read).toHaveLength(sampled.length);
  for (const each of read) {
    if (!("entry" in each) || each.entry.schema === undefined) throw new Error(JSON.stringify(each));
    expect(checkSchema(each.entry.schema)).toEqual({ warnings: expect.any(Array) });
    expect(compileSchema(each.entry.schema).validate({})).not.toBeNull();
  }
});

const GOOD = {
  "zod-to-json-schema": {
    id: "018f4c1e-7b1a-7000-8000-0123456789ab",
    at: "2026-01-31T12:00:00Z",
    total: 1,
    mail: "a@b.example",
    tags: ["a"],
    status: "open",
    payment: { kind: "cash" },
    tree: { name: "a", children: [{ name: "b", children: [{ name: 1 }] }] },
    slug: "a",
    data: {},
    b64: "YQ==",
  },
  pydantic: {
    id: "018f4c1e-7b1a-7000-8000-0123456789ab",
    at: "2026-01-31T12:00:00Z",
    due: "2026-01-31",
    took: "PT1H",
    total: "1.5",
    url: "https://example.com/",
    photo: "x",
    secret: "y",
    tags: ["a"],
    pair: [1, "a"],
    payment: { kind: "card", last4: "1234" },
    tree: { name: "a", children: [{ name: "b" }] },
  },
  NJsonSchema: { Id: "a", Total: 0.5, Kind: 1, Parent: { Id: "b" }, Lines: [{ Sku: null }], Code: "A1" },
};
