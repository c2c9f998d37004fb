import { BlockList, isIPv4 } from "node:net";
import { familyOf } from "../../attempt/targets/address";

/** The proxies whose `X-Forwarded-For` is believed. Other clients could write any address into it. */
export class TrustedProxies {
  private readonly networks = new BlockList();

  /** `text` has networks and addresses with commas between them. Throws for an invalid one. */
  constructor(text: string | null) {
    for (const each of text?.split(",") ?? []) this.add(each.trim());
  }

  /** Returns the address of a request's client: the last one that no trusted proxy has. */
  clientOf(peer: string, forwardedFor: string | null): string {
    const earlier = forwardedFor?.split(",") ?? [];
    let address = peer;
    while (this.has(address)) {
      const next = earlier.pop()?.trim();
      // A proxy that wrote no address is the client itself.
      if (next === undefined || familyOf(next) === null) return address;
      address = next;
    }
    return address;
  }

  private has(address: string): boolean {
    return familyOf(address) !== null && this.networks.check(address, isIPv4(address) ? "ipv4" : "ipv6");
  }

  private add(text: string): void {
    const [address = "", bits, ...rest] = text.split("/");
    const family = familyOf(address);
    const most = family === 4 ? 32 : 128;
    const prefix = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
    if (family === null || rest.length > 0 || !(prefix <= most))
      throw new Error(`"${text}" is not a network such as 10.0.0.0/8, or an address`);
    this.networks.addSubnet(address, prefix, family === 4 ? "ipv4" : "ipv6");
  }
}
