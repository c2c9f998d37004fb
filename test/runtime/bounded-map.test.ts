import { expect, test } from "bun:test";
import { BoundedMap } from "../../src/runtime/bounded-map";

test("evicts the oldest entries beyond its limit", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.set("a", 3);
  expect([map.size, map.get("a"), map.get("b")]).toEqual([2, 3, 2]);
  map.set("c", 4);
  expect([map.size, map.get("a"), map.get("b"), map.get("c")]).toEqual([2, 3, undefined, 4]);
});

test("evicts enough to stay within its weight", () => {
  const map = new BoundedMap<string, number>(10, (weight) => weight);
  for (const key of ["a", "b", "c"]) map.set(key, 3);
  map.delete("b");
  map.set("d", 3);
  map.set("a", 4);
  expect([map.get("a"), map.get("c"), map.get("d")]).toEqual([4, 3, 3]);
  map.set("e", 7);
  expect([map.size, map.get("a"), map.get("e")]).toEqual([1, undefined, 7]);
  map.set("f", 11);
  expect(map.size).toBe(0);
  map.set("g", 10);
  expect(map.get("g")).toBe(10);
});

test("is empty after it is cleared", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.clear();
  expect([map.size, map.get("a")]).toEqual([0, undefined]);
  map.set("c", 3);
  map.set("d", 4);
  expect([map.size, map.get("c"), map.get("d")]).toEqual([2, 3, 4]);
});

test("keeps most of its limit, and the newest entries, however many are added", () => {
  const map = new BoundedMap<number, number>(1_000);
  for (let i = 0; i < 10_000; i++) {
    map.set(i, i);
    const [oldest, size] = [Math.max(0, i - 874), map.size];
    expect(size).toBeLessThanOrEqual(1_000);
    expect(map.get(oldest)).toBe(oldest);
  }
});
