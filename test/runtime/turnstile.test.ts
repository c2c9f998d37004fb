import { expect, test } from "bun:test";
import { getEventListeners } from "node:events";
import fc from "fast-check";
import { Turnstile } from "../../src/runtime/turnstile";

test("lets in at most its limit, all in the order they came, and those who gave up never", async () => {
  const comings = fc.array(fc.record({ givesUp: fc.boolean(), leavesAfter: fc.nat(3) }), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), comings, async (limit, plan) => {
      const turnstile = new Turnstile(limit);
      const entered: number[] = [];
      let most = 0;
      const visits = plan.map(async ({ givesUp, leavesAfter }, i) => {
        const control = new AbortController();
        const entering = turnstile.enter(control.signal);
        if (givesUp) control.abort();
        if (!(await entering)) return false;
        entered.push(i);
        most = Math.max(most, turnstile.occupied);
        for (let turn = 0; turn < leavesAfter; turn++) await Promise.resolve();
        turnstile.leave();
        return true;
      });
      const admitted = await Promise.all(visits);
      expect(most).toBeLessThanOrEqual(limit);
      expect(entered).toEqual([...entered].sort((a, b) => a - b));
      plan.forEach(({ givesUp }, i) => {
        // Who gave up may have been in already.
        if (!givesUp || i < limit) expect(admitted[i]).toBe(true);
        else expect(admitted[i]).toBe(false);
      });
      expect([turnstile.occupied, turnstile.queued]).toEqual([0, 0]);
    }),
  );
});

test("who comes when there is room does not overtake those who wait", async () => {
  const turnstile = new Turnstile(1);
  expect(turnstile.tryEnter()).toBe(true);
  const waiting = turnstile.enter();
  turnstile.leave();
  expect(turnstile.tryEnter()).toBe(false);
  expect(await waiting).toBe(true);
});

test("an abort after the entry, or before the wait, changes nothing for others", async () => {
  const turnstile = new Turnstile(1);
  turnstile.tryEnter();
  const control = new AbortController();
  const waiting = turnstile.enter(control.signal);
  turnstile.leave();
  expect(await waiting).toBe(true);
  expect(getEventListeners(control.signal, "abort").length).toBe(0);
  control.abort();
  expect(await turnstile.enter(control.signal)).toBe(false);
  expect([turnstile.occupied, turnstile.queued]).toEqual([1, 0]);
});

test("it is empty once the last one has left, and nobody waited for the place", async () => {
  const turnstile = new Turnstile(1);
  await turnstile.emptied();
  turnstile.tryEnter();
  const waiting = turnstile.enter();
  let isEmpty = false;
  const emptied = turnstile.emptied().then(() => {
    isEmpty = true;
  });
  turnstile.leave();
  expect(await waiting).toBe(true);
  await new Promise(setImmediate);
  expect(isEmpty).toBe(false);
  turnstile.leave();
  await emptied;
});
