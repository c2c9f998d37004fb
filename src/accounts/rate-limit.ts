import type { AccountId } from "../domain/ids";
import { BoundedMap } from "../runtime/bounded-map";
import type { Clock } from "../runtime/clock";
import { Batcher } from "../runtime/queues/batcher";
import type { Principal, PrincipalSession } from "./authentication/principal";
import type { Grant, GrantRequest, RateWindows } from "./rate-window";

/** The verdict on a request, and the values of the answer's RateLimit headers. */
export type Allowance = Readonly<{
  allowed: boolean;
  /** Requests per minute; null for no limit. */
  limit: number | null;
  /** Most requests still allowed in this window; other processes may use them. Null without a limit. */
  remaining: number | null;
  /** Seconds until the whole limit is available again. */
  resetSeconds: number;
  /** Seconds after which a refused request may succeed; 0 if it was allowed. */
  retryAfterSeconds: number;
}>;

/** A process asks for one part in this many of a limit at a time. Its part is lost when its client uses another process. */
const CHUNKS_PER_LIMIT = 50;
const MAX_BATCH = 500;
const MAX_STATEMENTS = 2;
const MAX_QUEUED = 50_000;
/** Most quotas in memory. One more removes the oldest ones. */
const MAX_QUOTAS = 100_000;

const UNLIMITED: Allowance = Object.freeze({
  allowed: true,
  limit: null,
  remaining: null,
  resetSeconds: 0,
  retryAfterSeconds: 0,
});

/** The facts that a request is limited by. */
export type LimitedCaller = Pick<Principal, "accountId" | "endpointId" | "requestsPerMinute"> & {
  session: Pick<PrincipalSession, "portal"> | null;
};

type AllowanceRequest = { resolve(allowance: Allowance): void; reject(reason: unknown): void };

/** The part of an account's window that this process may spend. */
type Quota = {
  accountId: AccountId;
  limit: number;
  /** Requests that were granted and not yet used. */
  held: number;
  /** Requests left for all processes at the last grant. */
  left: number;
  /** The end of the window, on the monotonic clock in milliseconds. */
  endsAt: number;
  waiting: AllowanceRequest[];
  isAsking: boolean;
};

/**
 * Limits requests per minute, over all processes together. A process asks the shared window for small parts of an account's
 * limit, ahead of need. So the limit holds exactly, a client of one process gets nearly all of it, and most requests are decided
 * without a wait.
 */
export class RateLimiter {
  /** Quotas by account. A removed quota loses only its unused requests. */
  private readonly quotas = new BoundedMap<AccountId, Quota>(MAX_QUOTAS);
  private readonly grants: Batcher<Quota, Grant>;

  constructor(private readonly options: { windows: RateWindows; clock: Clock }) {
    this.grants = new Batcher({
      run: (quotas) => this.options.windows.grant(quotas.map(requestOf)),
      maxItems: MAX_BATCH,
      maxRunning: MAX_STATEMENTS,
      maxQueued: MAX_QUEUED,
    });
  }

  /**
   * Takes one request from the account's allowance. Returns a promise only while this process holds no part of it. Throws
   * `DatabaseUnavailable` and `QueueFull`.
   */
  take(principal: LimitedCaller): Allowance | Promise<Allowance> {
    if (principal.requestsPerMinute === null) return UNLIMITED;
    const quota = this.quotaOf(windowOf(principal), principal.requestsPerMinute);
    const now = this.options.clock.monotonic();
    if (now >= quota.endsAt) resetQuota(quota);
    if (quota.held > 0) return this.takeHeld(quota, now);
    if (quota.left === 0) return refusal(quota, now);
    return new Promise((resolve, reject) => {
      quota.waiting.push({ resolve, reject });
      if (!quota.isAsking) this.ask(quota);
    });
  }

  private takeHeld(quota: Quota, now: number): Allowance {
    quota.held--;
    const isRunningOut = quota.held * 2 < chunkOf(quota.limit);
    if (isRunningOut && !quota.isAsking && quota.left > 0) this.ask(quota);
    return admission(quota, now);
  }

  private ask(quota: Quota): void {
    quota.isAsking = true;
    const askedAt = this.options.clock.monotonic();
    this.grants
      .submit(quota)
      .then((grant) => this.receive(quota, grant, askedAt))
      .catch((reason) => {
        quota.isAsking = false;
        for (const each of quota.waiting.splice(0)) each.reject(reason);
      });
  }

  private receive(quota: Quota, { granted, remaining, endsInMs }: Grant, askedAt: number): void {
    const now = this.options.clock.monotonic();
    // The grant may belong to the next window. Then the unused requests of the old window are void.
    if (now >= quota.endsAt) resetQuota(quota);
    quota.endsAt = askedAt + endsInMs;
    quota.held += granted;
    quota.left = remaining;
    quota.isAsking = false;
    this.serve(quota, now);
  }

  private serve(quota: Quota, now: number): void {
    const admitted = quota.waiting.splice(0, quota.held);
    for (const each of admitted) {
      quota.held--;
      each.resolve(admission(quota, now));
    }
    if (quota.waiting.length === 0) return;
    // If the window ended meanwhile, the grant is not valid for the next one.
    if (now >= quota.endsAt) resetQuota(quota);
    if (quota.left > 0) this.ask(quota);
    else for (const each of quota.waiting.splice(0)) each.resolve(refusal(quota, now));
  }

  private quotaOf(accountId: AccountId, limit: number): Quota {
    const known = this.quotas.get(accountId);
    if (known === undefined) return this.addQuota(accountId, limit);
    if (known.limit !== limit) {
      // The plan changed: only the next grant shows what is left by the new limit.
      known.limit = limit;
      known.left = limit;
    }
    return known;
  }

  private addQuota(accountId: AccountId, limit: number): Quota {
    const quota = { accountId, limit, held: 0, left: limit, endsAt: 0, waiting: [], isAsking: false };
    this.quotas.set(accountId, quota);
    return quota;
  }
}

/**
 * Returns the id of the window in which a request counts. The keys of an endpoint's receivers share a window with the endpoint's
 * id. The portal sessions of an account share a window of their own. Its id is the account's id with another version, which no
 * account has.
 */
function windowOf({ accountId, endpointId, session }: LimitedCaller): AccountId {
  if (endpointId !== null) return endpointId as string as AccountId;
  return session?.portal ? (`${accountId.slice(0, 14)}8${accountId.slice(15)}` as AccountId) : accountId;
}

function chunkOf(limit: number): number {
  return Math.max(1, Math.floor(limit / CHUNKS_PER_LIMIT));
}

// Called when the statement starts, so that it includes every request that waits by then.
function requestOf({ accountId, limit, waiting }: Quota): GrantRequest {
  return { accountId, limit, wanted: Math.max(chunkOf(limit), waiting.length) };
}

function resetQuota(quota: Quota): void {
  quota.held = 0;
  quota.left = quota.limit;
}

function admission(quota: Quota, now: number): Allowance {
  return {
    allowed: true,
    limit: quota.limit,
    remaining: quota.left + quota.held,
    resetSeconds: secondsUntil(quota.endsAt, now),
    retryAfterSeconds: 0,
  };
}

function refusal(quota: Quota, now: number): Allowance {
  const wait = Math.max(1, secondsUntil(quota.endsAt, now));
  return { allowed: false, limit: quota.limit, remaining: 0, resetSeconds: wait, retryAfterSeconds: wait };
}

function secondsUntil(endsAt: number, now: number): number {
  return Math.max(0, Math.ceil((endsAt - now) / 1_000));
}
