import dns from "node:dns";
import { readFileSync } from "node:fs";
import { type Clock, systemClock } from "../../runtime/clock";

/** Names that can't be found may be many: the file is looked at this often at most, milliseconds. */
const LOOK_EVERY_MS = 1_000;

/**
 * Which servers the system wants names asked of. c-ares reads that once: after another network, a VPN, or a start before
 * there was any, it would ask the servers of then for as long as the process lives (measured).
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

  /** Has the servers of now asked from now on. True when they are others than before. */
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
      // An address that c-ares can't read: the file may be in the midst of being written.
      return false;
    }
    this.known = list;
    return true;
  }

  private read(): string[] {
    try {
      return serversIn(readFileSync(this.path, "utf8"));
    } catch {
      // Not every system has it.
      return [];
    }
  }
}

/** Of a resolv.conf (resolv.conf(5)). */
function serversIn(text: string): string[] {
  return text.split("\n").flatMap((line) => /^nameserver\s+(\S+)/.exec(line)?.[1] ?? []);
}
