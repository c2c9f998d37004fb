import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { followingServers, NameServers } from "../../src/attempt/targets/system-lookup";

test("servers that the system has changed are used from then on, and logged once", async () => {
  const dir = await mkdtemp(join(tmpdir(), "hermod-test-"));
  const path = join(dir, "resolv.conf");
  const reported: string[][] = [];
  let now = 0;
  const tell = (those: string[]) => {
    if (those.includes("nonsense")) throw new Error("no address");
    reported.push(those);
  };
  const servers = new NameServers(path, tell, { monotonic: () => now });
  const refresh = () => {
    now += 1_000;
    return servers.refresh();
  };
  expect(refresh()).toBe(false);
  await Bun.write(path, "# made by hand\nsearch example.com\nnameserver 10.0.0.1\nnameserver\tfd00::1\n");
  now += 999;
  expect(servers.refresh()).toBe(false);
  expect([refresh(), refresh()]).toEqual([true, false]);
  for (const text of ["", "nameserver nonsense\n", "search example.org\n"]) {
    await Bun.write(path, text);
    expect(refresh()).toBe(false);
  }
  await Bun.write(path, "nameserver 10.0.0.2\n");
  expect(refresh()).toBe(true);
  expect(reported).toEqual([["10.0.0.1", "fd00::1"], ["10.0.0.2"]]);
  await rm(dir, { recursive: true });
});

test("a failed look-up is retried if the servers have changed meanwhile, and only then", async () => {
  let areOthers = false;
  const asked: string[] = [];
  const lookup = followingServers(
    async (name) => {
      asked.push(name);
      if (asked.length < 3) throw new Error("no such name");
      return [{ address: "8.8.8.8", family: 4 }];
    },
    { refresh: () => areOthers },
  );
  await expect(lookup("first.test", "any")).rejects.toThrow("no such name");
  areOthers = true;
  expect(await lookup("second.test", "any")).toEqual([{ address: "8.8.8.8", family: 4 }]);
  expect(asked).toEqual(["first.test", "second.test", "second.test"]);
});
