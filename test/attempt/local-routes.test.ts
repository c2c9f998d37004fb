import { expect, test } from "bun:test";
import { localIn4, localIn6, localNetworks } from "../../src/attempt/targets/own-addresses";

/** The file as Linux 6.1 writes it, with an address that is only a route, and a table for transparent proxying. */
const FIB_TRIE = `Main:
  +-- 0.0.0.0/0 3 0 5
     |-- 0.0.0.0
        /0 universe UNICAST
     +-- 127.0.0.0/8 2 0 2
        |-- 127.0.0.0
           /8 host LOCAL
        |-- 127.255.255.255
           /32 link BROADCAST
     |-- 203.0.113.12
        /32 host LOCAL
Local:
  +-- 0.0.0.0/0 2 0 2
     |-- 198.51.100.0
        /24 link UNICAST
        /25 host LOCAL
Id 100:
  +-- 0.0.0.0/0 2 0 2
     |-- 0.0.0.0
        /0 host LOCAL
     |-- 192.0.2.9
        /32 host LOCAL
`;

const LINE = (address: string, length: string, flags: string) =>
  `${address} ${length} ${"0".repeat(32)} 00 ${"0".repeat(32)} 00000000 00000003 00000000 ${flags}       lo\n`;

test("routes to this machine are read from fib_trie", () => {
  expect(localIn4(FIB_TRIE)).toEqual(["127.0.0.0/8", "203.0.113.12/32", "198.51.100.0/25"]);
  expect(localIn4("")).toEqual([]);
});

test("routes to this machine are read from ipv6_route", () => {
  const text =
    LINE("20010db8000700000000000000000001", "80", "80200001") +
    LINE("20010db8000900000000000000000000", "40", "80000001") +
    LINE("20010db8000a00000000000000000000", "40", "00000001") +
    LINE("00000000000000000000000000000000", "00", "80000001");
  expect(localIn6(text)).toEqual([
    "2001:0db8:0007:0000:0000:0000:0000:0001/128",
    "2001:0db8:0009:0000:0000:0000:0000:0000/64",
  ]);
  expect(localIn6("")).toEqual([]);
});

test.skipIf(process.platform !== "linux")("the routes of this system are found", () => {
  expect(localNetworks()).toContain("127.0.0.0/8");
});
