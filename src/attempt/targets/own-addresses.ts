import { readFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";
import { type Clock, systemClock } from "../../runtime/clock";
import { hasCode } from "../../runtime/errors";

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** Reads the system's addresses at most this often, milliseconds: they come and go by DHCP, failover and IPv6 privacy. */
const READ_EVERY_MS = 10_000;

/** Holds the addresses of this machine, public ones included. */
export class OwnAddresses {
  private texts = "";
  private networks: readonly [IpAddress, number][] = [];
  private readAt = Number.NEGATIVE_INFINITY;

  /** `read` returns addresses and CIDRs as the system writes them. */
  constructor(
    private readonly read: () => readonly string[] = addressesOfSystem,
    private readonly clock: Pick<Clock, "monotonic"> = systemClock,
  ) {}

  /**
   * Reads the addresses again if the last read is 10 s old. Returns whether they have changed. Keeps the last addresses if
   * the read fails. Throws if no read has ever succeeded, so that no own address passes for a public one.
   */
  refresh(): boolean {
    const now = this.clock.monotonic();
    if (now - this.readAt < READ_EVERY_MS) return false;
    const texts = this.readOrKeep();
    this.readAt = now;
    if (texts === null) return false;
    const list = texts.join(" ");
    if (list === this.texts) return false;
    this.texts = list;
    this.networks = texts.flatMap(networkIn);
    return true;
  }

  private readOrKeep(): readonly string[] | null {
    try {
      return this.read();
    } catch (error) {
      if (this.readAt === Number.NEGATIVE_INFINITY) throw error;
      return null;
    }
  }

  has(address: IpAddress): boolean {
    return this.networks.some((network) => network[0].kind() === address.kind() && address.match(network));
  }
}

function addressesOfSystem(): string[] {
  const interfaces = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return [...interfaces.map(({ address }) => address), ...localNetworks()];
}

/** Parses an address or a CIDR. Some systems append a zone to an address. */
function networkIn(text: string): [IpAddress, number][] {
  const [address = "", bits] = text.split(/[/%]/);
  if (!ipaddr.isValid(address)) return [];
  const parsed = ipaddr.parse(address);
  return [[parsed, text.includes("/") ? Number(bits) : parsed.kind() === "ipv4" ? 32 : 128]];
}

/** Error codes of a system that has no such file, or does not let Hermod read it. */
const ABSENT = ["ENOENT", "ENOTDIR", "EACCES", "EPERM"];
/** Marks the routes in ipv6_route that end at this machine (RTF_LOCAL in linux/ipv6_route.h). */
const RTF_LOCAL = 0x8000_0000;

/**
 * Lists the networks that Linux routes to this machine itself; none on other systems. They are more than the interfaces
 * show: load balancers of clouds add their addresses as routes alone, and an interface without a carrier is not listed
 * though its address answers.
 */
export function localNetworks(): string[] {
  return [...localIn4(read("/proc/net/fib_trie")), ...localIn6(read("/proc/net/ipv6_route"))];
}

/** Reads the tables Main and Local. In other tables, transparent proxies route everything to this machine. */
export function localIn4(fibTrie: string): string[] {
  const tables = fibTrie.split(/^(?=\S)/m).filter((table) => /^(Main|Local):/.test(table));
  const leaves = tables.flatMap((table) => table.split("|-- ").slice(1));
  return leaves.flatMap((leaf) => {
    const [address = ""] = leaf.split("\n");
    return [...leaf.matchAll(/\/(\d+) host LOCAL/g)].map(([, bits = ""]) => `${address}/${bits}`);
  });
}

/** Reads all tables, which are one list in this file, and skips routes for everything. */
export function localIn6(ipv6Route: string): string[] {
  return ipv6Route.split("\n").flatMap((line) => {
    const fields = line.trim().split(/\s+/);
    const [address = "", length = "", flags = ""] = [fields[0], fields[1], fields[8]];
    const isLocal = length !== "00" && (Number.parseInt(flags, 16) & RTF_LOCAL) !== 0;
    return isLocal ? [`${address.match(/.{4}/g)?.join(":")}/${Number.parseInt(length, 16)}`] : [];
  });
}

/** Throws if the process lacks files or memory. Otherwise our own addresses would pass as public ones. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (hasCode(error, ...ABSENT)) return "";
    throw error;
  }
}
