import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";
import { type Clock, systemClock } from "../../runtime/clock";
import { localNetworks } from "./local-routes";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Reads the system's addresses at most this often, milliseconds: they come and go by DHCP, failover and IPv6 privacy. */
const READ_EVERY_MS = 10_000;

/** Holds the addresses of this machine, public ones included. */
export class OwnAddresses {
  private texts = "";
  private networks: readonly [Address, number][] = [];
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

  has(address: Address): boolean {
    return this.networks.some((network) => network[0].kind() === address.kind() && address.match(network));
  }
}

function addressesOfSystem(): string[] {
  const interfaces = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return [...interfaces.map(({ address }) => address), ...localNetworks()];
}

/** Some systems append a zone to an address. */
function networkIn(text: string): [Address, number][] {
  const [address = "", bits] = text.split(/[/%]/);
  if (!ipaddr.isValid(address)) return [];
  const parsed = ipaddr.parse(address);
  return [[parsed, text.includes("/") ? Number(bits) : parsed.kind() === "ipv4" ? 32 : 128]];
}
