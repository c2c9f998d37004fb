import { beforeEach, describe, expect, test } from "bun:test";
import type { Claimant } from "../../src/attempt/admission";
import { TargetError } from "../../src/attempt/failure";
import { type Address, createAddressPolicy } from "../../src/attempt/targets/address";
import { LOOKUPS } from "../../src/attempt/targets/lookups";
import { TargetResolver } from "../../src/attempt/targets/resolver";
import type { Lookup } from "../../src/attempt/targets/system-lookup";
import { ManualClock } from "./manual-clock";

const policy = createAddressPolicy({ production: true, allowPrivateNetworks: null });

const claimant: Claimant = { account: "an account", speed: "prompt" };

let clock: ManualClock;
let asked: string[];
beforeEach(() => {
  clock = new ManualClock();
  asked = [];
});

function addresses(...ips: string[]): Address[] {
  return ips.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
}

/** A resolver whose look-ups return the addresses of `answer`. Look-ups of IPv4 alone fail. */
function resolverOf(answer: (name: string, count: number) => Address[] | Promise<Address[]>): TargetResolver {
  const lookup: Lookup = async (name, family) => {
    if (family === 4) throw new Error("nothing of IPv4 alone");
    asked.push(name);
    return await answer(name, asked.length);
  };
  return new TargetResolver({ policy, clock, lookup });
}

/** Returns the code of the error, with the detail if there is one. */
async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (error instanceof TargetError)
      return error.detail === null ? error.code : `${error.code} ${error.detail}`;
  }
  throw new Error("no TargetError");
}

async function addressOf(resolver: TargetResolver, url = "https://hook.test/"): Promise<string> {
  return (await resolver.resolve(url, claimant)).address;
}

describe("an address in the URL", () => {
  test.each([
    [
      "https://8.8.8.8/a?b",
      { address: "8.8.8.8", port: 443, isSecure: true, path: "/a?b", host: "8.8.8.8" },
      "8.8.8.8:443",
    ],
    [
      "http://0x08080808:8080/",
      { address: "8.8.8.8", port: 8080, isSecure: false, path: "/", host: "8.8.8.8:8080" },
      "8.8.8.8:8080",
    ],
    [
      "https://[2606:4700::1111]:8443/",
      {
        address: "2606:4700::1111",
        port: 8443,
        isSecure: true,
        path: "/",
        host: "[2606:4700::1111]:8443",
      },
      "[2606:4700::1111]:8443",
    ],
  ] as const)("%s is taken at once", (text, where, authority) => {
    const target = resolverOf(() => []).resolve(text, claimant);
    const key = `${where.isSecure ? "https" : "http"}://${where.host} ${authority}`;
    expect(target).toEqual({ ...where, authority, key, name: null, serverName: null });
    expect(asked).toEqual([]);
  });

  test.each([
    "http://127.0.0.1/",
    "http://10.1/",
    "http://[::1]/",
    "http://[::ffff:a00:1]/",
    "http://169.254.169.254/",
  ])("%s is blocked", (text) => {
    expect(() => resolverOf(() => []).resolve(text, claimant)).toThrow(TargetError);
  });
});

describe("a name", () => {
  test("is pinned to its address, and keeps its name for Host and TLS", async () => {
    const resolver = resolverOf(() => addresses("8.8.8.8"));
    expect(await resolver.resolve("https://Hook.Test:8443/a?b#c", claimant)).toEqual({
      address: "8.8.8.8",
      port: 8443,
      isSecure: true,
      authority: "8.8.8.8:8443",
      path: "/a?b",
      key: "https://hook.test:8443 8.8.8.8:8443",
      host: "hook.test:8443",
      name: "hook.test",
      serverName: "hook.test",
    });
    expect(await resolver.resolve("http://hook.test./", claimant)).toMatchObject({
      host: "hook.test.",
      serverName: null,
    });
    expect(asked).toEqual(["hook.test"]);
  });

  test("with an IPv6 address gets brackets", async () => {
    const target = await resolverOf(() => addresses("2606:4700::1111")).resolve(
      "http://hook.test:81/x",
      claimant,
    );
    expect(target).toMatchObject({
      authority: "[2606:4700::1111]:81",
      path: "/x",
      host: "hook.test:81",
    });
  });

  test.each(["10.0.0.1", "::ffff:127.0.0.1", "10.0.0.1 ::1", "fe80::1%eth0", "nonsense"])(
    "is blocked if none of its addresses is permitted: %s",
    async (ips) => {
      const resolver = resolverOf(() => addresses(...ips.split(" ")));
      for (let i = 0; i < 2; i++) {
        expect(await codeOf(() => resolver.resolve("http://hook.test/", claimant))).toBe("blocked_address");
      }
    },
  );

  const USELESS = ["10.0.0.1", "::1", "::", "fe80::1", "fd00::1", "::10.0.0.1", "fe80::1%eth0", "nonsense"];
  test.each([...USELESS.map((each) => [each]), USELESS])(
    "resolves to its permitted address only, beside %s",
    async (...useless) => {
      for (const good of ["8.8.8.8", "2606:4700::1111"]) {
        for (const ips of [
          [good, ...useless],
          [...useless, good],
        ]) {
          const resolver = resolverOf(() => addresses(...ips));
          for (let i = 0; i < 4; i++) {
            const target = await resolver.resolve("http://hook.test/", claimant);
            expect(target.address).toBe(good);
            expect(resolver.hasOther(target, [good])).toBe(false);
            resolver.avoid(target, claimant);
          }
        }
      }
    },
  );

  test("that changes to a denied address is blocked, since every answer is checked", async () => {
    const resolver = resolverOf((_, count) => addresses(count === 1 ? "8.8.8.8" : "169.254.169.254"));
    expect(await addressOf(resolver)).toBe("8.8.8.8");
    await clock.pass(4_999);
    expect(await addressOf(resolver)).toBe("8.8.8.8");
    await clock.pass(1);
    expect(await codeOf(() => resolver.resolve("https://hook.test/", claimant))).toBe("blocked_address");
  });

  test("below localhost is this machine", async () => {
    const local = new TargetResolver({
      policy: createAddressPolicy({ production: false, allowPrivateNetworks: null }),
      clock,
    });
    expect(await local.resolve("http://a.b.localhost:3000/", claimant)).toMatchObject({
      host: "a.b.localhost:3000",
      name: "localhost",
    });
  });
});

test("a URL of http is an error if https is required, however often it is requested", async () => {
  const resolver = new TargetResolver({ policy, clock, requireHttps: true });
  for (const url of ["http://hook.test/", "http://8.8.8.8/", "HTTP://8.8.8.8/", "http://8.8.8.8/"])
    expect(await codeOf(() => resolver.resolve(url, claimant))).toBe("https_required");
  expect(await addressOf(resolver, "https://8.8.8.8/")).toBe("8.8.8.8");
});

describe("look-ups", () => {
  test("run once for concurrent callers, and are cached for 5 s", async () => {
    let answer = (_: Address[]) => {};
    const resolver = resolverOf(() => new Promise((resolve) => (answer = resolve)));
    const targets = Array.from({ length: 100 }, (_, i) =>
      resolver.resolve(`https://hook.test/${i}`, claimant),
    );
    answer(addresses("8.8.8.8"));
    expect(new Set((await Promise.all(targets)).map(({ address }) => address))).toEqual(new Set(["8.8.8.8"]));
    await clock.pass(4_999);
    expect(resolver.resolve("https://hook.test/", claimant)).not.toBeInstanceOf(Promise);
    expect(asked.length).toBe(1);
    await clock.pass(1);
    expect(resolver.resolve("https://hook.test/", claimant)).toBeInstanceOf(Promise);
    expect(asked.length).toBe(2);
  });

  test("that fail are cached for a second", async () => {
    const resolver = resolverOf((_, count) => {
      if (count === 1) throw Object.assign(new Error(), { code: "DNS_ESERVFAIL" });
      return addresses("8.8.8.8");
    });
    expect(await codeOf(() => resolver.resolve("https://hook.test/", claimant))).toBe("dns server_failure");
    await clock.pass(999);
    expect(await codeOf(() => resolver.resolve("https://hook.test/", claimant))).toBe("dns server_failure");
    expect(asked.length).toBe(1);
    await clock.pass(1);
    expect(await addressOf(resolver)).toBe("8.8.8.8");
  });

  test("that find nothing fail, and are cached as failures", async () => {
    const resolver = resolverOf((_, count) => (count === 1 ? [] : addresses("8.8.8.8")));
    expect(await codeOf(() => resolver.resolve("https://hook.test/", claimant))).toBe("dns name_not_found");
    await clock.pass(1_000);
    expect(await addressOf(resolver)).toBe("8.8.8.8");
  });

  test("are abandoned after 3 s, but only one per name stays under way", async () => {
    const answers: ((found: Address[]) => void)[] = [];
    const resolver = resolverOf(() => new Promise((resolve) => answers.push(resolve)));
    for (let i = 0; i < 5; i++) {
      const code = codeOf(() => resolver.resolve("https://hook.test/", claimant));
      await clock.pass(3_000);
      expect(await code).toBe("dns no_answer");
      await clock.pass(1_000);
    }
    expect(asked.length).toBe(1);
    const target = resolver.resolve("https://hook.test/", claimant);
    answers[0]?.(addresses("8.8.8.8"));
    expect((await target).address).toBe("8.8.8.8");
    expect(clock.pending).toBe(0);
  });

  test("of one name do not wait for those of another", async () => {
    const resolver = resolverOf((name) =>
      name === "slow.test" ? new Promise(() => {}) : addresses("8.8.8.8"),
    );
    const slow = codeOf(() => resolver.resolve("https://slow.test/", claimant));
    expect(await addressOf(resolver)).toBe("8.8.8.8");
    await clock.pass(3_000);
    expect(await slow).toBe("dns no_answer");
  });

  describe("under way are limited", () => {
    const hog: Claimant = { account: "a hog", speed: "new" };

    /** Looks up `count` names whose servers never answer, for one account. Returns the error codes. */
    function silent(resolver: TargetResolver, count: number): Promise<string[]> {
      const urls = Array.from({ length: count }, (_, i) => `https://silent${i}.test/`);
      return Promise.all(urls.map((url) => codeOf(() => resolver.resolve(url, hog))));
    }

    /** Ends names with `silent` in them after 5 s, as c-ares does. */
    function patientResolver(): TargetResolver {
      return resolverOf(async (name) => {
        if (!name.startsWith("silent")) return addresses("8.8.8.8");
        return new Promise((_, reject) => clock.after(5_000, () => reject(new Error("ETIMEOUT"))));
      });
    }

    test("and an account with thousands leaves slots to others, even for the same name", async () => {
      const resolver = patientResolver();
      const codes = silent(resolver, 5_000);
      const own = codeOf(() => resolver.resolve("https://hook.test/", hog));
      expect(asked.length).toBeLessThanOrEqual(LOOKUPS.most);
      expect((await resolver.resolve("https://hook.test/", claimant)).address).toBe("8.8.8.8");
      expect((await resolver.resolve("https://fresh.test/", { ...claimant, speed: "new" })).address).toBe(
        "8.8.8.8",
      );
      await clock.pass(30_000);
      expect(await own).toBe("dns too_many_lookups");
      expect(new Set(await codes)).toEqual(new Set(["dns no_answer", "dns too_many_lookups"]));
      expect(asked.length).toBeLessThan(1_000);
      expect(clock.pending).toBe(0);
    });
  });

  test("are forgotten beyond 10,000 names, the oldest first", async () => {
    const resolver = resolverOf(() => addresses("8.8.8.8"));
    for (let i = 0; i < 10_001; i++) await resolver.resolve(`https://n${i}.test/`, claimant);
    expect(resolver.resolve("https://n2000.test/", claimant)).not.toBeInstanceOf(Promise);
    expect(resolver.resolve("https://n0.test/", claimant)).toBeInstanceOf(Promise);
  });
});

describe("several addresses", () => {
  const ALL = ["8.8.8.1", "8.8.8.2", "8.8.8.3"];

  async function next(resolver: TargetResolver, count: number): Promise<string[]> {
    const taken: string[] = [];
    for (let i = 0; i < count; i++) taken.push(await addressOf(resolver));
    return taken;
  }

  test("alternate, also from one answer to the next", async () => {
    const resolver = resolverOf(() => addresses(...ALL));
    expect(await next(resolver, 4)).toEqual([...ALL, "8.8.8.1"]);
    await clock.pass(5_000);
    expect(await next(resolver, 2)).toEqual(["8.8.8.2", "8.8.8.3"]);
  });

  test("alternate among concurrent callers", async () => {
    const resolver = resolverOf(() => addresses(...ALL));
    const targets = await Promise.all(ALL.map(() => resolver.resolve("https://hook.test/", claimant)));
    expect(targets.map(({ address }) => address)).toEqual(ALL);
  });

  test("of the other family are used once those of the first fail", async () => {
    const resolver = resolverOf(() => addresses("2606::1", "2606::2", "8.8.8.1", "8.8.8.2"));
    expect(new Set(await next(resolver, 6))).toEqual(new Set(["2606::1", "2606::2"]));
    for (let i = 0; i < 2; i++)
      resolver.avoid(await resolver.resolve("https://hook.test/", claimant), claimant);
    expect(new Set(await next(resolver, 6))).toEqual(new Set(["8.8.8.1", "8.8.8.2"]));
  });

  test("of one exchange alternate between the families", async () => {
    const resolver = resolverOf(() =>
      addresses("2606::1", "2606::2", "2606::3", "2606::4", "8.8.8.1", "8.8.8.2"),
    );
    const tried: string[] = [];
    for (let i = 0; i < 6; i++) {
      const { address } = await resolver.resolve("https://hook.test/", claimant, tried);
      tried.push(address);
    }
    const families = tried.map((address) => (address.includes(":") ? 6 : 4));
    expect(families).toEqual([6, 4, 6, 4, 6, 6]);
    expect(new Set(tried).size).toBe(6);
  });

  test("are avoided for a minute after a failure", async () => {
    const resolver = resolverOf(() => addresses(...ALL));
    const failed = await resolver.resolve("https://hook.test/", claimant);
    resolver.avoid(failed, claimant);
    await clock.pass(59_999);
    expect(await next(resolver, 6)).not.toContain(failed.address);
    await clock.pass(1);
    expect(await next(resolver, 3)).toContain(failed.address);
  });

  test("that failed for one account are used as before for another", async () => {
    const resolver = resolverOf(() => addresses("8.8.8.1", "8.8.8.2"));
    const failed = await resolver.resolve("https://hook.test/", claimant);
    resolver.avoid(failed, { ...claimant, account: "another account" });
    expect(await next(resolver, 2)).toContain(failed.address);
  });

  test("are all tried if all failed", async () => {
    const resolver = resolverOf(() => addresses("8.8.8.1", "8.8.8.2"));
    for (let i = 0; i < 2; i++)
      resolver.avoid(await resolver.resolve("https://hook.test/", claimant), claimant);
    expect(new Set(await next(resolver, 4))).toEqual(new Set(["8.8.8.1", "8.8.8.2"]));
  });

  test("that failed at one port are used as before at another", async () => {
    const resolver = resolverOf(() => addresses("8.8.8.1", "8.8.8.2"));
    const failed = await resolver.resolve("https://hook.test:1/", claimant);
    resolver.avoid(failed, claimant);
    expect(await next(resolver, 2)).toContain(failed.address);
  });

  test("beyond 32 are ignored", async () => {
    const resolver = resolverOf(() => addresses(...Array.from({ length: 40 }, (_, i) => `8.8.8.${i}`)));
    expect(new Set(await next(resolver, 80)).size).toBe(32);
  });

  test("stay usable if there is only one to avoid", async () => {
    const resolver = resolverOf(() => addresses("8.8.8.1"));
    resolver.avoid(await resolver.resolve("https://hook.test/", claimant), claimant);
    expect(await addressOf(resolver)).toBe("8.8.8.1");
    resolver.avoid(await resolver.resolve("https://8.8.8.8/", claimant), claimant);
    expect(await resolver.resolve("https://8.8.8.8/", claimant)).toMatchObject({ address: "8.8.8.8" });
  });

  test("that one exchange has tried are not given to it again, even if all failed before", async () => {
    const resolver = resolverOf(() => addresses("8.8.8.1", "8.8.8.2"));
    for (let i = 0; i < 2; i++)
      resolver.avoid(await resolver.resolve("https://hook.test/", claimant), claimant);
    const first = await resolver.resolve("https://hook.test/", claimant);
    expect(resolver.hasOther(first, [first.address])).toBe(true);
    const second = await resolver.resolve("https://hook.test/", claimant, [first.address]);
    expect([first.address, second.address].toSorted()).toEqual(["8.8.8.1", "8.8.8.2"]);
    expect(resolver.hasOther(second, [first.address, second.address])).toBe(false);
  });
});

test.each(["nonsense", "", "ftp://8.8.8.8/", "file:///etc/passwd", "http://", "s3://8.8.8.8/"])(
  "%j is not a URL",
  async (text) => {
    expect(await codeOf(() => resolverOf(() => []).resolve(text, claimant))).toBe("invalid_url");
  },
);
