import dns from "node:dns";
import { readFileSync } from "node:fs";
import { type Clock, systemClock } from "../../runtime/clock";
import type { Address } from "./address";

/** Looks up all addresses of a name, or only IPv4 addresses, best first. Rejects if there are none. */
export type Lookup = (name: string, family: "any" | 4) => Promise<readonly Address[]>;

export type LookupUnderway = Readonly<{
  addresses: Promise<readonly Address[]>;
  /** Resolves once no query is under way. That is later than the addresses if servers do not answer about IPv6. */
  ended: Promise<unknown>;
}>;

/** Milliseconds to wait for IPv6 before asking for IPv4 alone (RFC 8305, 3). */
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
    // Has no effect if the second look-up has begun.
    reject(new Error("not needed"));
  };
  both.then(settled, settled);
  return {
    addresses: Promise.any([both, single]).catch(() => both),
    ended: Promise.allSettled([both, single]),
  };
}

/** Least milliseconds between two reads of the file, because many names may not exist. */
const CHECK_EVERY_MS = 1_000;

/**
 * Updates c-ares when the system's name servers change. c-ares reads them once, so after a change of network, a VPN or a
 * start without a network it would ask the old servers for the life of the process (measured).
 */
export class NameServers {
  private known: string;
  private examined = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly path = "/etc/resolv.conf",
    private readonly setServers: (servers: string[]) => void = dns.setServers,
    private readonly clock: Pick<Clock, "monotonic"> = systemClock,
  ) {
    this.known = this.read().join(" ");
  }

  /** Makes c-ares ask the current servers. Returns whether they have changed. */
  refresh(): boolean {
    const now = this.clock.monotonic();
    if (now - this.examined < CHECK_EVERY_MS) return false;
    this.examined = now;
    const servers = this.read();
    const list = servers.join(" ");
    if (servers.length === 0 || list === this.known) return false;
    try {
      this.setServers(servers);
    } catch {
      // c-ares can't parse an address in the file, which may be half written.
      return false;
    }
    this.known = list;
    return true;
  }

  private read(): string[] {
    try {
      return serversIn(readFileSync(this.path, "utf8"));
    } catch {
      // Not every system has this file.
      return [];
    }
  }
}

/** Returns the servers of a resolv.conf (resolv.conf(5)). */
function serversIn(text: string): string[] {
  return text.split("\n").flatMap((line) => /^nameserver\s+(\S+)/.exec(line)?.[1] ?? []);
}

/** If a look-up fails and resolv.conf has changed since it was read, retries once with the new servers. */
export function followingServers(lookup: Lookup, servers: Pick<NameServers, "refresh">): Lookup {
  return async (name, family) => {
    try {
      return await lookup(name, family);
    } catch (error) {
      if (!servers.refresh()) throw error;
      return await lookup(name, family);
    }
  };
}

/** The system's resolver. */
export const systemLookup = followingServers(lookUp, new NameServers());

// Uses c-ares. The system's own resolver occupies a thread while a name's servers are silent: two such names stop all other
// look-ups and all file access of the process (measured).
function lookUp(name: string, family: "any" | 4): Promise<readonly Address[]> {
  return Bun.dns.lookup(name, { backend: "c-ares", family });
}
