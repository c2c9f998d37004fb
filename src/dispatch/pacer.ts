import type { Clock } from "../runtime/clock";
import { type EndpointView, isTroubled } from "./endpoint";

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

/** Length of the window that a rate limit applies to. */
export const PACE_WINDOW_MS = 1_000;

export function newPace(knownSince: number): Pace {
  return { knownSince, starts: [] };
}

/** Returns how long the next attempt must wait so that no window has more than `limit` starts; 0: not at all. */
export function paceWaitMs({ knownSince, starts }: Pace, limit: number, now: number): number {
  const last = starts[starts.length - limit] ?? Number.NEGATIVE_INFINITY;
  return Math.max(0, Math.max(last, knownSince) + PACE_WINDOW_MS - now);
}

/** Returns how many attempts may begin now so that no window has more than `limit` starts. */
function paceAllowance({ knownSince, starts }: Pace, limit: number, now: number): number {
  if (knownSince + PACE_WINDOW_MS > now) return 0;
  return Math.max(0, limit - starts.filter((at) => at + PACE_WINDOW_MS > now).length);
}

/** Adds the start of an attempt. */
export function withStart(pace: Pace, now: number): Pace {
  return { ...pace, starts: [...pace.starts.filter((at) => at + PACE_WINDOW_MS > now), now] };
}

export type PacerDeps = Readonly<{
  clock: Clock;
  /** Returns since when all attempts at a partition's endpoints are known, in monotonic milliseconds. */
  startsKnownSince(partition: number): number;
  /** Returns true while slow and failing receivers of the partition get nothing new. */
  isCalm(partition: number): boolean;
}>;

/** A partition pauses for at most this long while it is drained. If that was too short, it is tried again later. */
export const HAND_OVER_MS = 400;

/** An endpoint that is held while its partition is calm checks this often whether it still is. */
const CALM_POLL_MS = 1_000;

/** Decides when an actor's next attempt may begin, by the endpoint's rate limit and the partition's state. */
export class Pacer {
  private limit: number | null = null;
  private pace: Pace | null = null;
  private wasAsked = false;
  private isFailing = false;
  private isSlow = false;

  constructor(
    private readonly partition: number,
    private readonly deps: PacerDeps,
  ) {}

  /** Sets the endpoint's current settings. */
  setEndpoint(endpoint: Pick<EndpointView, "rateLimit" | "failingSince" | "probes"> | null): void {
    this.isFailing = endpoint !== null && isTroubled(endpoint);
    this.setLimit(endpoint?.rateLimit ?? null);
  }

  /** Returns the milliseconds until the next attempt may begin. */
  waitMs(): number {
    if (this.isHeld()) return CALM_POLL_MS;
    const { pace, limit } = this;
    return pace && limit !== null ? paceWaitMs(pace, limit, this.deps.clock.monotonic()) : 0;
  }

  /** Returns how many attempts may begin now. */
  allowance(): number {
    if (this.isHeld()) return 0;
    if (!this.pace || this.limit === null) return Number.POSITIVE_INFINITY;
    return paceAllowance(this.pace, this.limit, this.deps.clock.monotonic());
  }

  /** Counts an attempt that begins now. */
  started(): void {
    if (this.pace) this.pace = withStart(this.pace, this.deps.clock.monotonic());
  }

  /** Notes the duration of an attempt that ended. */
  ended(durationMs: number): void {
    this.isSlow = durationMs >= HAND_OVER_MS;
  }

  private isHeld(): boolean {
    return (this.isSlow || this.isFailing) && this.deps.isCalm(this.partition);
  }

  private setLimit(limit: number | null): void {
    const { clock, startsKnownSince } = this.deps;
    // Starts from before the limit was set are unknown.
    const since = () => (this.wasAsked ? clock.monotonic() : startsKnownSince(this.partition));
    this.pace = limit === null ? null : (this.pace ?? newPace(since()));
    this.limit = limit;
    this.wasAsked = true;
  }
}
