import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";
import { type Clock, systemClock } from "../runtime/clock";

/** Reads the interfaces at most this often, milliseconds: addresses come and go by DHCP, failover and IPv6 privacy. */
const READ_EVERY_MS = 10_000;

/** Knows the addresses of this machine's interfaces, public ones included. */
export class OwnAddresses {
  private known: ReadonlySet<string> = new Set();
  private readAt = Number.NEGATIVE_INFINITY;

  /** `read` returns the addresses as the system writes them. */
  constructor(
    private readonly read: () => readonly string[] = addressesOfInterfaces,
    private readonly clock: Pick<Clock, "monotonic"> = systemClock,
  ) {}

  /** Reads the interfaces again if the last look is 10 s old. Returns whether an address came or went. */
  refresh(): boolean {
    const now = this.clock.monotonic();
    if (now - this.readAt < READ_EVERY_MS) return false;
    this.readAt = now;
    const before = this.known;
    this.known = new Set(this.read().flatMap(normalized));
    return this.known.symmetricDifference(before).size > 0;
  }

  has(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
    return this.known.has(address.toNormalizedString());
  }
}

function addressesOfInterfaces(): string[] {
  return Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? []);
}

/** One spelling for each address, without the zone that some systems append. */
function normalized(text: string): string[] {
  const [address = ""] = text.split("%");
  return ipaddr.isValid(address) ? [ipaddr.parse(address).toNormalizedString()] : [];
}
