import { type RateWindow, rateWindowOf } from "../domain/rate-limit";
import type { Clock } from "../runtime/clock";
import { type EndpointView, needsRecovery } from "./endpoint";

/**
 * The starts of an endpoint's latest attempts, for its rate limit. Pure: the caller gives the time, in monotonic
 * milliseconds.
 */
export type Pace = Readonly<{
  /** Starts before this time are unknown. */
  knownSince: number;
  /** The starts in the last window, oldest first. */
  starts: readonly number[];
}>;

export function newPace(knownSince: number): Pace {
  return { knownSince, starts: [] };
}

/** Returns how long the next attempt must wait so that no window has too many starts; 0: not at all. */
export function paceWaitMs({ knownSince, starts }: Pace, window: RateWindow, now: number): number {
  const last = starts[starts.length - window.starts] ?? Number.NEGATIVE_INFINITY;
  return Math.max(0, Math.max(last, knownSince) + window.ms - now);
}

/** Returns how many attempts may begin now so that no window has too many starts. */
function paceAllowance({ knownSince, starts }: Pace, window: RateWindow, now: number): number {
  if (knownSince + window.ms > now) return 0;
  return Math.max(0, window.starts - starts.filter((at) => at + window.ms > now).length);
}

/** Adds the start of an attempt, and drops those from before the window. */
export function withStart(pace: Pace, { ms }: RateWindow, now: number): Pace {
  return { ...pace, starts: [...pace.starts.filter((at) => at + ms > now), now] };
}

/** Returns the pace for a window in place of another. Starts before the former window were dropped. */
export function withWindow(pace: Pace, former: RateWindow, now: number): Pace {
  return { ...pace, knownSince: Math.max(pace.knownSince, now - former.ms) };
}

type Limit = Readonly<{ window: RateWindow; pace: Pace }>;

/** A new actor learns of starts in at least this time before it, also of an endpoint that had no limit. */
export const KNOWN_MS = 1_000;

export type PacerDeps = Readonly<{
  clock: Clock;
  /** Returns since when all attempts at a partition's endpoints are known, in monotonic milliseconds. */
  startsKnownSince(partition: number): number;
  /** Returns true while slow and failing receivers of the partition get nothing new. */
  holdsSlowReceivers(partition: number): boolean;
}>;

/** A partition pauses for at most this long while it is drained. If that was too short, it is tried again later. */
export const HAND_OVER_MS = 400;

/** A held slow endpoint checks this often whether it is still held. */
const CALM_POLL_MS = 1_000;

/** Decides when an actor's next attempt may begin, by the endpoint's rate limit and the partition's state. */
export class Pacer {
  private limit: Limit | null = null;
  private wasAsked = false;
  private isFailing = false;
  private isSlow = false;

  constructor(
    private readonly partition: number,
    private readonly deps: PacerDeps,
  ) {}

  /** For this long after an attempt, in milliseconds, the next one may have to wait because of it; 0 without a limit. */
  get windowMs(): number {
    return this.limit?.window.ms ?? 0;
  }

  /** Sets the endpoint's current settings. */
  setEndpoint(endpoint: Pick<EndpointView, "rateLimit" | "failingSince" | "probes"> | null): void {
    this.isFailing = endpoint !== null && needsRecovery(endpoint);
    this.setLimit(endpoint?.rateLimit ?? null);
  }

  /** Returns the milliseconds until the next attempt may begin. */
  waitMs(): number {
    if (this.isHeld()) return CALM_POLL_MS;
    const { limit } = this;
    return limit ? paceWaitMs(limit.pace, limit.window, this.deps.clock.monotonic()) : 0;
  }

  /** Returns how many attempts may begin now. */
  allowance(): number {
    if (this.isHeld()) return 0;
    const { limit } = this;
    if (!limit) return Number.POSITIVE_INFINITY;
    return paceAllowance(limit.pace, limit.window, this.deps.clock.monotonic());
  }

  /** Counts an attempt that begins now. */
  started(): void {
    const { limit } = this;
    if (!limit) return;
    this.limit = { ...limit, pace: withStart(limit.pace, limit.window, this.deps.clock.monotonic()) };
  }

  /** Notes the duration of an attempt that ended. */
  ended(durationMs: number): void {
    this.isSlow = durationMs >= HAND_OVER_MS;
  }

  private isHeld(): boolean {
    return (this.isSlow || this.isFailing) && this.deps.holdsSlowReceivers(this.partition);
  }

  private setLimit(perSecond: number | null): void {
    this.limit = perSecond === null ? null : this.limitTo(perSecond);
    this.wasAsked = true;
  }

  private limitTo(perSecond: number): Limit {
    const { limit } = this;
    const now = this.deps.clock.monotonic();
    // Starts from before the limit was set are unknown.
    const fresh = () => newPace(this.wasAsked ? now : this.deps.startsKnownSince(this.partition));
    const pace = limit ? withWindow(limit.pace, limit.window, now) : fresh();
    return { window: rateWindowOf(perSecond), pace };
  }
}
