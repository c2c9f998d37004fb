import { RE2JS } from "re2js";
import { toRe2 } from "./pattern-translation";

/** Most characters of a pattern. */
export const MAX_PATTERN_LENGTH = 1_024;
/** Most instructions of a compiled pattern. A repetition counts as many times as it may repeat. */
export const MAX_PATTERN_SIZE = 1_000;

/** The steps left for matching. A match takes the text's characters times the pattern's instructions. */
export type StepBudget = { left: number };

/** The match would take more steps than are left. */
export class StepsExhausted extends Error {
  constructor() {
    super("matching takes too long");
    this.name = "StepsExhausted";
  }
}

export type CompiledPattern = {
  /** Number of instructions of the compiled pattern. */
  readonly size: number;
  /** True if the text contains the pattern. Throws `StepsExhausted`. */
  test(text: string): boolean;
  /** The pattern's text, by which Ajv distinguishes patterns. */
  toString(): string;
};

/**
 * Compiles a customer's pattern, for matching in linear time.
 *
 * The syntax is ECMAScript's without look-around, back-references, flags in groups and word boundaries. RE2 matches
 * without backtracking, so a match takes at most the text's length times the pattern's size. The budget is charged that
 * much before the match starts. Throws a `SyntaxError` for a pattern that is malformed, too large or not supported.
 */
export function compilePattern(source: string, budget: StepBudget): CompiledPattern {
  if (source.length > MAX_PATTERN_LENGTH)
    throw new SyntaxError(`a pattern may have at most ${MAX_PATTERN_LENGTH} characters`);
  const compiled = compileRe2(toRe2(source));
  const size = compiled.programSize();
  if (size > MAX_PATTERN_SIZE) throw new SyntaxError("the pattern is too large");
  return {
    size,
    test(text) {
      budget.left -= size * (text.length + 1);
      if (budget.left < 0) throw new StepsExhausted();
      return compiled.test(text);
    },
    toString: () => source,
  };
}

function compileRe2(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw new SyntaxError(error instanceof Error ? error.message : String(error));
  }
}
