import { describe, expect, test } from "bun:test";
import { measurePath, SHAPES } from "./path";
import { readSources } from "./sources";

/** The size of the path today. It may only fall: whoever makes the path shorter lowers it. */
const BUDGET = { files: 115, lines: 15_300, classes: 77 };
/** Loops that happen to run beside every traced delivery add a file or two. */
const HEADROOM = { files: 3, lines: 300, classes: 1 };
/** A path that is this much shorter than the budget deserves a lower budget. */
const SLACK = { files: 8, lines: 900, classes: 6 };

const sources = await readSources();

describe("the path of one delivery", () => {
  test("stays within its budget of files, lines and classes, and the budget follows it down", async () => {
    const { files, lines, classes } = await measurePath(sources);
    const size = { files: files.length, lines, classes };
    const sizes = ["files", "lines", "classes"] as const;
    const over = sizes.filter((each) => size[each] > BUDGET[each] + HEADROOM[each]);
    const under = sizes.filter((each) => size[each] < BUDGET[each] - SLACK[each]);
    // `bun run house --files` lists the files.
    expect({ size, over }).toEqual({ size, over: [] });
    expect({ size, lowerTheBudgetOf: under }).toEqual({ size, lowerTheBudgetOf: [] });
  });

  test("has the shapes that are listed, and their list only shrinks", () => {
    const texts = [...sources.values()].map(({ text }) => text).join("\n");
    const gone = SHAPES.filter(
      (name) => !new RegExp(`^(export )?(type|interface) ${name}\\b`, "m").test(texts),
    );
    expect(gone).toEqual([]);
    expect(SHAPES.length).toBeLessThanOrEqual(8);
  });
});
