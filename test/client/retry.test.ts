import { expect, test } from "bun:test";
import fc from "fast-check";
import { HermodError, HermodUnreachable } from "../../src/client";
import { waitBeforeRetry } from "../../src/client/retry";

const MINUTE_MS = 60_000;

const refusal = fc
  .record({
    status: fc.constantFrom(400, 401, 403, 404, 409, 413, 429, 500, 501, 502, 503, 504),
    retryAfter: fc.option(fc.nat({ max: 4_000 })),
  })
  .map(({ status, retryAfter }) => new HermodError(status, null, "no", null, retryAfter));
const failures = fc.record({
  error: fc.oneof(refusal, fc.constant(new HermodUnreachable("no answer"))),
  isRepeatable: fc.boolean(),
  retries: fc.nat({ max: 20 }),
  maxRetries: fc.nat({ max: 20 }),
});
const random = fc.double({ min: 0, max: 1, noNaN: true });

test("only repeatable requests are retried, up to the limit, and only after errors that may pass", () => {
  fc.assert(
    fc.property(failures, random, (failure, drawn) => {
      const { error } = failure;
      const passes = error instanceof HermodUnreachable || [429, 502, 503, 504].includes(error.status);
      const isLong = error instanceof HermodError && (error.retryAfter ?? 0) * 1_000 > MINUTE_MS;
      const may = failure.isRepeatable && failure.retries < failure.maxRetries && passes && !isLong;
      expect(waitBeforeRetry(failure, drawn) !== null).toBe(may);
    }),
  );
});

test("a wait is at least as long as Retry-After, and bounded", () => {
  fc.assert(
    fc.property(failures, random, (failure, drawn) => {
      const wait = waitBeforeRetry(failure, drawn);
      if (wait === null) return;
      const asked = failure.error instanceof HermodError ? (failure.error.retryAfter ?? 0) * 1_000 : 0;
      expect(wait).toBeGreaterThanOrEqual(asked);
      expect(wait).toBeLessThanOrEqual(asked + 10_000);
    }),
  );
});
