import { expect, test } from "bun:test";
import fc from "fast-check";
import { SteadyTime } from "../../src/runtime/clock";

const START = 1_800_000_000_000;

/** A machine whose wall clock is corrected. */
class Machine {
  wallMs = START;
  monotonicMs = 5_000;
  readonly time = new SteadyTime({ wall: () => Math.floor(this.wallMs), monotonic: () => this.monotonicMs });

  pass(ms: number): this {
    this.wallMs += ms;
    this.monotonicMs += ms;
    return this;
  }

  correct(ms: number): this {
    this.wallMs += ms;
    return this;
  }
}

test("an attempt that starts after another's end is recorded so, although the clock was set back between", () => {
  const machine = new Machine();
  const first = machine.time.now();
  machine.pass(20).correct(-15);
  expect(machine.time.now() - first).toBeGreaterThanOrEqual(19);
});

test("a correction back is caught up over time, and then the machine's clock applies again", () => {
  const machine = new Machine();
  machine.time.now();
  machine.correct(-50);
  for (let i = 0; i < 60; i++) machine.pass(1_000).time.now();
  expect(machine.time.now()).toBe(machine.wallMs);
});

test("a jump ahead, and a correction back of more than a second, apply at once", () => {
  const machine = new Machine();
  machine.time.now();
  expect(machine.correct(3_600_000).time.now()).toBe(machine.wallMs);
  expect(machine.correct(-3_600_000).time.now()).toBe(machine.wallMs);
  expect(machine.correct(-1_001).time.now()).toBe(machine.wallMs);
});

test("small corrections never turn it back, and it is never more than a second from the machine's clock", () => {
  const step = fc.record({
    pass: fc.double({ min: 0, max: 500, noNaN: true }),
    correct: fc.integer({ min: -40, max: 40 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const machine = new Machine();
      let before = machine.time.now();
      for (const { pass, correct } of steps) {
        const now = machine.pass(pass).correct(correct).time.now();
        const wall = Math.floor(machine.wallMs);
        expect(now).toBeGreaterThanOrEqual(wall);
        expect(now - wall).toBeLessThanOrEqual(1_000);
        if (now > wall) expect(now).toBeGreaterThanOrEqual(before);
        before = now;
      }
    }),
  );
});
