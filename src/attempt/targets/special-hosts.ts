/** The purposes of addresses that are not ordinary public ones. */
export type SpecialKind =
  | "metadata"
  | "this_network"
  | "unspecified"
  | "loopback"
  | "private"
  | "unique_local"
  | "shared"
  | "link_local"
  | "site_local"
  | "multicast"
  | "broadcast"
  | "documentation"
  | "benchmarking"
  | "protocol"
  | "anycast"
  | "relay"
  | "teredo"
  | "nat64"
  | "ipv4_compatible"
  | "discard"
  | "orchid"
  | "segment_routing"
  | "reserved";

/**
 * Addresses at which clouds serve credentials and configuration to machines. Some are in other special ranges. They have a
 * kind of their own, since permitting such a range must not permit them.
 */
export const METADATA_ADDRESSES: readonly string[] = [
  "169.254.169.254", // AWS, Google Cloud, Azure, Oracle, DigitalOcean, OpenStack
  "169.254.169.253", // AWS: resolver
  "169.254.169.123", // AWS: time
  "169.254.170.2", // AWS ECS: task credentials
  "169.254.170.23", // AWS EKS: pod identity
  "fd00:ec2::/32", // AWS over IPv6: metadata ::254, pod identity ::23, resolver ::253
  "168.63.129.16", // Azure: the host's agent; an address that is public otherwise
  "100.100.100.200", // Alibaba Cloud
  "192.0.0.192", // Oracle Cloud, classic
  "169.254.42.42", // Scaleway
  "fd00:42::42", // Scaleway over IPv6
  "fd20:ce::254", // Google Cloud over IPv6
  "fe80::a9fe:a9fe", // OpenStack over IPv6
];

/**
 * The IANA special-purpose registries (RFC 6890), and the ranges that they leave to others. The first range that contains an
 * address names its kind. Ranges that IANA calls globally reachable serve protocols, not receivers.
 */
export const SPECIAL_RANGES: readonly (readonly [cidr: string, kind: SpecialKind])[] = [
  ["0.0.0.0/8", "this_network"], // RFC 791, 3.2; Linux connects 0.0.0.0 to itself
  ["10.0.0.0/8", "private"], // RFC 1918
  ["100.64.0.0/10", "shared"], // RFC 6598, carrier-grade NAT
  ["127.0.0.0/8", "loopback"], // RFC 1122, 3.2.1.3
  ["169.254.0.0/16", "link_local"], // RFC 3927
  ["172.16.0.0/12", "private"], // RFC 1918
  ["192.0.0.0/24", "protocol"], // RFC 6890
  ["192.0.2.0/24", "documentation"], // RFC 5737
  ["192.31.196.0/24", "anycast"], // RFC 7535, AS112
  ["192.52.193.0/24", "anycast"], // RFC 7450, AMT
  ["192.88.99.0/24", "relay"], // RFC 7526, 6to4 relays, deprecated
  ["192.168.0.0/16", "private"], // RFC 1918
  ["192.175.48.0/24", "anycast"], // RFC 7534, AS112
  ["198.18.0.0/15", "benchmarking"], // RFC 2544
  ["198.51.100.0/24", "documentation"], // RFC 5737
  ["203.0.113.0/24", "documentation"], // RFC 5737
  ["224.0.0.0/4", "multicast"], // RFC 5771
  ["255.255.255.255/32", "broadcast"], // RFC 919
  ["240.0.0.0/4", "reserved"], // RFC 1112, 4

  ["::/128", "unspecified"], // RFC 4291, 2.5.2
  ["::1/128", "loopback"], // RFC 4291, 2.5.3
  ["::/96", "ipv4_compatible"], // RFC 4291, 2.5.5.1, deprecated
  ["64:ff9b:1::/48", "nat64"], // RFC 8215, local use: how it embeds IPv4 is not known
  ["100::/64", "discard"], // RFC 6666
  ["100:0:0:1::/64", "discard"], // RFC 9780
  ["2001::/32", "teredo"], // RFC 4380
  ["2001:2::/48", "benchmarking"], // RFC 5180
  ["2001:3::/32", "anycast"], // RFC 7450, AMT
  ["2001:4:112::/48", "anycast"], // RFC 7535, AS112
  ["2001:10::/28", "orchid"], // RFC 4843, deprecated
  ["2001:20::/28", "orchid"], // RFC 7343
  ["2001::/23", "protocol"], // RFC 2928
  ["2001:db8::/32", "documentation"], // RFC 3849
  ["2002::/16", "relay"], // RFC 3056, 6to4, deprecated by RFC 7526
  ["2620:4f:8000::/48", "anycast"], // RFC 7534, AS112
  ["3ffe::/16", "reserved"], // RFC 3701, the 6bone, given back
  ["3fff::/20", "documentation"], // RFC 9637
  ["5f00::/16", "segment_routing"], // RFC 9602
  ["fc00::/7", "unique_local"], // RFC 4193
  ["fe80::/10", "link_local"], // RFC 4291, 2.5.6
  ["fec0::/10", "site_local"], // RFC 3879, deprecated
  ["ff00::/8", "multicast"], // RFC 4291, 2.7
];

/**
 * Domains whose names lead into a network and never to the Internet. The proxy looks names up in its own network,
 * so there they would be open to everybody.
 */
const INTERNAL_DOMAINS: ReadonlySet<string> = new Set([
  "localhost", // RFC 6761, 6.3
  "local", // RFC 6762, 3
  "internal", // reserved by ICANN in 2024; clouds serve metadata below it
  "home.arpa", // RFC 8375
  ...["intranet", "private", "corp", "home", "lan"], // RFC 6762, G: in wide use, and never delegated
  "localdomain",
  "svc", // Kubernetes, whose search lists complete it
]);

/** Returns true for a name of one label (search lists complete it), of an internal domain, or with an empty label. */
export function isInternalName(name: string): boolean {
  const labels = name.toLowerCase().split(".");
  if (labels.length === 1 || labels.includes("")) return true;
  return INTERNAL_DOMAINS.has(labels.slice(-1).join(".")) || INTERNAL_DOMAINS.has(labels.slice(-2).join("."));
}
