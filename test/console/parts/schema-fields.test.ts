import { expect, test } from "bun:test";
import { schemaFields } from "../../../src/console/console/schema-fields";
import { parseExactly } from "../../../src/runtime/text/exact-json";

test("a schema's fields show all digits of its numbers", () => {
  const big = "12345678901234567890";
  const schema = `{"properties":{"n":{"minimum":${big},"enum":["a",${big},null]}}}`;
  expect(schemaFields(parseExactly(schema) as Record<string, unknown>)).toMatchObject([
    { name: "n", detail: `at least ${big}; one of a, ${big}, null` },
  ]);
});
