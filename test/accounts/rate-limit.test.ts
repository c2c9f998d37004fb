import { beforeEach, describe, expect, test } from "bun:test";
import type { Principal } from "../../src/accounts/authentication/principal";
import { type Allowance, RateLimiter } from "../../src/accounts/rate-limit";
import { type Grant, type GrantRequest, type RateWindows, WINDOW_MS } from "../../src/accounts/rate-window";
import { newId } from "../../src/domain/ids";
import { until } from "../support/faults/until";
import { ManualClock } from "./manual-clock";

/** Rate windows in memory, with the delay and the failures of a server. */
class FakeWindows implements RateWindows {
  grants = 0;
  failure: Error | null = null;
  private readonly windows = new Map<string, { startedAt: number; used: number }>();

  constructor(private readonly clock: ManualClock) {}

  async grant(requests: readonly GrantRequest[]): Promise<Grant[]> {
    await Bun.sleep(1);
    this.grants++;
    if (this.failure) throw this.failure;
    return requests.map((request) => this.grantOne(request));
  }

  private grantOne({ accountId, limit, wanted }: GrantRequest): Grant {
    const now = this.clock.monotonic();
    const before = this.windows.get(accountId);
    const window = before && now - before.startedAt < WINDOW_MS ? before : { startedAt: now, used: 0 };
    const granted = Math.min(wanted, Math.max(limit - window.used, 0));
    window.used += granted;
    this.windows.set(accountId, window);
    const remaining = Math.max(limit - window.used, 0);
    return { granted, remaining, endsInMs: window.startedAt + WINDOW_MS - now };
  }
}

let clock: ManualClock;
let windows: FakeWindows;
let limiter: RateLimiter;

beforeEach(() => {
  clock = new ManualClock();
  windows = new FakeWindows(clock);
  limiter = new RateLimiter({ windows, clock });
});

function principal(requestsPerMinute: number | null): Principal {
  const permissions = new Set<never>();
  return {
    accountId: newId("acc"),
    keyId: null,
    endpointId: null,
    vouched: null,
    session: null,
    permissions,
    expiresAt: null,
    plan: "a plan",
    requestsPerMinute,
    isMoving: false,
  };
}

async function allowed(limiters: readonly RateLimiter[], who: Principal, requests: number): Promise<number> {
  const all = Array.from({ length: requests }, (_, i) => limiters[i % limiters.length]?.take(who));
  return (await Promise.all(all)).filter((each) => each?.allowed).length;
}

async function allowedInTurn(
  limiters: readonly RateLimiter[],
  who: Principal,
  requests: number,
): Promise<number> {
  let count = 0;
  for (let i = 0; i < requests; i++) {
    const allowance = await limiters[i % limiters.length]?.take(who);
    if (allowance?.allowed) count++;
  }
  return count;
}

test("without a limit nothing is counted, and Postgres is not asked", () => {
  const allowance = limiter.take(principal(null));
  expect(allowance).toEqual({
    allowed: true,
    limit: null,
    remaining: null,
    resetSeconds: 0,
    retryAfterSeconds: 0,
  });
  expect(windows.grants).toBe(0);
});

test("the keys of an endpoint's receivers share a limit of their own", async () => {
  const account = principal(60);
  const receiver = { ...account, endpointId: newId("ep") };
  const other = { ...account, endpointId: newId("ep") };
  expect(await allowedInTurn([limiter], receiver, 70)).toBe(60);
  expect(await allowedInTurn([limiter], other, 70)).toBe(60);
  expect(await allowedInTurn([limiter], account, 70)).toBe(60);
});

test("an answer shows what is left of the limit, and when it is full again", async () => {
  const who = principal(60);
  const first = await limiter.take(who);
  expect(first).toEqual({ allowed: true, limit: 60, remaining: 59, resetSeconds: 60, retryAfterSeconds: 0 });
  clock.pass(20_500);
  expect(await limiter.take(who)).toMatchObject({ remaining: 58, resetSeconds: 40 });
});

test("a client gets its limit, then learns how long to wait, and gets it again", async () => {
  const who = principal(60);
  expect(await allowedInTurn([limiter], who, 60)).toBe(60);
  clock.pass(10_000);
  const refusal: Allowance = {
    allowed: false,
    limit: 60,
    remaining: 0,
    resetSeconds: 50,
    retryAfterSeconds: 50,
  };
  expect(await limiter.take(who)).toEqual(refusal);
  clock.pass(refusal.retryAfterSeconds * 1_000);
  expect(await allowedInTurn([limiter], who, 70)).toBe(60);
});

test("an answer about a window that has ended refuses nobody in the next one", async () => {
  const who = principal(1);
  await limiter.take(who);
  clock.pass(WINDOW_MS - 5);
  const answered = Promise.withResolvers<void>();
  const underWay = Promise.withResolvers<void>();
  const slow: RateWindows = {
    grant: async (requests) => {
      const grants = await windows.grant(requests);
      underWay.resolve();
      await answered.promise;
      return grants;
    },
  };
  const other = new RateLimiter({ windows: slow, clock });
  const before = other.take(who);
  await underWay.promise;
  clock.pass(10);
  const after = other.take(who);
  answered.resolve();
  const both = await Promise.all([before, after]);
  expect(both.map((each) => each.allowed)).toEqual([true, false]);
});

test("refusing costs no statement", async () => {
  const who = principal(60);
  await allowed([limiter], who, 61);
  const { grants } = windows;
  expect(limiter.take(who)).toMatchObject({ allowed: false });
  expect(windows.grants).toBe(grants);
});

test("most requests are judged without waiting for Postgres", async () => {
  const who = principal(6_000);
  await limiter.take(who);
  let waited = 0;
  for (let i = 0; i < 3_000; i++) {
    if (limiter.take(who) instanceof Promise) waited++;
    // Sends requests at the rate of a busy server.
    if (i % 10 === 0) await Bun.sleep(1);
  }
  expect(await limiter.take(who)).toMatchObject({ remaining: 6_000 - 3_002 });
  expect(waited).toBeLessThan(100);
  expect(windows.grants).toBeLessThan(100);
});

describe("over several processes", () => {
  test.each([60, 600, 6_000])("a limit of %i is exact, however sudden the burst", async (limit) => {
    const others = [limiter, new RateLimiter({ windows, clock }), new RateLimiter({ windows, clock })];
    expect(await allowed(others, principal(limit), limit * 3)).toBeLessThanOrEqual(limit);
    const who = principal(limit);
    const burst = await allowed(others, who, limit * 3);
    // The share that one process holds is lost if its clients do not use it.
    expect(burst).toBeGreaterThanOrEqual(limit * 0.9);
    expect(burst).toBeLessThanOrEqual(limit);
  });

  test("a client that alternates between processes gets almost the whole limit", async () => {
    const others = [limiter, new RateLimiter({ windows, clock }), new RateLimiter({ windows, clock })];
    const count = await allowedInTurn(others, principal(600), 1_200);
    expect(count).toBeWithin(540, 601);
  });

  test("a client that changes to another process for good gets almost the whole limit", async () => {
    const others = [limiter, new RateLimiter({ windows, clock }), new RateLimiter({ windows, clock })];
    const who = principal(600);
    expect(await allowedInTurn(others, who, 3)).toBe(3);
    expect(await allowed([limiter], who, 600)).toBeWithin(560, 601);
  });

  test("a client of one process gets the whole limit, whatever another process was given before", async () => {
    const other = new RateLimiter({ windows, clock });
    const who = principal(600);
    expect(await allowed([other], who, 700)).toBe(600);
    clock.pass(WINDOW_MS);
    expect(await allowed([limiter], who, 700)).toBe(600);
  });
});

test("a share of one window is void in the next", async () => {
  const other = new RateLimiter({ windows, clock });
  const who = principal(600);
  await limiter.take(who);
  clock.pass(WINDOW_MS);
  expect(await allowed([other, limiter], who, 1_300)).toBeLessThanOrEqual(600);
});

test("a share requested in one window and granted in the next is void", async () => {
  const limit = 600;
  const who = principal(limit);
  await limiter.take(who);
  clock.pass(WINDOW_MS - 1);
  // More is requested ahead of need, once half is used.
  for (let used = 1; used < 7; used++) await limiter.take(who);
  clock.pass(1);
  await until(() => windows.grants === 2);
  await Bun.sleep(0);
  expect(await allowed([limiter], who, 2 * limit)).toBe(limit);
});

test("a change of the plan applies at once", async () => {
  const who = principal(60);
  await allowed([limiter], who, 100);
  const larger = { ...who, requestsPerMinute: 80 };
  expect(await allowed([limiter], larger, 100)).toBe(20);
  expect(await allowed([limiter], { ...who, requestsPerMinute: 70 }, 1)).toBe(0);
});

test("while Postgres is down requests get an error, and everything works again afterwards", async () => {
  const who = principal(60);
  windows.failure = new Error("away");
  const both = await Promise.allSettled([limiter.take(who), limiter.take(who)]);
  expect(both.map((each) => each.status)).toEqual(["rejected", "rejected"]);
  windows.failure = null;
  expect(await limiter.take(who)).toMatchObject({ allowed: true, remaining: 59 });
});
