import { expect, test } from "bun:test";
import type { JsonSchema } from "../../../src/domain/json-schema";
import { MatchBudget, WHOLE_MATCH_BUDGET } from "../../../src/event-types/schema/match-budget";
import { compileSchema } from "../../../src/event-types/schema/payload-schema";

const TOGETHER = /^data is too expensive to validate in this request/;

/** Returns how many of a thousand payloads one budget suffices for. */
function judged(schema: JsonSchema, data: unknown): number {
  const budget = new MatchBudget();
  const { validate } = compileSchema(schema);
  const verdicts = Array.from({ length: 1_000 }, () => validate(data, budget));
  const count = verdicts.filter((verdict) => verdict === null).length;
  for (const verdict of verdicts.slice(count)) expect(verdict).toMatch(TOGETHER);
  return count;
}

test.each<[string, JsonSchema, unknown]>([
  ["patterns", { pattern: "^(a|b)*c*$" }, "ab".repeat(20_000)],
  ["comparisons", { items: { enum: Array.from({ length: 900 }, (_, i) => i) } }, Array(1_000).fill(899)],
  ["counted characters", { allOf: Array(500).fill({ maxLength: 1e6 }) }, "x".repeat(2_000)],
])("%s are bounded over all payloads of a request", (_, schema, data) => {
  const count = judged(schema, data);
  expect(count).toBeGreaterThan(1);
  expect(count).toBeLessThan(100);
});

test("a thousand ordinary payloads use little of it", () => {
  const text = { type: "string", minLength: 1, maxLength: 100 };
  const line = { type: "object", required: ["sku"], properties: { sku: text, count: { type: "integer" } } };
  const { validate } = compileSchema({
    type: "object",
    required: ["id", "email", "lines"],
    properties: {
      id: { type: "string", format: "uuid" },
      email: { type: "string", format: "email" },
      currency: { type: "string", pattern: "^[A-Z]{3}$" },
      reference: { type: "string", pattern: "^ord_[0-9a-f]{8}(-[0-9a-f]{4}){3}$" },
      status: { enum: ["new", "paid", "sent"] },
      lines: { type: "array", items: line },
    },
  });
  const data = {
    id: "018f4c1e-7b1a-7000-8000-0123456789ab",
    email: "someone@example.com",
    currency: "EUR",
    reference: "ord_018f4c1e-7b1a-7000-8000",
    status: "paid",
    lines: Array.from({ length: 20 }, (_, count) => ({ sku: "a-stock-keeping-unit", count })),
  };
  const budget = new MatchBudget();
  for (let i = 0; i < 1_000; i++) expect(validate(data, budget)).toBeNull();
  for (const kind of ["steps", "comparisons", "characters"] as const) {
    expect(budget[kind]).toBeGreaterThan(0.8 * WHOLE_MATCH_BUDGET[kind]);
  }
});

test("a payload that is too large by itself is refused, and costs those after it nothing", () => {
  const { validate } = compileSchema({ items: { enum: Array.from({ length: 900 }, (_, i) => i) } });
  const budget = new MatchBudget();
  expect(validate(Array(20_000).fill(1), budget)).toBe("data is too large for its event type's schema");
  expect(validate([1], budget)).toBeNull();
});
