import { describe, expect, test } from "bun:test";
import { MAX_PATTERN_LENGTH } from "../../src/event-types/schema/pattern";
import { worstTexts } from "../support/expressions/worst-texts";
import { expressionsMadeBy, writtenExpressions } from "../support/expressions/written";
import { cpuMsOf, leastMs } from "../support/slowness";

/**
 * Characters of the longest text that an expression reads. Heads of requests and of receivers' answers end at 16 KiB, and no
 * field of a body that is matched is longer than a filter of 25,699 characters.
 */
const LONGEST = 32_768;
const MOST_MS = 5;
/** Length that is tried before, because the work at the longest text may take hours. */
const FIRST = 4_096;

/** Files whose expressions read a shorter text, whose length is checked before. */
const SHORTER: Readonly<Record<string, number>> = {
  "src/event-types/schema/pattern-translation.ts": MAX_PATTERN_LENGTH,
};

/** Files that make expressions at run time, none of which a request can choose. */
const MADE_LATER: Readonly<Record<string, string>> = {
  "src/event-types/schema/enforcement.ts":
    "checks the syntax of a pattern of 1,024 characters, and matches nothing",
  "src/client/raw-json.ts": "finds the marks that it has put into the text itself",
  "src/api/console/build.ts": "finds the console's own files",
  "src/api/edge/known-paths.ts": "matches the paths of the routes, segment by segment",
};

const EXPRESSIONS = writtenExpressions("src/**/*.{ts,tsx}");

/** Returns the CPU time of an expression. Repeats a slow one, unless each call would take long. */
function costMs(expression: RegExp, text: string): number {
  const once = () => text.replace(expression, "");
  const ms = cpuMsOf(once);
  return ms > MOST_MS && ms < 10 * MOST_MS ? Math.min(ms, leastMs(MOST_MS, once)) : ms;
}

/** Returns the first text that takes an expression too long; null if none does. */
function slowText(expression: RegExp, longest: number): { text: string; ms: number } | null {
  for (const length of [Math.min(FIRST, longest), longest]) {
    for (const text of worstTexts(expression, length)) {
      const ms = costMs(expression, text);
      if (ms > MOST_MS) return { text, ms };
    }
  }
  return null;
}

/** Describes the expressions that take too long, each with a text. */
function slowOf(file: string, expressions: readonly RegExp[]): string[] {
  return expressions.flatMap((expression) => {
    const found = slowText(expression, SHORTER[file] ?? LONGEST);
    return found ? [`${file} ${expression}: ${found.ms} ms, ${JSON.stringify(found.text.slice(0, 40))}`] : [];
  });
}

describe("no regular expression of the sources is slow", () => {
  test("written as a literal", () => {
    expect(EXPRESSIONS.length).toBeGreaterThan(150);
    const slow = EXPRESSIONS.flatMap(({ file, literal }) => (literal ? slowOf(file, [literal]) : []));
    expect(slow).toEqual([]);
  });

  test("made when a module is loaded", async () => {
    const files = new Set(EXPRESSIONS.flatMap(({ file, literal }) => (literal ? [] : [file])));
    for (const file of files) {
      if (file in MADE_LATER) continue;
      const made = await expressionsMadeBy(file);
      expect({ file, isMade: made.length > 0, slow: slowOf(file, made) }).toEqual({
        file,
        isMade: true,
        slow: [],
      });
    }
    expect(Object.keys(MADE_LATER).filter((file) => !files.has(file))).toEqual([]);
  });
});
