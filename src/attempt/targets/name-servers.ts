import dns from "node:dns";
import { readFileSync } from "node:fs";
import { type Clock, systemClock } from "../../runtime/clock";

/** Least milliseconds between two looks at the file: there may be many names that do not exist. */
const LOOK_EVERY_MS = 1_000;

/**
 * Updates c-ares when the system's name servers change. c-ares reads them once, so after a change of network, a VPN or a
 * start without a network it would ask the old servers for the life of the process (measured).
 */
export class NameServers {
  private known: string;
  private lookedAt = Number.NEGATIVE_INFINITY;

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
    if (now - this.lookedAt < LOOK_EVERY_MS) return false;
    this.lookedAt = now;
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
