import { expect, test } from "bun:test";
import { systemClock } from "../../src/runtime/clock";
import { Loop } from "../../src/runtime/loop";

/** Longer than any test waits. */
const LONG_MS = 3_600_000;

/** A loop whose rounds end when the test says so. */
function loopOf(restMs: number | null = LONG_MS) {
  const rounds: { end(restMs?: number | null): void; fail(): void }[] = [];
  const failures: unknown[] = [];
  const loop = new Loop({
    clock: systemClock,
    round: () =>
      new Promise((resolve, reject) => {
        rounds.push({
          end: (ms = restMs) => resolve(ms),
          fail: () => reject(new Error("this one")),
        });
      }),
    failed: (error) => {
      failures.push(error);
      return 0;
    },
  });
  const untilRounds = async (count: number) => {
    while (rounds.length < count) await Bun.sleep(1);
  };
  return { loop, rounds, failures, untilRounds };
}

test("rests after a round, and continues when it is woken", async () => {
  const { loop, rounds, untilRounds } = loopOf();
  loop.start();
  rounds[0]?.end();
  await Bun.sleep(5);
  expect(rounds).toHaveLength(1);
  loop.wake();
  await untilRounds(2);
});

test("has started once the first round is over, however it went", async () => {
  for (const how of ["end", "fail"] as const) {
    const { loop, rounds } = loopOf();
    let hasStarted = false;
    const started = loop.start().then(() => {
      hasStarted = true;
    });
    await Bun.sleep(5);
    expect(hasStarted).toBe(false);
    rounds[0]?.[how]();
    await started;
  }
});

test("does not rest after a round during which it was woken", async () => {
  const { loop, rounds, untilRounds } = loopOf();
  loop.start();
  loop.wake();
  rounds[0]?.end();
  await untilRounds(2);
  rounds[1]?.end();
  await Bun.sleep(5);
  expect(rounds).toHaveLength(2);
});

test("continues after a failed round", async () => {
  const { loop, rounds, failures, untilRounds } = loopOf();
  loop.start();
  rounds[0]?.fail();
  await untilRounds(2);
  expect(failures).toEqual([new Error("this one")]);
});

test("has stopped once the round under way is over, and not before", async () => {
  const { loop, rounds } = loopOf(0);
  loop.start();
  let hasStopped = false;
  const stopped = loop.stop().then(() => {
    hasStopped = true;
  });
  await Bun.sleep(5);
  expect(hasStopped).toBe(false);
  rounds[0]?.end();
  await stopped;
  expect(rounds).toHaveLength(1);
});

test("does not report a round as failed that the stop has aborted", async () => {
  const { loop, rounds, failures } = loopOf();
  loop.start();
  const stopped = loop.stop();
  rounds[0]?.fail();
  await stopped;
  expect(failures).toEqual([]);
});

test("ends by itself when there is nothing more to do", async () => {
  const { loop, rounds } = loopOf();
  loop.start();
  rounds[0]?.end(null);
  await loop.stop();
  expect(rounds).toHaveLength(1);
});

test("has stopped if it was never started", () => loopOf().loop.stop());
