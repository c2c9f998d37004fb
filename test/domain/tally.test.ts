import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  bucketOf,
  codeOf,
  DELIVERED_KINDS,
  decodeTally,
  ENDED_KINDS,
  encodeTally,
  KIND_COUNT,
  millisecondsOf,
  type TallyKind,
} from "../../src/domain/tally";

const KINDS: TallyKind[] = [
  "retried",
  "deliveredFirst",
  "deliveredLater",
  "failed",
  "cancelled",
  "expired",
  "accepted",
  "lastSequence",
];

test("each code belongs to one tally, and fits Postgres' integer", () => {
  const tally = fc.record({
    kind: fc.constantFrom(...KINDS),
    answer: fc.nat(15),
    receiver: fc.nat(127),
    delivery: fc.nat(127),
  });
  fc.assert(
    fc.property(tally, (each) => {
      expect(decodeTally(encodeTally(each))).toEqual(each);
      expect(encodeTally(each)).toBeLessThan(2 ** 31);
    }),
  );
});

test("a time is exact to a tenth, from a millisecond to two months", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 * 86_400_000 }), (ms) => {
      const known = millisecondsOf(bucketOf(ms));
      expect(Math.abs(known - ms)).toBeLessThanOrEqual(Math.max(1, ms / 10));
    }),
    { numRuns: 1_000 },
  );
  expect([bucketOf(-5), bucketOf(0), bucketOf(Number.MAX_SAFE_INTEGER)]).toEqual([0, 0, 127]);
});

test("statements use the same kinds", () => {
  const seen = (kinds: readonly number[]) =>
    KINDS.filter((kind) => kinds.includes(codeOf(kind) % KIND_COUNT));
  expect(seen(ENDED_KINDS)).toEqual(["deliveredFirst", "deliveredLater", "failed", "cancelled", "expired"]);
  expect(seen(DELIVERED_KINDS)).toEqual(["deliveredFirst", "deliveredLater"]);
});
