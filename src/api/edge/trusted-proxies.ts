import ipaddr from "ipaddr.js";
import { familyOf, type Network, parseNetwork } from "../../attempt/targets/address";

/** The proxies whose `X-Forwarded-For` is believed. Other clients could write any address into it. */
export class TrustedProxies {
  private readonly networks: readonly Network[];

  /** `text` has networks and addresses with commas between them. Throws for an invalid one. */
  constructor(text: string | null) {
    this.networks = text?.split(",").map((each) => parseNetwork(each.trim())) ?? [];
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

  /** An IPv4 address may come in the form of IPv6. */
  private has(text: string): boolean {
    if (this.networks.length === 0 || familyOf(text) === null) return false;
    const forms = [ipaddr.parse(text), ipaddr.process(text)];
    return this.networks.some((network) =>
      forms.some((address) => address.kind() === network[0].kind() && address.match(network)),
    );
  }
}
