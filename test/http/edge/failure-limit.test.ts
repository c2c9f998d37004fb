import { expect, test } from "bun:test";
import { FAILURES_PER_MINUTE, FailureLimit } from "../../../src/api/edge/failure-limit";
import { systemClock } from "../../../src/runtime/clock";

function virtual() {
  const clock = { ...systemClock, time: 5_000, monotonic: () => clock.time };
  return { clock, logins: new FailureLimit(clock, FAILURES_PER_MINUTE) };
}

function fail(logins: FailureLimit, address: string, times: number): (number | null)[] {
  return Array.from({ length: times }, () => logins.count(address));
}

test("the first 300 in a minute are free, the next must wait for its end", () => {
  const { clock, logins } = virtual();
  expect(fail(logins, "a", FAILURES_PER_MINUTE).every((wait) => wait === null)).toBe(true);
  clock.time += 20_500;
  expect(logins.count("a")).toBe(40);
  expect(logins.count("b")).toBeNull();
  clock.time += 39_500;
  expect(logins.count("a")).toBeNull();
});

test("a source with as many failures must wait before its next try, others need not", () => {
  const { clock, logins } = virtual();
  expect(logins.waitOf("a")).toBeNull();
  fail(logins, "a", FAILURES_PER_MINUTE - 1);
  expect(logins.waitOf("a")).toBeNull();
  logins.count("a");
  expect(logins.waitOf("a")).toBe(60);
  expect(logins.waitOf("b")).toBeNull();
  clock.time += 60_000;
  expect(logins.waitOf("a")).toBeNull();
});

test("addresses are forgotten, the oldest first, so that a flood of them takes no more memory", () => {
  const { clock, logins } = virtual();
  const flood = (name: string) => {
    for (let i = 0; i < 5_000; i++) logins.count(`${name} ${i}`);
  };
  fail(logins, "first", FAILURES_PER_MINUTE + 1);
  flood("an address");
  clock.time += 1;
  fail(logins, "second", FAILURES_PER_MINUTE + 1);
  flood("another");
  expect(logins.count("second")).not.toBeNull();
  expect(logins.count("first")).toBeNull();
});

test.each([
  ["one IPv6 network is one source", "2001:db8:1:2::1", "2001:db8:1:2:ffff:0:0:9", true],
  ["two networks are two", "2001:db8:1:2::1", "2001:db8:1:3::1", false],
  ["an IPv4 address is the same however it is written", "::ffff:192.0.2.1", "192.0.2.1", true],
  ["two IPv4 addresses are two, also mapped", "::ffff:192.0.2.1", "::ffff:192.0.2.2", false],
  ["a zone makes no other source", "fe80::1%eth0", "fe80::2%eth0", true],
])("%s", (_, one, other, isSame) => {
  const { logins } = virtual();
  fail(logins, one, FAILURES_PER_MINUTE);
  expect(logins.count(other) !== null).toBe(isSame);
});
