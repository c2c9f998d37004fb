import { type CelInput, type CelResult, isCelError, parse, plan } from "@bufbuild/cel";
import type { Expr, ParsedExpr } from "@bufbuild/cel-spec/cel/expr/syntax_pb.js";
import { messageOf } from "../../runtime/errors";
import { withoutInvisible } from "../../runtime/text/plain-text";
import { Patterns } from "../schema/patterns";
import { environment } from "./environment";
import { shownWith } from "./expression";
import { during, MAX_FILTER_STEPS, TooManySteps } from "./filter-budget";
import { BOOL, fits } from "./filter-type";
import { FilterProblem, Inspection } from "./inspection";

/** Most characters of a filter. */
export const MAX_FILTER_LENGTH = 4_096;
/** Greatest depth of a filter's brackets and conditions (`a ? b : c`). */
export const MAX_FILTER_DEPTH = 32;
/** Most characters of the error of a filter, which may quote the payload. */
export const MAX_ERROR_LENGTH = 500;
/** Steps of compiling a filter: for each character, and for each instruction of its patterns. */
const STEPS_PER_CHARACTER = 6;
const STEPS_PER_PATTERN_SIZE = 5;
/** The values of a filter's variables. */
export type FilterInput = Readonly<Record<"event" | "data" | "metadata", CelInput>>;

/** The result of a filter for an event. An error counts as no match. */
export type FilterVerdict = "match" | "no_match" | { error: string };

/** A customer's condition on an event, in CEL. */
export class PayloadFilter {
  /** The length of the filter's text, in characters. */
  readonly length: number;
  /** Cost of compiling the filter, in steps. */
  readonly compileSteps: number;
  private readonly parts: number;
  private readonly evaluate: (input: FilterInput) => CelResult;

  /** Throws an error whose message follows the name of the field. */
  constructor(text: string) {
    this.length = text.length;
    if (text.length > MAX_FILTER_LENGTH)
      throw new FilterProblem(`must have at most ${MAX_FILTER_LENGTH} characters`);
    if (depthOf(text) > MAX_FILTER_DEPTH)
      throw new FilterProblem(
        `must have at most ${MAX_FILTER_DEPTH} brackets and conditions within each other`,
      );
    const patterns = new Patterns();
    patterns.steps.left = Number.POSITIVE_INFINITY;
    const env = environment(patterns);
    const { expr, sourceInfo } = parsed(text);
    const inspection = new Inspection(env, patterns, shownWith(sourceInfo));
    const type = inspection.inspect(expr);
    this.parts = inspection.parts;
    this.compileSteps = STEPS_PER_CHARACTER * text.length + STEPS_PER_PATTERN_SIZE * patterns.size;
    if (!fits(type, BOOL))
      throw new FilterProblem(
        "is never true or false: compare what it computes, as in `size(data.items) > 0`",
      );
    inspection.charge();
    this.evaluate = plan(env, expr);
  }

  /** Evaluates the filter for an event. Also returns the number of steps. */
  judge(input: FilterInput): { verdict: FilterVerdict; steps: number } {
    const evaluation = { left: MAX_FILTER_STEPS - this.parts };
    const result = during(evaluation, () => this.evaluate(input));
    const steps = Math.ceil(MAX_FILTER_STEPS - Math.max(0, evaluation.left));
    return { verdict: verdictOf(result), steps };
  }
}

/** Returns the problem of a filter, to follow the name of its field; null if there is none. */
export function filterProblem(text: string): string | null {
  try {
    new PayloadFilter(text);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

function verdictOf(result: CelResult): FilterVerdict {
  if (result === true) return "match";
  if (result === false) return "no_match";
  if (!isCelError(result)) return { error: "the filter is neither true nor false for this event" };
  const message = result.cause instanceof TooManySteps ? result.cause.message : result.message;
  return { error: withoutInvisible(message.slice(0, MAX_ERROR_LENGTH)) };
}

function parsed(text: string): ParsedExpr & { expr: Expr } {
  try {
    // The library wants a line's end after a comment.
    const { expr, ...rest } = parse(`${text}\n`);
    if (expr) return { ...rest, expr };
  } catch (error) {
    const reason = error instanceof RangeError ? "it is nested too deep" : placeIn(messageOf(error));
    throw new FilterProblem(`is not a CEL expression: ${reason}`);
  }
  throw new FilterProblem("must not be empty");
}

/** Replaces the place at the head of the parser's message, for a text that has no file. */
function placeIn(message: string): string {
  return message.replace(/^<input>:(\d+):(\d+):/, "line $1, character $2:");
}

/**
 * Matches one token that matters: a comment, a whole text, a bracket, `?`, a comma, or the quote of a text without an end. A text's
 * backslash escapes the next character, except after `r`.
 */
const TOKEN =
  /\/\/[^\r\n]*|[rR](?:'''.*?'''|""".*?"""|'[^']*'|"[^"]*")|'''(?:\\.|[^\\])*?'''|"""(?:\\.|[^\\])*?"""|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[()[\]{}?,'"]/gs;

const OPENING = new Set(["(", "[", "{"]);
const CLOSING = new Set([")", "]", "}"]);

/**
 * Returns the greatest depth of brackets and conditions (`a ? b : c ? d : e` is two deep) in a CEL expression, in linear time.
 * The parser of the library takes quadratic time in the depth: 5 s for 1,000 open brackets.
 */
export function depthOf(text: string): number {
  const outer: number[] = [];
  let depth = 0;
  let deepest = 0;
  for (const [token] of text.matchAll(TOKEN)) {
    // The parser stops here as well.
    if (token === "'" || token === '"') break;
    if (CLOSING.has(token)) depth = outer.pop() ?? 0;
    if (token === ",") depth = outer.length === 0 ? 0 : (outer.at(-1) ?? 0) + 1;
    if (OPENING.has(token)) outer.push(depth);
    if (OPENING.has(token) || token === "?") depth++;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
