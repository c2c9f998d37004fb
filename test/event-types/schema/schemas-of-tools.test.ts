import { expect, test } from "bun:test";
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
