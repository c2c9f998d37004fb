import type { Clock } from "../../runtime/clock";

export type Address = Readonly<{ address: string; family: 4 | 6 }>;

/** All addresses of a name, best first, or those of IPv4 alone; rejects when there are none. */
export type Lookup = (name: string, family: "any" | 4) => Promise<readonly Address[]>;

export type LookupUnderway = Readonly<{
  addresses: Promise<readonly Address[]>;
  /** Resolves once no query is under way any more; a while after the addresses, if servers keep silent about IPv6. */
  ended: Promise<unknown>;
}>;

/** How long IPv6 is waited for before IPv4 alone is asked for, milliseconds (RFC 8305, 3). */
export const RESOLUTION_DELAY_MS = 50;

/**
 * Looks up a name in both families, and after a moment in IPv4 alone as well. Some servers never answer questions for
 * IPv6, and the look-up of both then waits for 2 s or longer, though the IPv4 addresses are there.
 */
export function beginLookup(lookup: Lookup, name: string, clock: Pick<Clock, "after">): LookupUnderway {
  const both = lookup(name, "any");
  const { promise: single, resolve, reject } = Promise.withResolvers<readonly Address[]>();
  const stop = clock.after(RESOLUTION_DELAY_MS, () => resolve(lookup(name, 4)));
  const settled = () => {
    stop();
    // Without effect if it has begun.
    reject(new Error("not needed"));
  };
  both.then(settled, settled);
  return {
    addresses: Promise.any([both, single]).catch(() => both),
    ended: Promise.allSettled([both, single]),
  };
}
