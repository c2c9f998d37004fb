import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import {
  connectionsWithin,
  inFlightWithin,
  openFilesLimit,
  parseLimits,
  sentAtOnce,
} from "../../src/runtime/open-files";

const LIMITS = `Limit                     Soft Limit           Hard Limit           Units
Max processes             96218                96218                processes
Max open files            1024                 524288               files
Max locked memory         8388608              8388608              bytes
`;

test("the soft limit applies, if there is one", () => {
  expect(parseLimits(LIMITS)).toBe(1_024);
  expect(parseLimits(LIMITS.replace("1024     ", "unlimited"))).toBeNull();
  expect(parseLimits("")).toBeNull();
});

test.if(existsSync("/proc/self/limits"))("the limit of this process is read", async () => {
  const shell = Bun.spawn(["sh", "-c", "ulimit -n"], { stdout: "pipe" });
  const reported = (await new Response(shell.stdout).text()).trim();
  expect(openFilesLimit()).toBe(reported === "unlimited" ? null : Number(reported));
});

test.each([
  [16_384, null, 16_384],
  [16_384, 1_048_576, 16_384],
  [16_384, 20_000, 16_384],
  [16_384, 17_000, 13_452],
  [100, 1_024, 100],
  [16_384, 1_024, 512],
  [16_384, 1, 1],
])("%p wanted attempts under a limit of %p, beside 2,048 clients, become %p", (wanted, limit, most) => {
  expect(inFlightWithin(wanted, limit, 2_048)).toBe(most);
});

test.each([
  [2_048, null, 2_048],
  [2_048, 1_048_576, 2_048],
  [2_048, 4_096, 512],
  [2_048, 1_024, 128],
  [2_048, 1, 1],
])("%p connections of clients under a limit of %p are %p", (wanted, limit, most) => {
  expect(connectionsWithin(wanted, limit)).toBe(most);
});

test("Bun sends as many requests at a time as its variable says, and 256 without it", () => {
  expect(["65535", undefined, "", "many", "0"].map((given) => sentAtOnce(given ?? ""))).toEqual([
    65_535, 256, 256, 256, 256,
  ]);
});
