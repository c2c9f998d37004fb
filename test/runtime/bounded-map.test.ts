import { expect, test } from "bun:test";
import { BoundedMap } from "../../src/runtime/bounded-map";

test("forgets what was put in longest ago, beyond its limit", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.set("a", 3);
  expect([map.size, map.get("a"), map.get("b")]).toEqual([2, 3, 2]);
  map.set("c", 4);
  expect([map.size, map.get("a"), map.get("b"), map.get("c")]).toEqual([2, 3, undefined, 4]);
});
