import ipaddr from "ipaddr.js";
import { BoundedMap } from "../../runtime/bounded-map";
import type { Clock } from "../../runtime/clock";

const WINDOW_MS = 60_000;
/** Failures a minute that an IPv4 address or a /64 IPv6 network may have before it gets a 429. */
export const FAILURES_PER_MINUTE = 300;
/** Most sources that are tracked. Beyond it the oldest windows are dropped. */
const MAX_SOURCES = 10_000;

type Window = { startedAt: number; failures: number };

/** Counts failed authentications by source address. */
export class FailedAuthentications {
  private readonly windows = new BoundedMap<string, Window>(MAX_SOURCES);

  constructor(private readonly clock: Clock) {}

  /** Counts a failure. Returns the seconds to wait if the source has too many, or null. */
  count(address: string): number | null {
    const now = this.clock.monotonic();
    const window = this.windowOf(sourceOf(address), now);
    window.failures++;
    if (window.failures <= FAILURES_PER_MINUTE) return null;
    return Math.max(1, Math.ceil((window.startedAt + WINDOW_MS - now) / 1_000));
  }

  private windowOf(source: string, now: number): Window {
    const current = this.windows.get(source);
    if (current && now - current.startedAt < WINDOW_MS) return current;
    const fresh = { startedAt: now, failures: 0 };
    this.windows.set(source, fresh);
    return fresh;
  }
}

/** Returns the source of an address. All 2^64 addresses of an IPv6 network belong to one owner (RFC 6177). */
function sourceOf(address: string): string {
  if (!address.includes(":") || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return "parts" in parsed ? parsed.parts.slice(0, 4).join(":") : parsed.toString();
}
