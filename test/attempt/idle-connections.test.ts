import { expect, test } from "bun:test";
import { Socket } from "node:net";
import { Connection } from "../../src/attempt/connections/connection";
import { IdleConnections } from "../../src/attempt/connections/idle-connections";
import { ManualClock } from "./manual-clock";

const MOST = 12;

function useOf(account: string, receiver: number | string) {
  return { account, target: { key: String(receiver) } };
}

/** Keeps connections of accounts, and shows which are left. */
class Kept {
  readonly idle = new IdleConnections(new ManualClock(), MOST);

  put(account: string, receivers: number): void {
    for (let n = 0; n < receivers; n++) this.idle.keep(new Connection(new Socket()), useOf(account, n), null);
  }

  /** Reuses the connections to an account's receivers. Returns the numbers of the receivers that had one. */
  take(account: string, receivers: number): number[] {
    const all = Array.from({ length: receivers }, (_, n) => n);
    return all.filter((n) => this.idle.reuse(useOf(account, n)) !== null);
  }
}

test("an account alone keeps as many as the limit, those used last", () => {
  const kept = new Kept();
  kept.put("a", 2 * MOST);
  expect(kept.take("a", 2 * MOST)).toEqual(Array.from({ length: MOST }, (_, n) => MOST + n));
});

test("an account with thousands of receivers keeps the others' connections open, whoever comes first", () => {
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

test("taken and lost connections no longer count", () => {
  const kept = new Kept();
  kept.put("a", MOST);
  for (const n of kept.take("a", MOST)) expect(n).toBeLessThan(MOST);
  kept.put("b", MOST);
  expect(kept.take("b", MOST).length).toBe(MOST);
  kept.put("a", 1);
  kept.idle.close();
  expect(kept.take("a", 1)).toEqual([]);
});

function scene() {
  const clock = new ManualClock();
  const idle = new IdleConnections(clock);
  /** Keeps a connection to a receiver. Returns it with its socket. */
  const put = (key: string) => {
    const socket = new Socket();
    const connection = new Connection(socket);
    idle.keep(connection, useOf("an account", key), null);
    return { socket, connection };
  };
  const take = (key: string) => idle.reuse(useOf("an account", key));
  return { clock, idle, put, take };
}

test("an account's connection serves no other account", () => {
  const kept = new Kept();
  kept.put("a", 1);
  expect(kept.take("b", 1)).toEqual([]);
  expect(kept.take("a", 1)).toEqual([0]);
});

test("the connection used last is used next, and never a lost one", () => {
  const { put, take } = scene();
  const [first, second, third] = [put("a"), put("a"), put("a")];
  second.connection.destroy();
  expect(take("a")).toBe(third.connection);
  expect(take("a")).toBe(first.connection);
  expect(take("a")).toBeNull();
});

test("one more than the limit evicts the connection that was idle for longest", () => {
  const { put, take } = scene();
  const all = Array.from({ length: 1_026 }, (_, i) => put(String(i % 2)));
  expect(all.map(({ socket }) => socket.destroyed)).toEqual(all.map((_, i) => i < 2));
  expect(take("0")).not.toBeNull();
});

test("nothing is kept of receivers that get no more requests", () => {
  const { idle } = scene();
  const use = (from: number) => {
    for (let i = from; i < from + 50_000; i++) {
      const connection = { destroy() {}, expire() {} } as unknown as Connection;
      const use = useOf("an account", `https://receiver-${i}`);
      idle.keep(connection, use, null);
      idle.reuse(use);
    }
    Bun.gc(true);
    return process.memoryUsage().heapUsed;
  };
  const before = use(0);
  expect(use(50_000) - before).toBeLessThan(2_000_000);
});
