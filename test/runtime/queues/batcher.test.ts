import { expect, test } from "bun:test";
import fc from "fast-check";
import { Batcher, type BatcherOptions, QueueFull } from "../../../src/runtime/queues/batcher";

type Running = { items: number[]; finish(): void; fail(reason: unknown): void };
type Options = Partial<BatcherOptions<number, string>>;

/** A batcher whose batches end when the test says so. */
function held(options: Options = {}) {
  const running: Running[] = [];
  const started: number[][] = [];
  const run = (items: number[]) =>
    new Promise<string[]>((resolve, reject) => {
      started.push(items);
      running.push({ items, finish: () => resolve(items.map(String)), fail: reject });
    });
  const batcher = new Batcher<number, string>({
    run,
    maxItems: 4,
    maxRunning: 1,
    maxQueued: 100,
    ...options,
  });
  return { batcher, running, started };
}

/** Timers that fire when the test says so. */
function heldTimers() {
  const timers = new Set<() => void>();
  const after = (_: number, fire: () => void) => {
    const timer = () => {
      timers.delete(timer);
      fire();
    };
    timers.add(timer);
    return () => timers.delete(timer);
  };
  const fireAll = async () => {
    for (const fire of [...timers]) fire();
    await settle();
  };
  return { timers, clock: { after }, fireAll };
}

/** Runs everything that does not wait for the test. */
async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
}

async function finishAll(running: Running[]): Promise<void> {
  for (await settle(); running.length > 0; await settle()) running.shift()?.finish();
}

test("each item gets its own result", async () => {
  const { batcher, running } = held({ maxRunning: 2 });
  const results = Promise.all([1, 2, 3, 4, 5, 6].map((item) => batcher.submit(item)));
  await finishAll(running);
  expect(await results).toEqual(["1", "2", "3", "4", "5", "6"]);
});

test("items that arrive together leave together, and a lone item does not wait for others", async () => {
  const { batcher, running, started } = held();
  for (const item of [1, 2, 3]) batcher.submit(item);
  await settle();
  expect(started).toEqual([[1, 2, 3]]);
  running.shift()?.finish();
  await settle();
  batcher.submit(4);
  await settle();
  expect(started).toEqual([[1, 2, 3], [4]]);
});

test("items that arrive while batches are under way leave together in the next one", async () => {
  const { batcher, running, started } = held({ maxRunning: 2 });
  for (const item of [1, 2, 3, 4, 5]) {
    batcher.submit(item);
    await settle();
  }
  expect(started).toEqual([[1], [2]]);
  expect(batcher.queued).toBe(3);
  running.shift()?.finish();
  await settle();
  expect(started).toEqual([[1], [2], [3, 4, 5]]);
});

test("staggered batches: the next starts once it is not much smaller than the one before, or nothing else is under way", async () => {
  const { batcher, running, started } = held({
    maxItems: 9,
    maxRunning: 2,
    inTurn: { patience: null },
  });
  const submit = async (...items: number[]) => {
    for (const item of items) batcher.submit(item);
    await settle();
  };
  const first = [1, 2, 3, 4, 5, 6, 7, 8];
  await submit(...first);
  await submit(9, 10);
  await submit(11, 12);
  expect(started).toEqual([first]);
  await submit(13);
  expect(started).toEqual([first, [9, 10, 11, 12, 13]]);
  await submit(14);
  running.shift()?.finish();
  await settle();
  expect(started.length).toBe(2);
  running.shift()?.finish();
  await settle();
  expect(started.at(-1)).toEqual([14]);
});

test("staggered batches: items beyond a bound wait until the batch that they were cut from is done", async () => {
  const { batcher, running, started } = held({
    maxItems: 3,
    maxRunning: 2,
    inTurn: { patience: null },
  });
  for (const item of [1, 2, 3, 4, 5, 6, 7]) batcher.submit(item);
  await settle();
  expect(started).toEqual([[1, 2, 3]]);
  running.shift()?.finish();
  await settle();
  expect(started.at(-1)).toEqual([4, 5, 6]);
  running.shift()?.finish();
  await settle();
  expect(started.at(-1)).toEqual([7]);
});

test("a staggered batch of full weight does not wait for more", async () => {
  const { batcher, started } = held({
    maxRunning: 2,
    inTurn: { patience: null },
    weigh: (item) => item,
    maxWeight: 10,
  });
  for (const item of [1, 2, 3]) batcher.submit(item);
  await settle();
  batcher.submit(12);
  await settle();
  expect(started).toEqual([[1, 2, 3], [12]]);
});

test("a slow staggered batch delays nothing", async () => {
  const { timers, clock, fireAll } = heldTimers();
  const { batcher, running, started } = held({ maxRunning: 2, inTurn: { patience: { ms: 100, clock } } });
  const submit = async (...items: number[]) => {
    for (const item of items) batcher.submit(item);
    await settle();
  };
  await submit(1, 2, 3, 4);
  await submit(5);
  expect(started).toEqual([[1, 2, 3, 4]]);
  await fireAll();
  expect(started.at(-1)).toEqual([5]);
  // The first one never ends: the others follow each other beside it.
  running.pop()?.finish();
  await submit(6);
  expect(started.at(-1)).toEqual([6]);
  await finishAll(running);
  expect([batcher.queued, timers.size]).toEqual([0, 0]);
});

test("the end of an old batch starts no small one beside a young one", async () => {
  const { clock, fireAll } = heldTimers();
  const { batcher, running, started } = held({ maxRunning: 3, inTurn: { patience: { ms: 100, clock } } });
  const submit = async (...items: number[]) => {
    for (const item of items) batcher.submit(item);
    await settle();
  };
  await submit(1);
  await fireAll();
  await submit(2, 3, 4, 5);
  await submit(6);
  running.shift()?.finish();
  await settle();
  expect(started).toEqual([[1], [2, 3, 4, 5]]);
  await fireAll();
  expect(started.at(-1)).toEqual([6]);
});

test("a staggered batch waits for all young ones, whichever ends first", async () => {
  const { clock } = heldTimers();
  const { batcher, running, started } = held({ maxRunning: 3, inTurn: { patience: { ms: 100, clock } } });
  const submit = async (...items: number[]) => {
    for (const item of items) batcher.submit(item);
    await settle();
  };
  await submit(1, 2, 3, 4);
  await submit(5, 6, 7);
  await submit(8);
  running.pop()?.finish();
  await settle();
  expect(started).toEqual([
    [1, 2, 3, 4],
    [5, 6, 7],
  ]);
  running.pop()?.finish();
  await settle();
  expect(started.at(-1)).toEqual([8]);
});

test("a cancelled waiting item is rejected, and the others continue", async () => {
  const gone = new Set<number>();
  const reason = new Error("gone");
  const { batcher, running, started } = held({ cancelled: (item) => (gone.has(item) ? reason : null) });
  const results = [1, 2, 3, 4].map((item) => {
    const result = batcher.submit(item);
    result.catch(() => {});
    return result;
  });
  gone.add(2);
  await settle();
  expect(started).toEqual([[1, 3, 4]]);
  batcher.submit(5).catch(() => {});
  gone.add(5);
  await finishAll(running);
  await batcher.drained();
  expect(started).toHaveLength(1);
  expect((await Promise.allSettled(results)).map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "fulfilled",
    "fulfilled",
  ]);
});

test("a batch ends with the item that reaches its weight", async () => {
  const { batcher, running, started } = held({ weigh: (item) => item, maxWeight: 10, maxItems: 100 });
  for (const item of [4, 5, 50, 1, 9, 3, 10, 2]) batcher.submit(item);
  await finishAll(running);
  expect(started).toEqual([[4, 5, 50], [1, 9], [3, 10], [2]]);
});

test("the queue is limited in items, and a refused item leaves nothing behind", async () => {
  const { batcher, running, started } = held({ maxQueued: 2 });
  batcher.submit(1);
  await settle();
  batcher.submit(2);
  batcher.submit(3);
  await expect(batcher.submit(4)).rejects.toThrow(QueueFull);
  expect(batcher.queued).toBe(2);
  await finishAll(running);
  expect(started.flat()).toEqual([1, 2, 3]);
});

test("the queue is limited in weight, and has space again once a batch took items", async () => {
  const { batcher, running } = held({ weigh: (item) => item, maxItems: 1, maxQueuedWeight: 10 });
  batcher.submit(1);
  await settle();
  batcher.submit(6);
  batcher.submit(4);
  await expect(batcher.submit(1)).rejects.toThrow(QueueFull);
  running.shift()?.finish();
  await settle();
  const later = batcher.submit(6);
  await finishAll(running);
  expect(await later).toBe("6");
});

test("one bad item does not fail the others, which are retried in order, one at a time", async () => {
  const tried: number[][] = [];
  let running = 0;
  const { batcher } = held({
    run: async (items) => {
      tried.push(items);
      expect(++running).toBe(1);
      await Bun.sleep(1);
      running--;
      if (items.includes(2)) throw new Error("bad");
      return items.map(String);
    },
    mayBeOneItem: () => true,
  });
  const results = await Promise.allSettled([1, 2, 3].map((item) => batcher.submit(item)));
  expect(results.map((each) => each.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(tried).toEqual([[1, 2, 3], [1], [2], [3]]);
  const [alone] = await Promise.allSettled([batcher.submit(2)]);
  expect([alone?.status, tried.length]).toEqual(["rejected", 5]);
});

test("a failure that no item causes fails the batch, once", async () => {
  let runs = 0;
  const { batcher } = held({
    run: async () => {
      runs++;
      throw new Error("away");
    },
    mayBeOneItem: () => false,
  });
  const results = await Promise.allSettled([1, 2].map((item) => batcher.submit(item)));
  expect(results.map((each) => each.status)).toEqual(["rejected", "rejected"]);
  expect(runs).toBe(1);
});

test("work that throws synchronously fails only its batch", async () => {
  let runs = 0;
  const { batcher } = held({
    run: (items) => {
      if (runs++ === 0) throw new Error("at once");
      return Promise.resolve(items.map(String));
    },
  });
  await expect(batcher.submit(1)).rejects.toThrow("at once");
  expect(await batcher.submit(2)).toBe("2");
});

test("drained once nothing waits and nothing is under way", async () => {
  const { batcher, running } = held({ maxItems: 1, maxRunning: 2 });
  await batcher.drained();
  let isDrained = false;
  for (const item of [1, 2, 3]) batcher.submit(item).catch(() => {});
  batcher.drained().then(() => {
    isDrained = true;
  });
  for (let left = 3; left > 0; left--) {
    await settle();
    expect(isDrained).toBe(false);
    if (left === 2) running.shift()?.fail(new Error("bad"));
    else running.shift()?.finish();
  }
  await settle();
  expect(isDrained).toBe(true);
  await batcher.drained();
});

type Step =
  | { do: "submit"; weight: number }
  | { do: "finish"; which: number }
  | { do: "turn" }
  | { do: "time" };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.nat(6).map((weight) => ({ do: "submit" as const, weight })) },
  { weight: 2, arbitrary: fc.nat(9).map((which) => ({ do: "finish" as const, which })) },
  { weight: 1, arbitrary: fc.constant({ do: "turn" as const }) },
  { weight: 1, arbitrary: fc.constant({ do: "time" as const }) },
);

/** Checks a batch as it starts: it is within its bounds, and took all that it could. */
function checkBatch(
  items: readonly number[],
  queued: number,
  limits: { maxItems: number; maxWeight: number },
) {
  const weight = (some: readonly number[]) => some.reduce((sum, item) => sum + (item % 10), 0);
  expect(items.length).toBeGreaterThan(0);
  expect(items.length).toBeLessThanOrEqual(limits.maxItems);
  expect(weight(items.slice(0, -1))).toBeLessThan(limits.maxWeight);
  const isFull = items.length === limits.maxItems || weight(items) >= limits.maxWeight;
  expect(isFull || queued === 0).toBe(true);
}

test("in any order of arrival: first come, first served, within every bound, with nothing left behind", async () => {
  const bounds = fc.record({
    maxItems: fc.integer({ min: 1, max: 5 }),
    maxRunning: fc.integer({ min: 1, max: 3 }),
    maxWeight: fc.integer({ min: 1, max: 12 }),
    maxQueued: fc.integer({ min: 1, max: 8 }),
    isInTurn: fc.boolean(),
  });
  const run = async (
    limits: { maxItems: number; maxRunning: number; maxWeight: number; maxQueued: number; isInTurn: boolean },
    steps: Step[],
  ) => {
    const { timers, clock, fireAll } = heldTimers();
    const { batcher, running, started } = held({
      ...limits,
      weigh: (item) => item % 10,
      ...(limits.isInTurn && { inTurn: { patience: { ms: 3, clock } } }),
    });
    const taken: number[] = [];
    const results: Promise<string>[] = [];
    let checked = 0;
    const check = () => {
      expect(running.length).toBeLessThanOrEqual(limits.maxRunning);
      expect(batcher.queued).toBeLessThanOrEqual(limits.maxQueued);
      // If several start in one turn of the event loop, the queue was longer when the first did.
      const fresh = started.slice(checked);
      fresh.forEach((items, i) => {
        checkBatch(items, i === fresh.length - 1 ? batcher.queued : 0, limits);
      });
      checked = started.length;
    };
    for (const [i, each] of steps.entries()) {
      if (each.do === "turn") await settle();
      else if (each.do === "time") await fireAll();
      else if (each.do === "finish") running.splice(each.which % (running.length || 1), 1)[0]?.finish();
      else if (batcher.queued >= limits.maxQueued) await expect(batcher.submit(0)).rejects.toThrow(QueueFull);
      else {
        taken.push(i * 10 + each.weight);
        results.push(batcher.submit(i * 10 + each.weight));
      }
      check();
    }
    for (await finishAll(running); timers.size > 0; await finishAll(running)) await fireAll();
    check();
    expect(started.flat()).toEqual(taken);
    expect(await Promise.all(results)).toEqual(taken.map(String));
    expect(batcher.queued).toBe(0);
    await batcher.drained();
  };
  await fc.assert(fc.asyncProperty(bounds, fc.array(step, { maxLength: 60 }), run), { numRuns: 150 });
});

test("owners alternate, so an owner with few items waits for one batch at most", async () => {
  const { batcher, running, started } = held({ ownerOf: (item) => (item < 100 ? "many" : "few") });
  const results = [1, 2, 3, 4, 5, 6, 7, 8, 9, 101, 102].map((item) => batcher.submit(item));
  await finishAll(running);
  expect(await Promise.all(results)).toHaveLength(11);
  expect(started).toEqual([
    [1, 101, 2, 102],
    [3, 4, 5, 6],
    [7, 8, 9],
  ]);
});

test("a full queue refuses the newest item of the owner with most", async () => {
  const { batcher, running } = held({ maxQueued: 3, ownerOf: (item) => (item < 100 ? "many" : "few") });
  const submit = (items: number[]) =>
    items.map((item) => batcher.submit(item).catch((reason) => reason instanceof QueueFull && "refused"));
  const results = submit([1, 2, 3, 4, 101, 102]);
  await finishAll(running);
  expect(await Promise.all(results)).toEqual(["1", "2", "refused", "refused", "101", "refused"]);
});
