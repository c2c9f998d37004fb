import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Claimant } from "../../src/attempt/admission";
import { HandshakeQueue } from "../../src/attempt/connections/tls";

/** A thread on which handshakes take time. Records their order. */
class Thread {
  readonly done: string[] = [];
  private now = 0;
  private timer: { at: number; fire: () => void } | null = null;
  private readonly handshakes = new HandshakeQueue({
    monotonic: () => this.now,
    after: (ms, fire) => {
      this.timer = { at: this.now + ms, fire };
      return () => {};
    },
  });

  come(name: string, tookMs: number, claimant: Partial<Claimant> = {}): void {
    const proceed = () => {
      this.now += tookMs;
      this.done.push(name);
    };
    this.handshakes.run({ claimant: { account: "a", speed: "new", ...claimant }, proceed });
  }

  /** Lets the pause pass, and returns its milliseconds. */
  rest(): number {
    const { timer } = this;
    if (!timer) return 0;
    this.timer = null;
    const ms = timer.at - this.now;
    this.now = timer.at;
    timer.fire();
    return ms;
  }

  idle(ms: number): void {
    this.now += ms;
  }
}

test("handshakes run at once for a limited time in a row, then pause for other work", () => {
  const thread = new Thread();
  for (let n = 0; n < 6; n++) thread.come(String(n), 4);
  expect(thread.done.length).toBe(3);
  expect(thread.rest()).toBe(4);
  expect(thread.done.length).toBe(6);
  expect(thread.rest()).toBe(4);
  expect(thread.rest()).toBe(0);
});

test("handshakes do not pause if other work has had its time since", () => {
  const thread = new Thread();
  for (let n = 0; n < 100; n++) {
    thread.come(String(n), 4);
    thread.idle(2);
  }
  expect(thread.done.length).toBe(100);
});

test("handshakes do not wait for slow handshakes of other accounts or other speeds", () => {
  const thread = new Thread();
  for (let n = 0; n < 100; n++) thread.come("bad", 100);
  thread.come("other account", 1, { account: "b" });
  thread.come("known", 1, { speed: "prompt" });
  expect(thread.done).toEqual(["bad"]);
  for (let n = 0; n < 3; n++) thread.rest();
  expect(thread.done).toContain("other account");
  expect(thread.done).toContain("known");
  while (thread.rest() > 0);
  expect(thread.done.length).toBe(102);
});

test("all handshakes run, each account's in their order, and leave a quarter of the time to other work", () => {
  const anyHandshake = fc.record({
    account: fc.constantFrom("a", "b", "c"),
    tookMs: fc.integer({ min: 1, max: 200 }),
  });
  fc.assert(
    fc.property(fc.array(anyHandshake, { minLength: 1, maxLength: 60 }), (all) => {
      const thread = new Thread();
      for (const [n, { account, tookMs }] of all.entries())
        thread.come(`${account}${n}`, tookMs, { account });
      let rested = 0;
      for (let ms = thread.rest(); ms > 0; ms = thread.rest()) rested += ms;
      const taken = all.reduce((sum, { tookMs }) => sum + tookMs, 0);
      expect(rested).toBeGreaterThanOrEqual((taken - 10) / 3 - 1e-6);
      expect(thread.done.length).toBe(all.length);
      for (const account of ["a", "b", "c"]) {
        const own = thread.done
          .filter((name) => name.startsWith(account))
          .map((name) => Number(name.slice(1)));
        expect(own).toEqual(own.toSorted((x, y) => x - y));
      }
    }),
  );
});
