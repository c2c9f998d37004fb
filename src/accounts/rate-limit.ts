import { Batcher } from "../runtime/batcher";
import { BoundedMap } from "../runtime/bounded-map";
import type { Clock } from "../runtime/clock";
import type { AccountId } from "../runtime/ids";
import type { Principal } from "./principal";
import type { Lease, LeaseRequest, RateWindows } from "./rate-window";

/** Whether a request may go on, and what answers tell about its account's allowance. */
export type Allowance = Readonly<{
  allowed: boolean;
  /** Requests a minute; null is no limit. */
  limit: number | null;
  /** Requests still allowed in this window, at most: other processes may be using them. Null without a limit. */
  remaining: number | null;
  /** Seconds until the whole limit is there again. */
  resetSeconds: number;
  /** Seconds after which a refused request may succeed; 0 when it was allowed. */
  retryAfterSeconds: number;
}>;

/** A process leases this part of a limit at a time: what it may strand when its client turns to another one. */
const CHUNKS_PER_LIMIT = 50;
const MAX_BATCH = 500;
const MAX_LEASES = 2;
const MAX_QUEUED = 50_000;
/** Accounts metered at once; beyond it, those that have been known for longest go. */
const MAX_METERS = 100_000;

const UNLIMITED: Allowance = Object.freeze({
  allowed: true,
  limit: null,
  remaining: null,
  resetSeconds: 0,
  retryAfterSeconds: 0,
});

type Waiting = { resolve(allowance: Allowance): void; reject(reason: unknown): void };

/** What this process holds of an account's window. */
type Meter = {
  accountId: AccountId;
  limit: number;
  /** Leased and not yet used. */
  held: number;
  /** Left for all processes, as of the last lease. */
  left: number;
  /** On the monotonic clock. */
  endsAt: number;
  waiting: Waiting[];
  isLeasing: boolean;
};

/**
 * Requests a minute, over all processes together. Who serves an account leases small parts of its window from
 * the one place that counts, ahead of need: so the limit holds exactly, a client of one process gets nearly
 * all of it wherever the others stand, and most requests are judged without waiting.
 */
export class RateLimiter {
  /** One that goes strands what it holds, nothing more. */
  private readonly meters = new BoundedMap<AccountId, Meter>(MAX_METERS);
  private readonly leases: Batcher<Meter, Lease>;

  constructor(private readonly options: { windows: RateWindows; clock: Clock }) {
    this.leases = new Batcher({
      run: (meters) => this.options.windows.lease(meters.map(requestOf)),
      maxItems: MAX_BATCH,
      maxRunning: MAX_LEASES,
      maxQueued: MAX_QUEUED,
    });
  }

  /**
   * Takes one request from the account's allowance. A promise only while this process holds nothing of it.
   * Throws what the leasing throws, `DatabaseUnavailable` and `QueueFull`.
   */
  take(principal: Principal): Allowance | Promise<Allowance> {
    if (principal.requestsPerMinute === null) return UNLIMITED;
    const meter = this.meterOf(principal.accountId, principal.requestsPerMinute);
    const now = this.options.clock.monotonic();
    if (now >= meter.endsAt) startAnew(meter);
    if (meter.held > 0) return this.takeHeld(meter, now);
    if (meter.left === 0) return refusal(meter, now);
    return new Promise((resolve, reject) => {
      meter.waiting.push({ resolve, reject });
      if (!meter.isLeasing) this.lease(meter);
    });
  }

  private takeHeld(meter: Meter, now: number): Allowance {
    meter.held--;
    const isRunningOut = meter.held * 2 < chunkOf(meter.limit);
    if (isRunningOut && !meter.isLeasing && meter.left > 0) this.lease(meter);
    return admission(meter, now);
  }

  private lease(meter: Meter): void {
    meter.isLeasing = true;
    const askedAt = this.options.clock.monotonic();
    this.leases
      .submit(meter)
      .then((lease) => this.receive(meter, lease, askedAt))
      .catch((reason) => {
        meter.isLeasing = false;
        for (const each of meter.waiting.splice(0)) each.reject(reason);
      });
  }

  private receive(meter: Meter, { granted, remaining, endsInMs }: Lease, askedAt: number): void {
    const now = this.options.clock.monotonic();
    // Asked for in one window, it may be of the next, for which what is held of the one before does not count.
    if (now >= meter.endsAt) startAnew(meter);
    meter.endsAt = askedAt + endsInMs;
    meter.held += granted;
    meter.left = remaining;
    meter.isLeasing = false;
    this.serve(meter, now);
  }

  private serve(meter: Meter, now: number): void {
    const admitted = meter.waiting.splice(0, meter.held);
    for (const each of admitted) {
      meter.held--;
      each.resolve(admission(meter, now));
    }
    if (meter.waiting.length === 0) return;
    // The answer may have been on its way over the end of its window: it says nothing of the next one.
    if (now >= meter.endsAt) startAnew(meter);
    if (meter.left > 0) this.lease(meter);
    else for (const each of meter.waiting.splice(0)) each.resolve(refusal(meter, now));
  }

  private meterOf(accountId: AccountId, limit: number): Meter {
    const known = this.meters.get(accountId);
    if (known === undefined) return this.addMeter(accountId, limit);
    if (known.limit !== limit) {
      // The plan was changed: what is left by the new limit only a lease can tell.
      known.limit = limit;
      known.left = limit;
    }
    return known;
  }

  private addMeter(accountId: AccountId, limit: number): Meter {
    const meter = { accountId, limit, held: 0, left: limit, endsAt: 0, waiting: [], isLeasing: false };
    this.meters.set(accountId, meter);
    return meter;
  }
}

function chunkOf(limit: number): number {
  return Math.max(1, Math.floor(limit / CHUNKS_PER_LIMIT));
}

// Read when the lease leaves, so that it covers everyone who came to wait until then.
function requestOf({ accountId, limit, waiting }: Meter): LeaseRequest {
  return { accountId, limit, wanted: Math.max(chunkOf(limit), waiting.length) };
}

function startAnew(meter: Meter): void {
  meter.held = 0;
  meter.left = meter.limit;
}

function admission(meter: Meter, now: number): Allowance {
  return {
    allowed: true,
    limit: meter.limit,
    remaining: meter.left + meter.held,
    resetSeconds: secondsUntil(meter.endsAt, now),
    retryAfterSeconds: 0,
  };
}

function refusal(meter: Meter, now: number): Allowance {
  const wait = Math.max(1, secondsUntil(meter.endsAt, now));
  return { allowed: false, limit: meter.limit, remaining: 0, resetSeconds: wait, retryAfterSeconds: wait };
}

function secondsUntil(endsAt: number, now: number): number {
  return Math.max(0, Math.ceil((endsAt - now) / 1_000));
}
