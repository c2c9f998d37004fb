import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { createAddressPolicy, familyOf } from "../../src/attempt/targets/address";
import { OwnAddresses } from "../../src/attempt/targets/own-addresses";
import { ManualClock } from "./manual-clock";

/** Addresses by kind: the first and the last of each range, and their neighbours. */
const TABLE: Record<string, string> = {
  public: `1.0.0.0 1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
    168.63.129.15 168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0
    192.0.3.0 192.31.195.255 192.31.197.0 192.52.192.255 192.52.194.0 192.88.98.255 192.88.100.0 192.167.255.255
    192.169.0.0 192.175.47.255 192.175.49.0 198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255
    203.0.114.0 223.255.255.255 2000:: 2001:200:: 2001:db7:ffff:ffff:ffff:ffff:ffff:ffff 2001:db9:: 2001:4860:4860::8888
    2003:: 2606:4700::1111 2620:4f:7fff:: 2620:4f:8001:: 2a00:1450:4001::1 3ffd:ffff:: 3fff:1000::
    3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff ::ffff:8.8.8.8 ::ffff:808:808 64:ff9b::8.8.8.8 64:ff9b::101:101`,
  this_network: "0.0.0.0 0.0.0.1 0.1.2.3 0.255.255.255 ::ffff:0.0.0.0 64:ff9b::0.0.0.0",
  loopback: `127.0.0.0 127.0.0.1 127.0.1.1 127.1.2.3 127.255.255.255 ::1 0:0:0:0:0:0:0:1 ::ffff:127.0.0.1
    ::ffff:7f00:1 ::ffff:7fff:ffff 0:0:0:0:0:ffff:127.0.0.1 64:ff9b::127.0.0.1 64:ff9b::7f00:1`,
  private: `10.0.0.0 10.0.0.1 10.255.255.255 172.16.0.0 172.20.1.1 172.31.255.255 192.168.0.0 192.168.1.1
    192.168.255.255 ::ffff:10.0.0.1 ::ffff:a00:1 ::ffff:172.16.0.1 ::ffff:c0a8:101 64:ff9b::10.0.0.1 64:ff9b::c0a8:1`,
  shared: "100.64.0.0 100.64.0.1 100.100.100.199 100.100.100.201 100.127.255.255 ::ffff:100.64.0.1",
  link_local: `169.254.0.0 169.254.1.1 169.254.169.252 169.254.169.255 169.254.255.255 ::ffff:169.254.0.1 fe80::
    fe80::1 fe80::a9fe:a9ff febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff 64:ff9b::169.254.0.1`,
  metadata: `169.254.169.254 169.254.169.253 169.254.169.123 169.254.170.2 169.254.170.23 168.63.129.16
    100.100.100.200 192.0.0.192 169.254.42.42 fd00:ec2::254 fd00:ec2::23 fd00:ec2::253 fd00:42::42 fd20:ce::254
    fe80::a9fe:a9fe ::ffff:169.254.169.254 ::ffff:a9fe:a9fe ::ffff:168.63.129.16 ::ffff:6464:64c8
    64:ff9b::169.254.169.254 64:ff9b::a83f:8110`,
  protocol: `192.0.0.0 192.0.0.9 192.0.0.10 192.0.0.170 192.0.0.255 2001:1::1 2001:1::2 2001:30::1 2001:1ff:ffff::
    ::ffff:192.0.0.1`,
  documentation: `192.0.2.0 192.0.2.255 198.51.100.0 198.51.100.255 203.0.113.0 203.0.113.255 2001:db8:: 2001:db8::1
    2001:db8:ffff:ffff:ffff:ffff:ffff:ffff 3fff:: 3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff ::ffff:192.0.2.1`,
  benchmarking:
    "198.18.0.0 198.18.0.1 198.19.255.255 2001:2:: 2001:2:0:ffff:ffff:ffff:ffff:ffff ::ffff:198.18.0.1",
  anycast: `192.31.196.0 192.31.196.255 192.52.193.0 192.52.193.255 192.175.48.0 192.175.48.255 2001:3::1 2001:4:112::1
    2620:4f:8000::1`,
  relay: "192.88.99.0 192.88.99.1 192.88.99.255 2002:: 2002:7f00:1:: 2002:808:808::1 2002:ffff:ffff:ffff::",
  multicast:
    "224.0.0.0 224.0.0.1 233.252.0.1 239.255.255.255 ff00:: ff02::1 ff0e::1 ffff:ffff:: ::ffff:224.0.0.1",
  reserved: `240.0.0.0 250.1.2.3 255.255.255.254 ::ffff:240.0.0.1 ::ffff:0:127.0.0.1 ::1:0:0:0 64:ff9a:: 64:ff9b:0:0:0:1::
    64:ff9b:2:: 200:: 400::1 1000:: 1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 3ffe:: 3ffe:831f::1 4000:: 5eff:ffff::
    5f01:: 6000:: 8000:: a000:: c000:: e000:: f000:: f800:: fbff:ffff:: fe00:: fe7f:ffff::`,
  broadcast: "255.255.255.255 ::ffff:255.255.255.255",
  unspecified: ":: 0:0:0:0:0:0:0:0",
  ipv4_compatible: "::2 ::127.0.0.1 ::7f00:1 ::8.8.8.8 ::10.0.0.1 ::ffff:ffff",
  nat64: "64:ff9b:1:: 64:ff9b:1::8.8.8.8 64:ff9b:1:7f00:0:1:: 64:ff9b:1:ffff:ffff:ffff:ffff:ffff",
  discard: "100:: 100::1 100::ffff:ffff:ffff:ffff 100:0:0:1::1",
  teredo: "2001:: 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:0:ffff:ffff:ffff:ffff:ffff:ffff",
  orchid: "2001:10:: 2001:1f:ffff:: 2001:20:: 2001:2f:ffff:ffff:ffff:ffff:ffff:ffff",
  segment_routing: "5f00:: 5f00:1::1 5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
  unique_local: "fc00:: fc00::1 fd00::1 fd00:ec1::254 fd00:ec3:: fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
  site_local: "fec0:: fec0::1 feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
};

const rows = Object.entries(TABLE).flatMap(([kind, ips]) =>
  ips.split(/\s+/).map((ip) => [ip, kind] as const),
);

test("the table has at least 150 addresses, none of them twice", () => {
  expect(new Set(rows.map(([ip]) => ip)).size).toBe(rows.length);
  expect(rows.length).toBeGreaterThan(150);
});

const PRODUCTION = createAddressPolicy({ production: true, allowPrivateNetworks: null });
const ELSEWHERE = createAddressPolicy({ production: false, allowPrivateNetworks: null });
const ALL = createAddressPolicy({ production: true, allowPrivateNetworks: "all" });
/** Names the policies that permit an address without listing it. */
const permissions = (ip: string) => ({
  production: PRODUCTION.permits(ip),
  elsewhere: ELSEWHERE.permits(ip),
  all: ALL.permits(ip),
});
const NEAR_KINDS = ["loopback", "private", "unique_local", "shared"];

test.each(rows)("%s is %s", (ip, kind) => {
  const isPublic = kind === "public";
  expect(permissions(ip)).toEqual({
    production: isPublic,
    elsewhere: isPublic || NEAR_KINDS.includes(kind),
    all: kind !== "metadata",
  });
  expect(familyOf(ip)).toBe(ip.includes(":") ? 6 : 4);
});

test.each([
  ..."127.1 2130706433 0x7f000001 0177.0.0.1 127.0.0.01 1.2.3 1.2.3.4.5 256.1.1.1 1.1.1.1. 1.1.1.1/8".split(
    " ",
  ),
  ...":: 1|[::1]|fe80::1%eth0|::1%lo|1::2::3|12345::|::ffff:1.2.3|::ffff:1.2.3.256|localhost|example.com|".split(
    "|",
  ),
  " 1.1.1.1",
  "1.1.1.1 ",
  "1.1.1.1\0",
  "１.1.1.1",
])("%j is not an address", (text) => {
  expect(familyOf(text)).toBeNull();
  expect(permissions(text)).toEqual({ production: false, elsewhere: false, all: false });
});

describe("public", () => {
  const octets = fc.uint8Array({ minLength: 4, maxLength: 4 });
  const v4 = octets.map((bytes) => bytes.join("."));
  const hextets = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 });
  // Draws mostly addresses near the ranges, where the policy can be wrong.
  const v6 = fc
    .tuple(
      fc.constantFrom(0, 0x64, 0x100, 0x2001, 0x2002, 0x2620, 0x3fff, 0x5f00, 0xfc00, 0xfe80, null),
      hextets,
    )
    .map(([first, rest]) =>
      [first ?? rest[0], ...rest.slice(1)].map((part) => (part ?? 0).toString(16)).join(":"),
    );

  test("excludes every address that ipaddr.js calls special", () => {
    fc.assert(
      fc.property(fc.oneof(v4, v6), (ip) => {
        const range = ipaddr.parse(ip).range();
        const judgedByInner = ["ipv4Mapped", "rfc6052"].includes(range);
        if (range !== "unicast" && !judgedByInner) expect(PRODUCTION.permits(ip)).toBe(false);
      }),
      { numRuns: 5_000 },
    );
  });

  test("depends neither on the spelling nor on mapping into IPv6", () => {
    fc.assert(
      fc.property(v4, v6, (ip4, ip6) => {
        expect(permissions(`::ffff:${ip4}`)).toEqual(permissions(ip4));
        expect(permissions(`64:ff9b::${ip4}`)).toEqual(permissions(ip4));
        const parsed = ipaddr.IPv6.parse(ip6);
        expect(permissions(parsed.toRFC5952String())).toEqual(permissions(ip6));
        expect(permissions(parsed.toNormalizedString().toUpperCase())).toEqual(permissions(ip6));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("the policy", () => {
  const policy = (production: boolean, allowPrivateNetworks: string | null = null) =>
    createAddressPolicy({ production, allowPrivateNetworks });
  const LOCAL = ["127.0.0.1", "::1", "10.1.2.3", "172.17.0.2", "192.168.1.1", "100.64.1.1", "fd12::1"];
  const METADATA = [
    "169.254.169.254",
    "168.63.129.16",
    "100.100.100.200",
    "fd00:ec2::254",
    "::ffff:169.254.169.254",
  ];
  const NEVER = [
    "0.0.0.0",
    "::",
    "224.0.0.1",
    "255.255.255.255",
    "2001:db8::1",
    "240.0.0.1",
    "fe80::1",
    "169.254.1.1",
  ];
  const permitted = (of: ReturnType<typeof policy>, ips: string[]) => ips.filter((ip) => of.permits(ip));

  test("in production permits only public addresses", () => {
    expect(
      permitted(
        policy(true),
        rows.filter(([, kind]) => kind !== "public").map(([ip]) => ip),
      ),
    ).toEqual([]);
    const ordinary = rows.filter(([, kind]) => kind === "public").map(([ip]) => ip);
    expect(permitted(policy(true), ordinary)).toEqual(ordinary);
  });

  test("outside production also permits loopback and private addresses, and no others", () => {
    expect(permitted(policy(false), ["8.8.8.8", ...LOCAL])).toEqual(["8.8.8.8", ...LOCAL]);
    expect(permitted(policy(false), [...METADATA, ...NEVER])).toEqual([]);
  });

  test.each([true, false])("with a list permits only the listed networks (production: %j)", (production) => {
    const listed = policy(production, "10.1.0.0/16, 192.168.1.1,fd12::/16");
    expect(permitted(listed, LOCAL)).toEqual(["10.1.2.3", "192.168.1.1", "fd12::1"]);
    expect(permitted(listed, ["10.2.0.1", "192.168.1.2", "fd13::1", ...METADATA, ...NEVER])).toEqual([]);
    expect(listed.permits("::ffff:10.1.2.3")).toBe(true);
    expect(listed.permits("::ffff:10.2.2.3")).toBe(false);
    expect(listed.permits("8.8.8.8")).toBe(true);
  });

  test("with `all` permits everything except metadata services, which must be listed", () => {
    for (const production of [true, false]) {
      expect(permitted(policy(production, "all"), [...LOCAL, ...NEVER])).toEqual([...LOCAL, ...NEVER]);
      expect(permitted(policy(production, "ALL"), METADATA)).toEqual([]);
    }
    const listed = policy(true, "all,169.254.169.254/32,fd00:ec2::/32");
    expect(permitted(listed, METADATA)).toEqual([
      "169.254.169.254",
      "fd00:ec2::254",
      "::ffff:169.254.169.254",
    ]);
    expect(policy(true, "169.254.0.0/16").permits("169.254.169.254")).toBe(true);
  });

  test("accepts a network of any length, with or without host bits", () => {
    expect(policy(true, "0.0.0.0/0").permits("127.0.0.1")).toBe(true);
    expect(policy(true, "::/0").permits("fd12::1")).toBe(true);
    expect(policy(true, "0.0.0.0/0").permits("fd12::1")).toBe(false);
    expect(policy(true, "10.1.2.3/8").permits("10.200.0.1")).toBe(true);
    expect(policy(true, "10.0.0.0/31").permits("10.0.0.2")).toBe(false);
  });

  test.each([
    "10.0.0.0/33",
    "10.0.0/8",
    "10.0.0.0/",
    "10.0.0.0/a",
    "10.0.0.0/8/8",
    "::/129",
    "private",
    "10.0.0.0-10.0.0.9",
    "0x7f.1",
    "fe80::1%eth0",
  ])("refuses the list %j", (list) => {
    expect(() => policy(false, list)).toThrow(`"${list}" is not a network`);
  });

  test("stays right for more addresses than its cache holds", () => {
    const strict = policy(true);
    for (let i = 0; i < 25_000; i++) {
      expect(strict.permits(`10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`)).toBe(false);
    }
    expect(strict.permits("8.8.8.8")).toBe(true);
  });
});

describe("an address of this machine", () => {
  const OWN = ["8.8.8.8", "2606:4700::1111", "10.0.0.5", "fe80::1%eth0", "nonsense"];
  const ownAddresses = new OwnAddresses(() => OWN);
  const policy = (production: boolean, allowPrivateNetworks: string | null = null) =>
    createAddressPolicy({ production, allowPrivateNetworks, ownAddresses });
  const SPELLINGS = [
    ...["8.8.8.8", "::ffff:8.8.8.8", "::ffff:808:808", "64:ff9b::8.8.8.8"],
    ...["2606:4700::1111", "2606:4700:0:0:0:0:0:1111", "2606:4700::0.0.17.17"],
  ];

  test.each(SPELLINGS)("is refused in production, public or not: %s", (ip) => {
    expect(policy(true).permits(ip)).toBe(false);
    expect(policy(true, "0.0.0.0/0,::/0").permits(ip)).toBe(false);
    expect(policy(true, "all").permits(ip)).toBe(true);
    expect(policy(false).permits(ip)).toBe(true);
  });

  test("is every address of a network that is routed to this machine", () => {
    const routed = new OwnAddresses(() => ["9.9.9.0/28", "2606:4700:0:0:0:0:0:0/64"]);
    const strict = createAddressPolicy({
      production: true,
      allowPrivateNetworks: null,
      ownAddresses: routed,
    });
    expect(["9.9.9.0", "9.9.9.15", "::ffff:9.9.9.9", "2606:4700::abcd"].map(strict.permits)).not.toContain(
      true,
    );
    expect(["9.9.9.16", "2606:4700:0:1::1"].map(strict.permits)).toEqual([true, true]);
  });

  test("is permitted if it is listed itself, but not by a network around it", () => {
    expect(policy(true, "10.0.0.0/8").permits("10.0.0.5")).toBe(false);
    expect(policy(true, "10.0.0.0/8").permits("10.0.0.6")).toBe(true);
    expect(policy(true, "10.0.0.0/8,10.0.0.5").permits("10.0.0.5")).toBe(true);
    expect(policy(true, "8.8.8.8/32").permits("::ffff:8.8.8.8")).toBe(true);
    expect(policy(true, "2606:4700::1111").permits("2606:4700::1111")).toBe(true);
    expect(policy(false, "10.0.0.0/8").permits("10.0.0.5")).toBe(false);
  });

  test("can be a loopback address if a list permits it", () => {
    const loopback = new OwnAddresses(() => ["127.0.0.1", "::1"]);
    const listed = (allowPrivateNetworks: string) =>
      createAddressPolicy({ production: true, allowPrivateNetworks, ownAddresses: loopback });
    expect(listed("127.0.0.0/8").permits("127.0.0.1")).toBe(true);
    expect(listed("::/64").permits("::1")).toBe(true);
  });

  test("stays refused while the system can't be read; if it was never read, nothing is permitted", async () => {
    const clock = new ManualClock();
    const fail = (): string[] => {
      throw new Error("no file descriptor");
    };
    let read = fail;
    const ownAddresses = new OwnAddresses(() => read(), clock);
    const strict = createAddressPolicy({ production: true, allowPrivateNetworks: null, ownAddresses });
    for (let i = 0; i < 2; i++) expect(() => strict.permits("9.9.9.9")).toThrow("no file descriptor");
    const verdicts = () => ["8.8.8.8", "9.9.9.9"].map((ip) => strict.permits(ip));
    read = () => ["8.8.8.8"];
    expect(verdicts()).toEqual([false, true]);
    read = fail;
    await clock.pass(10_000);
    expect(verdicts()).toEqual([false, true]);
  });

  test("is noticed within 10 s after it is added, and within 10 s after it is removed", async () => {
    const clock = new ManualClock();
    let addresses = ["8.8.8.8"];
    const changing = new OwnAddresses(() => addresses, clock);
    const strict = createAddressPolicy({
      production: true,
      allowPrivateNetworks: null,
      ownAddresses: changing,
    });
    const verdicts = () => ["8.8.8.8", "9.9.9.9"].map((ip) => strict.permits(ip));
    expect(verdicts()).toEqual([false, true]);
    addresses = ["9.9.9.9"];
    await clock.pass(9_999);
    expect(verdicts()).toEqual([false, true]);
    await clock.pass(1);
    expect(verdicts()).toEqual([true, false]);
  });
});
