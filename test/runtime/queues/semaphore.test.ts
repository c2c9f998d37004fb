import { expect, test } from "bun:test";
import { getEventListeners } from "node:events";
import fc from "fast-check";
import { Semaphore } from "../../../src/runtime/queues/semaphore";

const never = new AbortController().signal;

test("admits at most its limit, all in the order of arrival, and never those that gave up", async () => {
  const comings = fc.array(fc.record({ givesUp: fc.boolean(), leavesAfter: fc.nat(3) }), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), comings, async (limit, plan) => {
      const semaphore = new Semaphore(limit);
      const entered: number[] = [];
      let [inside, most] = [0, 0];
      const visits = plan.map(async ({ givesUp, leavesAfter }, i) => {
        const control = new AbortController();
        const entering = semaphore.acquire(control.signal);
        if (givesUp) control.abort();
        if (!(await entering)) return false;
        entered.push(i);
        most = Math.max(most, ++inside);
        for (let turn = 0; turn < leavesAfter; turn++) await Promise.resolve();
        inside--;
        semaphore.release();
        return true;
      });
      const admitted = await Promise.all(visits);
      expect(most).toBeLessThanOrEqual(limit);
      expect(entered).toEqual([...entered].sort((a, b) => a - b));
      plan.forEach(({ givesUp }, i) => {
        // A waiter that gave up may have been admitted already.
        if (!givesUp || i < limit) expect(admitted[i]).toBe(true);
        else expect(admitted[i]).toBe(false);
      });
      expect(semaphore.isFree).toBe(true);
    }),
  );
});

test("a newcomer does not overtake those that wait", async () => {
  const semaphore = new Semaphore(1);
  await semaphore.acquire(never);
  const waiting = semaphore.acquire(never);
  semaphore.release();
  let hasOvertaken = false;
  semaphore.acquire(never).then(() => {
    hasOvertaken = true;
  });
  expect(await waiting).toBe(true);
  await new Promise(setImmediate);
  expect(hasOvertaken).toBe(false);
});

test("an abort after the admission, or before the wait, affects no others", async () => {
  const semaphore = new Semaphore(1);
  await semaphore.acquire(never);
  const control = new AbortController();
  const waiting = semaphore.acquire(control.signal);
  semaphore.release();
  expect(await waiting).toBe(true);
  expect(getEventListeners(control.signal, "abort").length).toBe(0);
  control.abort();
  expect(await semaphore.acquire(control.signal)).toBe(false);
  semaphore.release();
  expect(semaphore.isFree).toBe(true);
});

test("it is drained once the last one has left and nobody waits", async () => {
  const semaphore = new Semaphore(1);
  await semaphore.drained();
  await semaphore.acquire(never);
  const waiting = semaphore.acquire(never);
  let isDrained = false;
  const drained = semaphore.drained().then(() => {
    isDrained = true;
  });
  semaphore.release();
  expect(await waiting).toBe(true);
  await new Promise(setImmediate);
  expect(isDrained).toBe(false);
  semaphore.release();
  await drained;
});
