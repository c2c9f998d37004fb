import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import {
  Contention,
  type CoreTimes,
  parseSchedstat,
  SCHEDSTAT,
  watchingContention,
} from "../../src/runtime/contention";

const MS = 1_000_000;

/** A thread of which it is known how long it ran and waited, milliseconds of every 100. */
class Thread {
  readonly contention = new Contention();
  private at = 0;
  private readonly times = { ran: 0, waited: 0 };

  spend(looks: number, ran: number, waited: number): this {
    for (let i = 0; i < looks; i++) {
      this.at += 100;
      this.times.ran += ran * MS;
      this.times.waited += waited * MS;
      this.contention.note(this.times, this.at);
    }
    return this;
  }

  get lacksCores(): boolean {
    return this.contention.isHigh;
  }
}

test("contention is high where a thread with much to do lacks a core more often than it has one", () => {
  expect(new Thread().spend(10, 35, 45).lacksCores).toBe(true);
  expect(new Thread().spend(10, 17, 54).lacksCores).toBe(true);
  expect(new Thread().spend(10, 63, 21).lacksCores).toBe(false);
  expect(new Thread().spend(10, 100, 0).lacksCores).toBe(false);
});

test("contention is not high for who has little to do, nor before anything is known", () => {
  expect(new Thread().spend(10, 1, 5).lacksCores).toBe(false);
  expect(new Thread().spend(10, 0, 0).lacksCores).toBe(false);
  expect(new Thread().spend(1, 35, 45).lacksCores).toBe(false);
  expect(new Contention().isHigh).toBe(false);
});

test("contention is of late: a second later it is what it has become", () => {
  expect(new Thread().spend(50, 35, 45).spend(10, 60, 10).lacksCores).toBe(false);
  expect(new Thread().spend(50, 60, 10).spend(10, 35, 45).lacksCores).toBe(true);
});

test("what the kernel writes is read, and anything else is no answer", () => {
  expect(parseSchedstat("24464383 2924935 56\n")).toEqual({ ran: 24464383, waited: 2924935 });
  expect(parseSchedstat("")).toBeNull();
  expect(parseSchedstat("cpu 1 2")).toBeNull();
});

test.if(existsSync(SCHEDSTAT))("the kernel counts what this thread does", async () => {
  const noted: number[] = [];
  const contention = { note: ({ ran }: CoreTimes) => noted.push(ran) };
  const clock = { now: Date.now, monotonic: () => performance.now(), after: soon };
  const watching = watchingContention(contention, clock);
  watching.start();
  while (noted.length < 20) await new Promise(setImmediate);
  await watching.stop();
  const text = readFileSync(SCHEDSTAT, "utf8");
  expect(noted).toEqual(noted.toSorted((a, b) => a - b));
  expect(noted.at(-1)).toBeLessThanOrEqual(parseSchedstat(text)?.ran ?? 0);
});

function soon(_: number, fire: () => void): () => void {
  const immediate = setImmediate(fire);
  return () => clearImmediate(immediate);
}
