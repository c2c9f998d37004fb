import ipaddr from "ipaddr.js";
import { BoundedMap } from "../../runtime/bounded-map";
import type { Clock } from "../../runtime/clock";

const WINDOW_MS = 60_000;
/** Most failures per minute of an IPv4 address or a /64 IPv6 network. After more it gets a 429. */
export const FAILURES_PER_MINUTE = 300;
/** After this many failed sign-ins per minute a source may not sign in at all. */
export const FAILED_SIGN_INS_PER_MINUTE = 30;
/** Most 403s a minute of a key, a session or a JWT's account. After more it gets a 429 in place of each. */
export const REFUSALS_PER_MINUTE = 300;
/** Most sources that are tracked. One more drops the oldest windows. */
const MAX_SOURCES = 10_000;

type Window = { startedAt: number; failures: number };

/** Counts failures per minute by source: an address, or the credential of a request. */
export class FailureLimit {
  private readonly windows = new BoundedMap<string, Window>(MAX_SOURCES);

  constructor(
    private readonly clock: Clock,
    private readonly perMinute: number,
  ) {}

  /** Counts a failure. Returns the seconds to wait if the source has too many, or null. */
  count(source: string): number | null {
    const now = this.clock.monotonic();
    const window = this.windowOf(networkOf(source), now);
    window.failures++;
    return window.failures > this.perMinute ? secondsLeft(window, now) : null;
  }

  /** Returns the seconds to wait if one more failure would be too many, or null. */
  waitOf(source: string): number | null {
    const now = this.clock.monotonic();
    const window = this.windows.get(networkOf(source));
    const isFull =
      window !== undefined && now - window.startedAt < WINDOW_MS && window.failures >= this.perMinute;
    return isFull ? secondsLeft(window, now) : null;
  }

  private windowOf(source: string, now: number): Window {
    const current = this.windows.get(source);
    if (current && now - current.startedAt < WINDOW_MS) return current;
    const fresh = { startedAt: now, failures: 0 };
    this.windows.set(source, fresh);
    return fresh;
  }
}

function secondsLeft({ startedAt }: Window, now: number): number {
  return Math.max(1, Math.ceil((startedAt + WINDOW_MS - now) / 1_000));
}

/** Returns for an IPv6 address its /64 network, whose addresses all belong to one owner (RFC 6177). */
function networkOf(address: string): string {
  if (!address.includes(":") || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return "parts" in parsed ? parsed.parts.slice(0, 4).join(":") : parsed.toString();
}
