import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { BoundedMap } from "../../runtime/bounded-map";
import { type IpAddress, OwnAddresses } from "./own-addresses";
import { isInternalName, METADATA_ADDRESSES, SPECIAL_RANGES, type SpecialKind } from "./special-hosts";

/** An address, and how many of its first bits count. */
export type Network = [IpAddress, number];

const METADATA: readonly Network[] = METADATA_ADDRESSES.map((text) => ipaddr.parseCIDR(wholeCidr(text)));
const SPECIAL = SPECIAL_RANGES.map(([cidr, kind]) => ({ network: ipaddr.parseCIDR(cidr), kind }));
const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3");
// IPv6 ranges that embed an IPv4 address. The IPv4 address is judged.
const MAPPED = ipaddr.parseCIDR("::ffff:0:0/96");
const NAT64 = ipaddr.parseCIDR("64:ff9b::/96");

/** An address of a name. */
export type Address = Readonly<{ address: string; family: 4 | 6 }>;

/** Returns 4 or 6 for an address in its usual form, IPv6 without brackets or zone; null for anything else. */
export function familyOf(text: string): 4 | 6 | null {
  const family = text.includes("%") ? 0 : isIP(text);
  return family === 4 || family === 6 ? family : null;
}

/** The kind of an address: a special range, public, an address of this machine, or not an address. */
export type AddressKind = SpecialKind | "public" | "own" | "invalid";

export type AddressPolicy = {
  /** Returns true if a connection to this address may be made. */
  permits(ip: string): boolean;
  /** Returns true if a name may be a target while its addresses are unknown. */
  permitsName(name: string): boolean;
  /** Returns the kind of an address, for the error that refuses it. */
  kindOf(ip: string): AddressKind;
};

export type AddressPolicyOptions = {
  production: boolean;
  /**
   * Networks that are permitted though they are not public, instead of the default: CIDRs or addresses with
   * commas between them, or `all`. Null: none in production, else loopback and private ones. Cloud metadata
   * services are permitted only by a network that holds their address, not by `all`. An address of this machine
   * is permitted only by itself or by `all`, not by a larger network.
   */
  allowPrivateNetworks: string | null;
  /** Defaults to the addresses of this machine's interfaces. */
  ownAddresses?: OwnAddresses;
};

const PERMITTED_OUTSIDE_PRODUCTION: ReadonlySet<string> = new Set<SpecialKind>([
  "loopback",
  "private",
  "unique_local",
  "shared",
]);

/** Most verdicts that are kept, because every attempt judges an address. */
const MAX_VERDICTS = 10_000;

/** Throws if the list has an entry that is no network. */
export function createAddressPolicy(options: AddressPolicyOptions): AddressPolicy {
  const list = parseNetworks(options.allowPrivateNetworks ?? "");
  const permitsKind = kindRule(options, list.all);
  const { ownAddresses = new OwnAddresses() } = options;
  // Receivers in a private network are no reason to open the services that listen on our own address in it.
  const guardsOwn = !list.all && !isLenient(options);
  // All of 127.0.0.0/8 is this machine, so a list that names it means this machine.
  const isGuarded = (address: IpAddress, kind: AddressKind) =>
    guardsOwn && kind !== "loopback" && ownAddresses.has(embedded(address) ?? address);
  const judge = (ip: string): boolean => {
    const address = parse(ip);
    if (!address) return false;
    const kind = classify(address);
    const isListed = (network: Network) => holds(network, address);
    if (isGuarded(address, kind)) return list.hosts.some(isListed);
    return kind === "public" || permitsKind(kind) || list.networks.some(isListed);
  };
  const kindOf = (ip: string): AddressKind => {
    const address = parse(ip);
    if (!address) return "invalid";
    const kind = classify(address);
    return isGuarded(address, kind) ? "own" : kind;
  };
  const verdicts = new BoundedMap<string, boolean>(MAX_VERDICTS);
  return {
    kindOf,
    permitsName: (name) => list.all || isLenient(options) || !isInternalName(name),
    permits(ip) {
      if (ownAddresses.refresh()) verdicts.clear();
      const known = verdicts.get(ip);
      if (known !== undefined) return known;
      const verdict = judge(ip);
      verdicts.set(ip, verdict);
      return verdict;
    },
  };
}

function kindRule(options: AddressPolicyOptions, all: boolean): (kind: SpecialKind) => boolean {
  if (all) return (kind) => kind !== "metadata";
  if (!isLenient(options)) return () => false;
  return (kind) => PERMITTED_OUTSIDE_PRODUCTION.has(kind);
}

function isLenient({ production, allowPrivateNetworks }: AddressPolicyOptions): boolean {
  return !production && allowPrivateNetworks === null;
}

type NetworkList = Readonly<{
  all: boolean;
  networks: readonly Network[];
  /** The networks that are a single address. */
  hosts: readonly Network[];
}>;

function parseNetworks(list: string): NetworkList {
  const items = list.split(",").map((item) => item.trim());
  const isAll = (item: string) => item.toLowerCase() === "all";
  const networks = items.filter((item) => item !== "" && !isAll(item)).map(parseNetwork);
  const hosts = networks.filter(([address, bits]) => bits === bitsOf(address));
  return { all: items.some(isAll), networks, hosts };
}

/** Throws for what is neither a network nor an address. */
export function parseNetwork(text: string): Network {
  const [ip = "", bits = "", ...rest] = wholeCidr(text).split("/");
  const address = parse(ip);
  if (address && rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= bitsOf(address)) {
    return [address, Number(bits)];
  }
  throw new Error(`"${text}" is not a network such as 10.0.0.0/8 or fd00::/8`);
}

function bitsOf(address: IpAddress): 32 | 128 {
  return address.kind() === "ipv4" ? 32 : 128;
}

function parse(ip: string): IpAddress | null {
  return familyOf(ip) === null ? null : ipaddr.parse(inGroups(ip));
}

// ipaddr.js takes ::8.8.8.8, which is ::808:808 (RFC 4291, 2.2), for ::ffff:8.8.8.8.
function inGroups(ip: string): string {
  const dotted = ip.slice(ip.lastIndexOf(":") + 1);
  if (dotted === ip || !dotted.includes(".")) return ip;
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split(".").map(Number);
  const groups = [(a << 8) | b, (c << 8) | d].map((group) => group.toString(16));
  return ip.slice(0, -dotted.length) + groups.join(":");
}

/** Returns the kind of the special range that contains an address; `public` for an ordinary address of the Internet. */
function classify(address: IpAddress): SpecialKind | "public" {
  const inner = embedded(address);
  if (inner) return classify(inner);
  if (METADATA.some((network) => inside(address, network))) return "metadata";
  const range = SPECIAL.find(({ network }) => inside(address, network));
  if (range) return range.kind;
  return address.kind() === "ipv4" || inside(address, GLOBAL_UNICAST) ? "public" : "reserved";
}

/** Returns true if a listed network contains the address, or the IPv4 address that it embeds. */
function holds(network: Network, address: IpAddress): boolean {
  const inner = embedded(address);
  return inside(address, network) || (inner !== null && inside(inner, network));
}

function embedded(address: IpAddress): ipaddr.IPv4 | null {
  if (!inside(address, MAPPED) && !inside(address, NAT64)) return null;
  return new ipaddr.IPv4(address.toByteArray().slice(12));
}

function inside(address: IpAddress, network: Network): boolean {
  return address.kind() === network[0].kind() && address.match(network);
}

function wholeCidr(text: string): string {
  if (text.includes("/")) return text;
  return `${text}/${text.includes(":") ? 128 : 32}`;
}
