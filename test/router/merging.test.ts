import { describe, expect, test } from "bun:test";
import { type CellPageRead, mergePages } from "../../src/router/merging";
import { Random } from "../support/faults/random";

const idOf = (n: number) => ({ id: `wh_${String(n).padStart(4, "0")}` });
type Item = ReturnType<typeof idOf>;

/** A page of a cell's list. Searches end early, so a page may be short, or empty, with a cursor. */
function pageOf(items: readonly Item[], at: string | undefined, size: number): CellPageRead["page"] {
  const start = Number(at ?? 0);
  const end = start + size;
  return { data: items.slice(start, end), cursor: end < items.length ? String(end) : null };
}

describe("a merged list", () => {
  test("shows every item of every cell once, newest first, however short the pages are", () => {
    const random = new Random(11);
    for (let round = 0; round < 200; round++) {
      const all = Array.from({ length: random.below(40) }, (_, i) => idOf(i));
      const lists = new Map(["a", "b", "c"].map((cell) => [cell, [] as Item[]]));
      for (const item of all.toReversed()) lists.get(["a", "b", "c"][random.below(3)] ?? "a")?.push(item);
      const shown: Item[] = [];
      let position: Parameters<typeof mergePages>[1] | null = { last: null, cursors: {} };
      while (position !== null) {
        const { cursors } = position;
        const open = [...lists].filter(([cell]) => cursors[cell] !== null);
        const pages = open.map(([cell, items]) => {
          const at = cursors[cell] ?? undefined;
          return { cell, at, page: pageOf(items, at, random.below(8)) };
        });
        const merged = mergePages(pages, position, 1 + random.below(10));
        shown.push(...merged.data);
        position = merged.next;
      }
      expect(shown).toEqual(all.toReversed());
    }
  });
});
