import { expect, test } from "bun:test";
import { Socket } from "node:net";
import { Connection } from "../../src/attempt/connection";
import { IdleConnections } from "../../src/attempt/idle-connections";
import { ManualClock } from "./manual-clock";

const MOST = 12;

/** Keeps connections of accounts, and tells whose are left. */
class Kept {
  readonly idle = new IdleConnections(new ManualClock(), MOST);

  put(account: string, receivers: number): void {
    for (let n = 0; n < receivers; n++)
      this.idle.put(new Connection(`${account} ${n}`, new Socket()), account, null);
  }

  /** Takes the connections to an account's receivers; which of them were there. */
  take(account: string, receivers: number): number[] {
    const all = Array.from({ length: receivers }, (_, n) => n);
    return all.filter((n) => this.idle.take(`${account} ${n}`) !== null);
  }
}

test("an account alone keeps as many as there may be, those that were used last", () => {
  const kept = new Kept();
  kept.put("a", 2 * MOST);
  expect(kept.take("a", 2 * MOST)).toEqual(Array.from({ length: MOST }, (_, n) => MOST + n));
});

test("an account with thousands of receivers leaves the others' connections, whoever comes first", () => {
  for (const order of [
    ["a", "b", "hog"],
    ["hog", "a", "b"],
    ["a", "hog", "b", "hog"],
  ]) {
    const kept = new Kept();
    for (const account of order) kept.put(account, account === "hog" ? 1_000 : 3);
    expect([kept.take("a", 3), kept.take("b", 3)]).toEqual([
      [0, 1, 2],
      [0, 1, 2],
    ]);
    expect(kept.take("hog", 1_000).length).toBe(MOST - 6);
  }
});

test("what was taken or lost counts no more", () => {
  const kept = new Kept();
  kept.put("a", MOST);
  for (const n of kept.take("a", MOST)) expect(n).toBeLessThan(MOST);
  kept.put("b", MOST);
  expect(kept.take("b", MOST).length).toBe(MOST);
  kept.put("a", 1);
  kept.idle.close();
  expect(kept.take("a", 1)).toEqual([]);
});
