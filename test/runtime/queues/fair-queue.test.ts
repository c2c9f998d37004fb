import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { FairQueue } from "../../../src/runtime/queues/fair-queue";

type Item = { owner: string; n: number; weight: number };

function newQueue(): FairQueue<Item> {
  return new FairQueue({ ownerOf: ({ owner }) => owner, weigh: ({ weight }) => weight });
}

const anyOwner = fc.constantFrom("a", "b", "c", "d");
/** An owner adds an item, or a round takes some, of which the first few are done. */
const anyAct = fc.oneof(
  fc.record({ owner: anyOwner, weight: fc.integer({ min: 1, max: 9 }) }),
  fc.record({
    most: fc.integer({ min: 1, max: 6 }),
    mostWeight: fc.integer({ min: 1, max: 20 }),
    done: fc.nat(6),
  }),
);

test("loses nothing, keeps each owner's order, and counts waiting items", () => {
  fc.assert(
    fc.property(fc.array(anyAct, { maxLength: 60 }), (acts) => {
      const queue = newQueue();
      const waiting: Item[] = [];
      for (const [n, act] of acts.entries()) {
        if ("owner" in act) {
          const item = { ...act, n };
          queue.add(item);
          waiting.push(item);
          continue;
        }
        const taken = queue.take(act.most, act.mostWeight);
        expect(taken.length).toBeLessThanOrEqual(act.most);
        expect(taken.length > 0).toBe(waiting.length > 0);
        const allButLast = taken.slice(0, -1).reduce((sum, { weight }) => sum + weight, 0);
        expect(allButLast).toBeLessThan(act.mostWeight);
        for (const owner of ["a", "b", "c", "d"]) {
          const own = (items: Item[]) => items.filter((item) => item.owner === owner).map((item) => item.n);
          expect(own(taken)).toEqual(own(waiting).slice(0, own(taken).length));
        }
        const done = taken.slice(0, Math.max(1, act.done));
        queue.putBack(taken.slice(done.length));
        for (const item of done) waiting.splice(waiting.indexOf(item), 1);
        expect([queue.size, queue.weight]).toEqual([
          waiting.length,
          waiting.reduce((sum, { weight }) => sum + weight, 0),
        ]);
      }
    }),
  );
});

describe("if a round does only its first item", () => {
  test("each owner is first within as many rounds as there are owners", () => {
    const anyLines = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(anyLines, fc.integer({ min: 1, max: 40 }), (lengths, most) => {
        const queue = newQueue();
        for (const [owner, length] of lengths.entries())
          for (let n = 0; n < length; n++) queue.add({ owner: String(owner), n, weight: 1 });
        const firsts = lengths.map(() => {
          const [first, ...others] = queue.take(most, 1_000);
          queue.putBack(others);
          return first?.owner;
        });
        expect(new Set(firsts).size).toBe(lengths.length);
      }),
    );
  });

  test("a newcomer is second at most while others have much", () => {
    const queue = newQueue();
    for (let n = 0; n < 20; n++) queue.add({ owner: "a", n, weight: 1 });
    const [, ...others] = queue.take(100, 1_000);
    queue.add({ owner: "b", n: 0, weight: 1 });
    queue.putBack(others);
    const firsts = [1, 2].map(() => {
      const [first, ...rest] = queue.take(100, 1_000);
      queue.putBack(rest);
      return first?.owner;
    });
    expect(firsts).toEqual(["a", "b"]);
  });
});

describe("an item beyond the limit", () => {
  const anyItems = fc.array(fc.record({ owner: anyOwner, weight: fc.integer({ min: 1, max: 9 }) }), {
    maxLength: 60,
  });

  test("is refused at once, the newest first, and never of an owner with less than another", () => {
    fc.assert(
      fc.property(
        anyItems,
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 9, max: 40 }),
        (items, most, mostWeight) => {
          const queue = newQueue();
          let waiting: Item[] = [];
          for (const [n, each] of items.entries()) {
            const added = { ...each, n };
            queue.add(added);
            waiting.push(added);
            for (const item of queue.shed(added, most, mostWeight)) {
              const isByCount = waiting.length > most;
              const has = (owner: string) =>
                waiting.reduce((sum, it) => sum + (it.owner === owner ? (isByCount ? 1 : it.weight) : 0), 0);
              expect(has(item.owner)).toBe(Math.max(...["a", "b", "c", "d"].map(has)));
              expect(waiting.findLast(({ owner }) => owner === item.owner)).toBe(item);
              waiting = waiting.filter((it) => it !== item);
            }
            expect(queue.size).toBe(waiting.length);
            expect(queue.size).toBeLessThanOrEqual(most);
            expect(queue.weight).toBeLessThanOrEqual(mostWeight);
          }
          const byN = queue.take(100, 1_000).toSorted((a, b) => a.n - b.n);
          expect(byN).toEqual(waiting);
        },
      ),
    );
  });

  test("is the newcomer's own if nobody has more", () => {
    const queue = newQueue();
    queue.add({ owner: "a", n: 0, weight: 1 });
    const added = { owner: "b", n: 1, weight: 1 };
    queue.add(added);
    expect(queue.shed(added, 1, 100)).toEqual([added]);
  });
});

test("a held owner waits for its release, and nobody else does", () => {
  const queue = newQueue();
  for (const [n, owner] of ["a", "b", "a", "c"].entries()) queue.add({ owner, n, weight: 1 });
  queue.hold("a");
  expect(queue.take(10, 10).map(({ n }) => n)).toEqual([1, 3]);
  expect([queue.take(10, 10), queue.size]).toEqual([[], 2]);
  queue.release("a");
  expect(queue.take(10, 10).map(({ n }) => n)).toEqual([0, 2]);
});

test("an owner gets few at a time while others wait, and as many as fit when alone", () => {
  const queue = new FairQueue<Item>({
    ownerOf: ({ owner }) => owner,
    weigh: ({ weight }) => weight,
    mostOfOne: 3,
  });
  for (let n = 0; n < 20; n++) queue.add({ owner: "many", n, weight: 1 });
  queue.add({ owner: "one", n: 20, weight: 1 });
  const owners = (items: Item[]) => items.map(({ owner }) => owner);
  expect(owners(queue.take(10, 100))).toEqual(["many", "one", "many", "many"]);
  expect(queue.take(10, 100)).toHaveLength(10);
});
