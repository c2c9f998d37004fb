import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Admission, type Claimant } from "../../src/attempt/admission";

const SPEEDS = ["slow", "new", "prompt"] as const;
const anyVisitor = fc.record({
  account: fc.constantFrom("a", "b", "c"),
  speed: fc.constantFrom(...SPEEDS),
});
/** A claimant arrives, or one inside leaves. */
const anyActs = fc.array(fc.oneof(anyVisitor, fc.record({ leaves: fc.nat() })), { maxLength: 120 });

/** The claimants inside and the waiting ones, in order of arrival. */
class Scene {
  readonly inside: Claimant[] = [];
  readonly waiting: Claimant[] = [];
  private readonly unwanted = new Set<Claimant>();
  private readonly places: Admission;

  constructor(readonly limit: number) {
    this.places = new Admission(limit);
  }

  async come(claimant: Claimant): Promise<void> {
    this.waiting.push(claimant);
    const admit = () => {
      this.waiting.splice(this.waiting.indexOf(claimant), 1);
      this.inside.push(claimant);
    };
    if (this.places.tryEnter(claimant)) admit();
    else
      this.places
        .enter(claimant, () => !this.unwanted.has(claimant))
        .then((hasEntered) => hasEntered && admit());
    await this.settle();
  }

  async crowd(claimant: Claimant, count: number): Promise<void> {
    for (let n = 0; n < count; n++) await this.come({ ...claimant });
  }

  async leave(claimant: Claimant): Promise<void> {
    this.inside.splice(this.inside.indexOf(claimant), 1);
    this.places.leave(claimant);
    await this.settle();
  }

  /** Makes claimants unwanted, and drops them. */
  async drop(claimants: readonly Claimant[]): Promise<void> {
    for (const claimant of claimants) this.unwanted.add(claimant);
    this.places.dropUnwanted();
    const stay = this.waiting.filter((each) => !this.unwanted.has(each));
    this.waiting.splice(0, this.waiting.length, ...stay);
    await this.settle();
  }

  held(of: (claimant: Claimant) => boolean): number {
    return this.inside.filter(of).length;
  }

  /** Repeats the rule of `Admission`. */
  mayEnter({ account, speed }: Claimant): boolean {
    const free = this.limit - this.inside.length;
    const slow = this.held((each) => each.speed === "slow");
    const untried = this.held((each) => each.speed !== "prompt");
    const own = this.held((each) => each.account === account);
    if (free === 0 || own >= 7 * free) return false;
    if (speed === "slow") return slow < free;
    return speed === "prompt" || untried < 3 * free || own < this.limit / 64;
  }

  private async settle(): Promise<void> {
    for (let turn = 0; turn < 3; turn++) await Promise.resolve();
    expect([this.places.occupied, this.places.queued]).toEqual([this.inside.length, this.waiting.length]);
  }
}

test("admission keeps its limit, admits whoever can enter at once, keeps the order, and admits everyone in the end", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 24 }), anyActs, async (limit, acts) => {
      const scene = new Scene(limit);
      const seen: Claimant[] = [];
      const check = () => {
        expect(scene.inside.length).toBeLessThanOrEqual(limit);
        for (const each of scene.waiting) expect(scene.mayEnter(each)).toBe(false);
        for (const each of scene.inside) if (!seen.includes(each)) seen.push(each);
      };
      const came: Claimant[] = [];
      const leaveOne = async (n: number) => {
        const who = scene.inside[n % scene.inside.length];
        if (who) await scene.leave(who);
        check();
      };
      for (const act of acts) {
        if ("leaves" in act) await leaveOne(act.leaves);
        else {
          const claimant = { ...act };
          came.push(claimant);
          await scene.come(claimant);
          check();
        }
      }
      // Each claimant that leaves lets another one in.
      while (scene.inside.length > 0) await leaveOne(0);
      expect(scene.waiting).toEqual([]);
      for (const speed of SPEEDS) {
        for (const account of ["a", "b", "c"]) {
          const own = (all: Claimant[]) => all.filter((v) => v.account === account && v.speed === speed);
          expect(own(seen)).toEqual(own(came));
        }
      }
    }),
  );
});

describe("when slots would be taken for long", () => {
  const any = fc.record({ limit: fc.integer({ min: 16, max: 60 }), times: fc.integer({ min: 1, max: 2 }) });

  test("slow endpoints leave half of them, and untried endpoints a quarter", async () => {
    await fc.assert(
      fc.asyncProperty(any, async ({ limit, times }) => {
        const scene = new Scene(limit);
        await scene.crowd({ account: "a", speed: "slow" }, times * limit);
        expect(scene.inside.length).toBe(Math.ceil(limit / 2));
        await scene.crowd({ account: "a", speed: "new" }, times * limit);
        expect(scene.inside.length).toBe(Math.ceil((3 * limit) / 4));
        await scene.crowd({ account: "a", speed: "prompt" }, 1);
        expect(scene.held(({ speed }) => speed === "prompt")).toBe(1);
      }),
      { numRuns: 20 },
    );
  });

  test("every account leaves an eighth of the free ones, however fast its endpoints are", async () => {
    await fc.assert(
      fc.asyncProperty(any, fc.constantFrom(...SPEEDS), async ({ limit, times }, speed) => {
        // Large enough that even the last account leaves a slot free.
        const scene = new Scene(limit * 8 ** (times - 1));
        for (let n = 0; n < times; n++) await scene.crowd({ account: `hog ${n}`, speed }, scene.limit);
        const before = scene.inside.length;
        await scene.come({ account: "another", speed: "prompt" });
        expect(scene.inside.length).toBe(before + 1);
      }),
      { numRuns: 10 },
    );
  });

  test("some are left for new endpoints of accounts that hold few", async () => {
    const scene = new Scene(128);
    await scene.crowd({ account: "hog", speed: "new" }, 200);
    expect(scene.inside.length).toBe(96);
    await scene.crowd({ account: "another", speed: "new" }, 3);
    expect(scene.held(({ account }) => account === "another")).toBe(2);
    const [own] = scene.inside.filter(({ account }) => account === "another");
    if (own) await scene.leave(own);
    expect(scene.held(({ account }) => account === "another")).toBe(2);
  });

  test("fast endpoints get all but an eighth, and slow ones still get their share", async () => {
    const scene = new Scene(64);
    await scene.crowd({ account: "a", speed: "prompt" }, 200);
    expect(scene.inside.length).toBe(56);
    await scene.come({ account: "a", speed: "slow" });
    const [first] = scene.inside;
    if (first) await scene.leave(first);
    expect(scene.held(({ speed }) => speed === "slow")).toBe(1);
  });
});

test("a claimant of many slots is admitted like any other, counts as many, and leaves as many", async () => {
  type Large = Claimant & { takes: number };
  const places = new Admission<Large>(16, ({ takes }) => takes);
  const large = { account: "a", speed: "prompt", takes: 10 } as const;
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

test("accounts alternate, however many claimants each has", async () => {
  const scene = new Scene(1);
  await scene.come({ account: "z", speed: "prompt" });
  for (const account of ["a", "b"]) await scene.crowd({ account, speed: "prompt" }, 3);
  const order: string[] = [];
  for (let n = 0; n < 6; n++) {
    const [only] = scene.inside;
    if (only) await scene.leave(only);
    order.push(scene.inside[0]?.account ?? "nobody");
  }
  expect(order).toEqual(["a", "b", "a", "b", "a", "b"]);
});

test("an unwanted claimant leaves the queue, and the others keep their order", async () => {
  const scene = new Scene(1);
  await scene.come({ account: "z", speed: "prompt" });
  for (const speed of SPEEDS) {
    for (const account of ["a", "b"]) await scene.crowd({ account, speed }, 2);
  }
  const dropped = scene.waiting.filter(({ account }, i) => account === "a" || i % 2 === 0);
  const stay = scene.waiting.filter((each) => !dropped.includes(each));
  await scene.drop(dropped);
  const came: Claimant[] = [];
  for (let n = 0; n < stay.length; n++) {
    const [only] = scene.inside;
    if (only) await scene.leave(only);
    came.push(...scene.inside);
  }
  expect(new Set(came)).toEqual(new Set(stay));
  expect(came).toHaveLength(stay.length);
});

test("if the next claimant is unwanted, the one after it is admitted", async () => {
  const places = new Admission(1);
  const claimant = { account: "a", speed: "prompt" } as const;
  places.tryEnter(claimant);
  const [unwanted, wanted] = [places.enter(claimant, () => false), places.enter(claimant, () => true)];
  places.leave(claimant);
  expect(await Promise.all([unwanted, wanted])).toEqual([false, true]);
  expect([places.occupied, places.queued]).toEqual([1, 0]);
});

test("a leaving claimant admits as many as fit then", async () => {
  const scene = new Scene(18);
  await scene.crowd({ account: "b", speed: "slow" }, 2);
  await scene.crowd({ account: "a", speed: "prompt" }, 16);
  await scene.come({ account: "b", speed: "slow" });
  expect([scene.inside.length, scene.waiting.length]).toEqual([16, 3]);
  const own = scene.inside.find(({ account }) => account === "a");
  if (own) await scene.leave(own);
  expect([scene.inside.length, scene.waiting.length]).toEqual([17, 1]);
});
