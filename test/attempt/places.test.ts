import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Places, type Visitor } from "../../src/attempt/places";

const STANDINGS = ["slow", "new", "prompt"] as const;
const anyVisitor = fc.record({
  account: fc.constantFrom("a", "b", "c"),
  standing: fc.constantFrom(...STANDINGS),
});
/** Someone comes, or one of those who are in leaves. */
const anyActs = fc.array(fc.oneof(anyVisitor, fc.record({ leaves: fc.nat() })), { maxLength: 120 });

/** Who is in and who waits, in the order they came. */
class Scene {
  readonly inside: Visitor[] = [];
  readonly waiting: Visitor[] = [];
  private readonly unwanted = new Set<Visitor>();
  private readonly places: Places;

  constructor(readonly limit: number) {
    this.places = new Places(limit);
  }

  async come(visitor: Visitor): Promise<void> {
    this.waiting.push(visitor);
    const admit = () => {
      this.waiting.splice(this.waiting.indexOf(visitor), 1);
      this.inside.push(visitor);
    };
    if (this.places.tryEnter(visitor)) admit();
    else
      this.places
        .enter(visitor, () => !this.unwanted.has(visitor))
        .then((hasEntered) => hasEntered && admit());
    await this.settle();
  }

  async crowd(visitor: Visitor, count: number): Promise<void> {
    for (let n = 0; n < count; n++) await this.come({ ...visitor });
  }

  async leave(visitor: Visitor): Promise<void> {
    this.inside.splice(this.inside.indexOf(visitor), 1);
    this.places.leave(visitor);
    await this.settle();
  }

  /** Those that wait no longer. */
  async drop(visitors: readonly Visitor[]): Promise<void> {
    for (const visitor of visitors) this.unwanted.add(visitor);
    this.places.dropUnwanted();
    const stay = this.waiting.filter((each) => !this.unwanted.has(each));
    this.waiting.splice(0, this.waiting.length, ...stay);
    await this.settle();
  }

  held(of: (visitor: Visitor) => boolean): number {
    return this.inside.filter(of).length;
  }

  /** By the rule, said once more. */
  mayEnter({ account, standing }: Visitor): boolean {
    const free = this.limit - this.inside.length;
    const slow = this.held((each) => each.standing === "slow");
    const untried = this.held((each) => each.standing !== "prompt");
    const own = this.held((each) => each.account === account);
    if (free === 0 || own >= 7 * free) return false;
    if (standing === "slow") return slow < free;
    return standing === "prompt" || untried < 3 * free || own < this.limit / 64;
  }

  private async settle(): Promise<void> {
    for (let turn = 0; turn < 3; turn++) await Promise.resolve();
    expect([this.places.occupied, this.places.queued]).toEqual([this.inside.length, this.waiting.length]);
  }
}

test("holds its limit, lets nobody wait who may enter, keeps the order, and lets in all at some time", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 24 }), anyActs, async (limit, acts) => {
      const scene = new Scene(limit);
      const seen: Visitor[] = [];
      const check = () => {
        expect(scene.inside.length).toBeLessThanOrEqual(limit);
        for (const each of scene.waiting) expect(scene.mayEnter(each)).toBe(false);
        for (const each of scene.inside) if (!seen.includes(each)) seen.push(each);
      };
      const came: Visitor[] = [];
      const leaveOne = async (n: number) => {
        const who = scene.inside[n % scene.inside.length];
        if (who) await scene.leave(who);
        check();
      };
      for (const act of acts) {
        if ("leaves" in act) await leaveOne(act.leaves);
        else {
          const visitor = { ...act };
          came.push(visitor);
          await scene.come(visitor);
          check();
        }
      }
      // However many hold their places, one that leaves is enough for another to come.
      while (scene.inside.length > 0) await leaveOne(0);
      expect(scene.waiting).toEqual([]);
      for (const standing of STANDINGS) {
        for (const account of ["a", "b", "c"]) {
          const own = (all: Visitor[]) => all.filter((v) => v.account === account && v.standing === standing);
          expect(own(seen)).toEqual(own(came));
        }
      }
    }),
  );
});

describe("of places that others would take for long", () => {
  const any = fc.record({ limit: fc.integer({ min: 16, max: 60 }), times: fc.integer({ min: 1, max: 2 }) });

  test("half is left by endpoints that are known to be slow, a quarter by those that were never tried", async () => {
    await fc.assert(
      fc.asyncProperty(any, async ({ limit, times }) => {
        const scene = new Scene(limit);
        await scene.crowd({ account: "a", standing: "slow" }, times * limit);
        expect(scene.inside.length).toBe(Math.ceil(limit / 2));
        await scene.crowd({ account: "a", standing: "new" }, times * limit);
        expect(scene.inside.length).toBe(Math.ceil((3 * limit) / 4));
        await scene.crowd({ account: "a", standing: "prompt" }, 1);
        expect(scene.held(({ standing }) => standing === "prompt")).toBe(1);
      }),
      { numRuns: 20 },
    );
  });

  test("an eighth of what it finds is left by every account, whatever is known of it", async () => {
    await fc.assert(
      fc.asyncProperty(any, fc.constantFrom(...STANDINGS), async ({ limit, times }, standing) => {
        // The last of them leaves one at least.
        const scene = new Scene(limit * 8 ** (times - 1));
        for (let n = 0; n < times; n++) await scene.crowd({ account: `hog ${n}`, standing }, scene.limit);
        const before = scene.inside.length;
        await scene.come({ account: "another", standing: "prompt" });
        expect(scene.inside.length).toBe(before + 1);
      }),
      { numRuns: 10 },
    );
  });

  test("some are for the new endpoints of those who hold few, whoever's new ones hold the others", async () => {
    const scene = new Scene(128);
    await scene.crowd({ account: "hog", standing: "new" }, 200);
    expect(scene.inside.length).toBe(96);
    await scene.crowd({ account: "another", standing: "new" }, 3);
    expect(scene.held(({ account }) => account === "another")).toBe(2);
    const [own] = scene.inside.filter(({ account }) => account === "another");
    if (own) await scene.leave(own);
    expect(scene.held(({ account }) => account === "another")).toBe(2);
  });

  test("who is prompt takes all but an eighth, and a slow one has its turn all the same", async () => {
    const scene = new Scene(64);
    await scene.crowd({ account: "a", standing: "prompt" }, 200);
    expect(scene.inside.length).toBe(56);
    await scene.come({ account: "a", standing: "slow" });
    const [first] = scene.inside;
    if (first) await scene.leave(first);
    expect(scene.held(({ standing }) => standing === "slow")).toBe(1);
  });
});

test("who takes many places enters like anybody else, is counted as many, and leaves as many", async () => {
  type Large = Visitor & { takes: number };
  const places = new Places<Large>(16, ({ takes }) => takes);
  const large = { account: "a", standing: "prompt", takes: 10 } as const;
  const [second, third, other] = [{ ...large }, { ...large }, { ...large, account: "b", takes: 1 }];
  expect([places.tryEnter(large), places.tryEnter(second), places.tryEnter(third)]).toEqual([
    true,
    true,
    false,
  ]);
  expect([places.occupied, places.tryEnter(other)]).toEqual([20, false]);
  places.leave(large);
  expect([places.occupied, places.tryEnter(third), places.tryEnter(other)]).toEqual([10, true, false]);
  for (const each of [second, third]) places.leave(each);
  expect([places.occupied, places.tryEnter({ ...large, takes: 1_000 })]).toEqual([0, true]);
});

test("accounts take turns, whoever has how many waiting", async () => {
  const scene = new Scene(1);
  await scene.come({ account: "z", standing: "prompt" });
  for (const account of ["a", "b"]) await scene.crowd({ account, standing: "prompt" }, 3);
  const order: string[] = [];
  for (let n = 0; n < 6; n++) {
    const [only] = scene.inside;
    if (only) await scene.leave(only);
    order.push(scene.inside[0]?.account ?? "nobody");
  }
  expect(order).toEqual(["a", "b", "a", "b", "a", "b"]);
});

test("who is not wanted any more waits no longer, and the others keep their turns", async () => {
  const scene = new Scene(1);
  await scene.come({ account: "z", standing: "prompt" });
  for (const standing of STANDINGS) {
    for (const account of ["a", "b"]) await scene.crowd({ account, standing }, 2);
  }
  const dropped = scene.waiting.filter(({ account }, i) => account === "a" || i % 2 === 0);
  const stay = scene.waiting.filter((each) => !dropped.includes(each));
  await scene.drop(dropped);
  const came: Visitor[] = [];
  for (let n = 0; n < stay.length; n++) {
    const [only] = scene.inside;
    if (only) await scene.leave(only);
    came.push(...scene.inside);
  }
  expect(new Set(came)).toEqual(new Set(stay));
  expect(came).toHaveLength(stay.length);
});

test("whose turn it is is not wanted any more: the next one has it", async () => {
  const places = new Places(1);
  const visitor = { account: "a", standing: "prompt" } as const;
  places.tryEnter(visitor);
  const [unwanted, wanted] = [places.enter(visitor, () => false), places.enter(visitor, () => true)];
  places.leave(visitor);
  expect(await Promise.all([unwanted, wanted])).toEqual([false, true]);
  expect([places.occupied, places.queued]).toEqual([1, 0]);
});

test("one that leaves lets in as many as may enter then", async () => {
  const scene = new Scene(18);
  await scene.crowd({ account: "b", standing: "slow" }, 2);
  await scene.crowd({ account: "a", standing: "prompt" }, 16);
  await scene.come({ account: "b", standing: "slow" });
  expect([scene.inside.length, scene.waiting.length]).toEqual([16, 3]);
  const own = scene.inside.find(({ account }) => account === "a");
  if (own) await scene.leave(own);
  expect([scene.inside.length, scene.waiting.length]).toEqual([17, 1]);
});
