import { expect, test } from "bun:test";
import fc from "fast-check";
import { PLAIN } from "../../src/dispatch/endpoint";
import { healthOf, type MadeAttempt, restOf, type Schedule, verdictOf } from "../../src/dispatch/verdict";
import type { Instruction } from "../../src/domain/outcome";
import { longestWait } from "../../src/domain/retry-policy";
import { FORGED_TEST_EVENT } from "../../src/domain/test-event";

const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;

const usual: Schedule = [SECOND, 5 * SECOND, 30 * SECOND];

type Facts = {
  status?: number;
  succeeded?: boolean;
  retryAfterMs?: number | null;
  instruction?: Instruction | null;
  permanentStatuses?: number[];
  /** Number of attempts, including this one. */
  attempts?: number;
  freeAttempts?: number;
  isFree?: boolean;
  hasSingleAttempt?: boolean;
  stopsWhenExhausted?: boolean;
  isFailing?: boolean;
  isOurFault?: boolean;
  isForged?: boolean;
};

/** A first attempt that failed, apart from the given facts. */
function attempted(some: Facts = {}): MadeAttempt {
  const { attempts = 1, freeAttempts = 0, isFree = false } = some;
  const { hasSingleAttempt = false, permanentStatuses = [] } = some;
  const { status = 500, succeeded = false, retryAfterMs = null, instruction = null } = some;
  const event = some.isForged ? FORGED_TEST_EVENT : "a.b";
  const onExhausted = some.stopsWhenExhausted ? "pause" : "skip";
  const failingSince = some.isFailing ? 1 : null;
  const error = some.isOurFault ? "proxy" : null;
  return {
    delivery: { event, attemptCount: attempts - 1, freeAttempts, isFree, hasSingleAttempt },
    endpoint: { ...PLAIN, permanentStatuses, onExhausted, failingSince },
    exchange: { acknowledged: succeeded, status, error, errorDetail: null, retryAfterMs, instruction },
  };
}

/** Returns the wait of the verdict. Null if it has none. */
function waitOf(some: Facts, random = 0.5, by = usual): number | null {
  const verdict = verdictOf(attempted(some), by, random);
  return verdict.kind === "retry" ? verdict.afterMs : null;
}

const failure = fc.constantFrom(0, 200, 302, 400, 404, 429, 500, 503);
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test("a success is delivered, whatever came before", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 200, max: 299 }),
      fc.integer({ min: 1, max: 99 }),
      fc.boolean(),
      (status, attempts, hasSingleAttempt) => {
        const some = { status, succeeded: true, attempts, hasSingleAttempt, retryAfterMs: 5 };
        expect(verdictOf(attempted(some), usual, 0)).toEqual({ kind: "delivered" });
      },
    ),
  );
});

test("a 2xx that is not a success is retried like any failure", () => {
  expect(waitOf({ status: 200, succeeded: false })).toBe(SECOND);
});

test("a forgery is tried once, is never delivered, and does not count against the endpoint", () => {
  const answered = fc.record({
    status: fc.constantFrom(0, 200, 204, 302, 400, 401, 403, 410, 429, 500, 503),
    hasSingleAttempt: fc.boolean(),
    isFailing: fc.boolean(),
    retryAfterMs: fc.constantFrom(null, 5_000),
    instruction: fc.constantFrom(null, "disable" as const),
  });
  fc.assert(
    fc.property(answered, (some) => {
      const succeeded = some.status >= 200 && some.status < 300;
      const forged = attempted({ ...some, succeeded, isForged: true });
      const verdict = verdictOf(forged, usual, 0.5);
      const isRefused = some.status >= 400 && some.status < 500;
      const nextAfterMs = some.hasSingleAttempt ? Math.max(SECOND, some.retryAfterMs ?? 0) : null;
      expect(verdict).toEqual({ kind: isRefused ? "cancelled" : "failed", nextAfterMs });
      expect([healthOf(forged, verdict), restOf(forged, usual)]).toEqual(["none", null]);
    }),
  );
});

test("each failure waits for its entry in the schedule, give or take ten percent", () => {
  fc.assert(
    fc.property(failure, fc.integer({ min: 1, max: 3 }), random, (status, attempts, draw) => {
      const wait = usual[attempts - 1] ?? Number.NaN;
      const actual = waitOf({ status, attempts }, draw);
      expect(actual).toBeGreaterThanOrEqual(Math.floor(wait * 0.9));
      expect(actual).toBeLessThanOrEqual(Math.ceil(wait * 1.1));
      expect(Number.isInteger(actual)).toBe(true);
    }),
  );
  expect(waitOf({}, 0)).toBe(900);
  expect(waitOf({}, 0.5)).toBe(1_000);
  expect(waitOf({}, 0.999_999)).toBe(1_100);
});

test("no wait is longer than the maximum, whatever the schedule or the receiver says", () => {
  const schedule = fc.array(fc.integer({ min: 1, max: 365 * DAY }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(schedule, failure, random, fc.nat(DAY), (waits, status, draw, retryAfterMs) => {
      const some = { status, retryAfterMs, attempts: waits.length };
      const verdict = verdictOf(attempted(some), waits, draw);
      if (verdict.kind === "retry") expect(verdict.afterMs).toBeLessThanOrEqual(longestWait(waits));
    }),
  );
  // Of an endpoint's own schedule.
  expect(longestWait([])).toBeGreaterThanOrEqual(1.1 * DAY);
});

test("after the last retry the delivery fails", () => {
  for (const attempts of [4, 5, 100]) expect(waitOf({ attempts })).toBeNull();
});

test("410 is retried like any failure, since a deployment may answer it for a moment", () => {
  expect(waitOf({ status: 410 })).toBe(SECOND);
});

test("a delivery has its whole schedule, counted by its attempts only", () => {
  fc.assert(
    fc.property(failure, random, (status, draw) => {
      const kinds = [1, 2, 3, 4].map(
        (attempts) => verdictOf(attempted({ status, attempts }), usual, draw).kind,
      );
      expect(kinds).toEqual(["retry", "retry", "retry", "failed"]);
    }),
  );
});

test("a free attempt repeats the wait that it ended, and uses up no step of the schedule", () => {
  const free = (attempts: number, freeAttempts = 0) => waitOf({ attempts, freeAttempts, isFree: true });
  expect([2, 3, 4].map((attempts) => free(attempts))).toEqual([...usual]);
  expect(free(105, 101)).toBe(30 * SECOND);
  expect(waitOf({ attempts: 104, freeAttempts: 101 })).toBe(30 * SECOND);
  expect(waitOf({ attempts: 105, freeAttempts: 101 })).toBeNull();
});

test("a free attempt in front of a delivery's single attempt leaves it the single attempt", () => {
  const single = { hasSingleAttempt: true, isFree: true };
  for (const attempts of [1, 2]) expect(waitOf({ ...single, attempts })).toBe(SECOND);
  const refused = { ...single, status: 422, permanentStatuses: [422] };
  expect(verdictOf(attempted(refused), usual, 0.5)).toEqual({ kind: "failed", nextAfterMs: SECOND });
});

test("after a used up schedule the next delivery waits for the first wait, or as long as Retry-After says", () => {
  const usedUp = { attempts: 4 };
  const nextAfter = (some: Facts, by = usual) => verdictOf(attempted(some), by, 0.5);
  expect(nextAfter(usedUp)).toEqual({ kind: "failed", nextAfterMs: SECOND });
  expect(nextAfter({ ...usedUp, status: 503, retryAfterMs: 20 * SECOND })).toEqual({
    kind: "failed",
    nextAfterMs: 20 * SECOND,
  });
  // A schedule without waits is used up by the only attempt.
  expect(nextAfter({}, [])).toEqual({ kind: "failed", nextAfterMs: 0 });
});

test("deliveries behind a used up schedule get one attempt each, and pass that on", () => {
  const single = { hasSingleAttempt: true };
  expect(verdictOf(attempted(single), usual, 0.5)).toEqual({ kind: "failed", nextAfterMs: SECOND });
  expect(verdictOf(attempted({ ...single, succeeded: true }), usual, 0.5)).toEqual({ kind: "delivered" });
});

test("Retry-After lengthens the wait after any failure, and never shortens it", () => {
  for (const status of [302, 404, 413, 429, 500, 502, 503]) {
    expect(waitOf({ status, retryAfterMs: 20 * SECOND })).toBe(20 * SECOND);
    expect(waitOf({ status, retryAfterMs: 10 })).toBe(SECOND);
    expect(waitOf({ status, retryAfterMs: 0 })).toBe(SECOND);
    expect(waitOf({ status, retryAfterMs: null })).toBe(SECOND);
  }
});

test("Retry-After counts up to an hour, and never cuts a longer wait of the schedule", () => {
  expect(waitOf({ status: 429, retryAfterMs: 30 * DAY })).toBe(HOUR);
  expect(waitOf({ status: 503, retryAfterMs: Number.POSITIVE_INFINITY })).toBe(HOUR);
  const slow = [8 * HOUR];
  expect(waitOf({ status: 429, retryAfterMs: 30 * DAY }, 0.5, slow)).toBe(8 * HOUR);
});

test("a retry is never due in the past", () => {
  const schedule = fc.array(fc.nat(HOUR), { minLength: 1, maxLength: 5 });
  const retryAfterMs = fc.option(fc.integer({ min: -HOUR, max: HOUR }));
  fc.assert(
    fc.property(schedule, retryAfterMs, failure, random, (waits, asked, status, draw) => {
      const wait = waitOf({ status, retryAfterMs: asked }, draw, waits);
      if (wait !== null) expect(wait).toBeGreaterThanOrEqual(0);
    }),
  );
});

const healthAfter = (some: Facts) => healthOf(attempted(some), verdictOf(attempted(some), usual, 0));

test("a 429 rests its endpoint, and so does a 503 with Retry-After: an hour at most", () => {
  const rest = (some: Facts, by = usual) => restOf(attempted(some), by);
  for (const status of [429, 503]) {
    expect(rest({ status, retryAfterMs: 30 * SECOND })).toBe(30 * SECOND);
    expect(rest({ status, retryAfterMs: 30 * DAY })).toBe(HOUR);
  }
  expect(rest({ status: 429 })).toBe(SECOND);
  expect(rest({ status: 429 }, [])).toBe(SECOND);
  expect(rest({ status: 503 })).toBeNull();
  for (const status of [0, 200, 404, 413, 500, 502]) {
    expect(rest({ status, retryAfterMs: 30 * SECOND })).toBeNull();
  }
  expect(rest({ status: 503, retryAfterMs: 30 * SECOND, isOurFault: true })).toBeNull();
});

test("an endpoint starts to fail once, and recovers once", () => {
  const isFailing = true;
  expect(healthAfter({})).toBe("failing");
  expect(healthAfter({ isFailing })).toBe("still_failing");
  expect(healthAfter({ isFailing, attempts: 4 })).toBe("failing");
  expect(healthAfter({ succeeded: true, isFailing })).toBe("recovered");
  expect(healthAfter({ succeeded: true })).toBe("none");
});

test("a 410 is reported each time, and a failure of ours is not", () => {
  for (const isFailing of [false, true]) {
    expect(healthAfter({ status: 410, isFailing })).toBe("gone");
    for (const attempts of [1, 4])
      expect(healthAfter({ isOurFault: true, isFailing, attempts })).toBe("none");
  }
});

test("a delivery fails at once if the endpoint or its receiver says so, and the next has its whole schedule", () => {
  const end = (some: Facts) => verdictOf(attempted(some), usual, 0.5);
  const failed = { kind: "failed", nextAfterMs: null } as const;
  expect(end({ status: 422, permanentStatuses: [400, 422] })).toEqual(failed);
  expect(end({ status: 500, instruction: "abort-message" })).toEqual(failed);
  expect(end({ status: 404, permanentStatuses: [400, 422] }).kind).toBe("retry");
  // The next delivery of a draining queue still has one attempt.
  const draining = { hasSingleAttempt: true, status: 422, permanentStatuses: [422] };
  expect(end(draining)).toEqual({ kind: "failed", nextAfterMs: SECOND });
});

test("an endpoint that stops when exhausted ends no delivery by its schedule, whoever is to blame", () => {
  const stopping = { stopsWhenExhausted: true } as const;
  const at = (attempts: number, some: Facts = {}) => {
    const all = attempted({ ...stopping, attempts, ...some });
    const verdict = verdictOf(all, usual, 0.5);
    return { verdict: verdict.kind, health: healthOf(all, verdict) };
  };
  expect(at(3, { isFailing: true })).toEqual({ verdict: "retry", health: "still_failing" });
  // The last of the schedule, and once more each time that a person resumes.
  for (const attempts of [4, 5, 9]) {
    expect(at(attempts)).toEqual({ verdict: "stop", health: "exhausted" });
    expect(at(attempts, { isOurFault: true })).toEqual({ verdict: "stop", health: "exhausted" });
  }
  expect(at(5, { succeeded: true, isFailing: true })).toEqual({ verdict: "delivered", health: "recovered" });
  // The receiver has decided about these.
  expect(at(4, { instruction: "disable" })).toEqual({ verdict: "stop", health: "unwanted" });
  expect(at(4, { status: 422, permanentStatuses: [422] }).verdict).toBe("failed");
  expect(at(1, { isForged: true, status: 401 }).verdict).toBe("cancelled");
  // A single attempt, from before the endpoint stopped when exhausted, becomes a whole schedule.
  expect(at(1, { hasSingleAttempt: true }).verdict).toBe("retry");
});

test("a receiver that wants no more keeps its delivery, which waits while the endpoint is inactive", () => {
  const some = { status: 403, instruction: "disable" } as const;
  expect(verdictOf(attempted(some), usual, 0.5).kind).toBe("retry");
  expect(healthAfter(some)).toBe("unwanted");
});
