import { expect, test } from "bun:test";
import { type CursorList, PAGE_CHARACTERS, pageOf } from "../../../src/api/lists/cursor-page";

const LARGE = "x".repeat(100_000);

/** Numbers from 1 to `last`, whose keys are their own cursors; each is shown with a large text. */
function numbersTo(last: number): CursorList<number, number> {
  return {
    cursors: { write: String, readCursor: (text: string | undefined) => text && Number(text) } as never,
    keyOf: (number) => number,
    read: async ({ limit, beyond = 0 }) =>
      Array.from({ length: Math.min(limit, last - beyond) }, (_, i) => beyond + i + 1),
    view: (number) => ({ number, text: LARGE }),
  };
}

test("a page of large items ends at a mebibyte, and the pages together have every item once", async () => {
  const list = numbersTo(57);
  const seen: unknown[] = [];
  for (let beyond: number | undefined, more = true; more; ) {
    const { data, cursor } = await pageOf(list, 100, beyond);
    expect(JSON.stringify(data).length).toBeLessThan(PAGE_CHARACTERS + 2 * LARGE.length);
    seen.push(...data.map((each) => (each as { number: number }).number));
    more = cursor !== null;
    beyond = Number(cursor);
  }
  expect(seen).toEqual(Array.from({ length: 57 }, (_, i) => i + 1));
});
