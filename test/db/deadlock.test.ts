import { expect, test } from "bun:test";
import { untilNoDeadlock } from "../../src/db/database";

const failure = (code: string) => Object.assign(new Error(code), { code });

/** Fails this many times with a code, then returns how often the work ran, and its result. */
async function tried(code: string, failures: number): Promise<[string, number]> {
  let times = 0;
  const work = async () => {
    if (++times <= failures) throw failure(code);
    return "done";
  };
  return [await untilNoDeadlock(work).catch((error) => error.code), times];
}

test("work is retried after deadlocks and serialization failures, five times at most, and after nothing else", async () => {
  expect(await tried("40P01", 1)).toEqual(["done", 2]);
  expect(await tried("40001", 4)).toEqual(["done", 5]);
  expect(await tried("40P01", 100)).toEqual(["40P01", 5]);
  expect(await tried("23505", 1)).toEqual(["23505", 1]);
});
