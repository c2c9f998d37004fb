import { type CelEnv, type CelInput, type CelResult, isCelError, parse, plan } from "@bufbuild/cel";
import { type Expr, type Expr_Comprehension, ExprSchema } from "@bufbuild/cel-spec/cel/expr/syntax_pb.js";
import { create } from "@bufbuild/protobuf";
import { messageOf } from "../../runtime/errors";
import { nearest } from "../../runtime/text/nearest";
import { Patterns } from "../schema/patterns";
import { environment } from "./environment";
import { during, KEY, MAX_FILTER_STEPS, RANGE, TooManySteps } from "./filter-budget";
import { depthOf } from "./nesting";

/** Most characters of a filter. */
export const MAX_FILTER_LENGTH = 4_096;
/** Greatest depth of a filter's brackets and conditions (`a ? b : c`). */
export const MAX_FILTER_DEPTH = 32;
/** Steps of compiling a filter: for each character, and for each instruction of its patterns. */
const STEPS_PER_CHARACTER = 6;
const STEPS_PER_PATTERN_SIZE = 5;
/** Most parts of a filter: names, values, operators and calls. */
export const MAX_FILTER_PARTS = 500;

/** The variables of a filter. */
export const VARIABLES = ["event", "data", "metadata"] as const;
export type FilterInput = Readonly<Record<(typeof VARIABLES)[number], CelInput>>;

/** The result of a filter for an event. An error counts as no match. */
export type FilterVerdict = "match" | "no_match" | { error: string };

/** The text is not a filter. The message follows the name of the field. */
class FilterProblem extends Error {}

/** Operators that the library evaluates itself. */
const OPERATORS = new Set(["_?_:_", "_&&_", "_||_", "_[_]", "@not_strictly_false"]);
/** Functions that the inspection inserts. */
const INNER = new Set([RANGE, KEY]);
/** Functions whose result may be true or false. */
const CONDITIONS = new Set([
  ...["_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_", "@in", "!_", "_&&_", "_||_", "_?_:_", "_[_]"],
  ...["startsWith", "endsWith", "contains", "matches", "bool", "dyn"],
]);

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
    const expression = parsed(text);
    const inspection = new Inspection(env, patterns);
    inspection.inspect(expression);
    this.parts = inspection.parts;
    this.compileSteps = STEPS_PER_CHARACTER * text.length + STEPS_PER_PATTERN_SIZE * patterns.size;
    if (!mayBeCondition(expression))
      throw new FilterProblem(
        "is never true or false: compare what it computes, as in `size(data.items) > 0`",
      );
    this.evaluate = plan(env, expression);
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
  return { error: result.cause instanceof TooManySteps ? result.cause.message : result.message };
}

function parsed(text: string): Expr {
  try {
    const { expr } = parse(text);
    if (expr) return expr;
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

/** False if the result is a number, a text, a list or a map for every event. */
function mayBeCondition({ exprKind: { case: kind, value } }: Expr): boolean {
  if (kind === "constExpr") return value.constantKind.case === "boolValue";
  if (kind === "identExpr") return value.name === "data";
  if (kind === "callExpr" && value.function === "_?_:_") return value.args.slice(1).some(mayBeCondition);
  if (kind === "callExpr") return CONDITIONS.has(value.function);
  // `map` and `filter` collect a list; `all`, `exists` and `exists_one` do not.
  if (kind === "comprehensionExpr") return value.accuInit?.exprKind.case !== "listExpr";
  return kind !== "listExpr" && kind !== "structExpr";
}

/** Checks all parts of a filter once. Refuses parts that can't work, and makes comprehensions charge the budget. */
class Inspection {
  /** Number of parts so far. */
  parts = 0;

  constructor(
    private readonly env: CelEnv,
    private readonly patterns: Patterns,
  ) {}

  inspect(expression: Expr | undefined, names: readonly string[] = VARIABLES): void {
    if (++this.parts > MAX_FILTER_PARTS)
      throw new FilterProblem(`must have at most ${MAX_FILTER_PARTS} parts`);
    const kind = expression?.exprKind;
    if (kind?.case === undefined) throw new FilterProblem("must be a whole CEL expression");
    if (kind.case === "identExpr") refuseUnknown(kind.value.name, names);
    if (kind.case === "selectExpr") this.inspect(kind.value.operand, names);
    if (kind.case === "comprehensionExpr") this.inspectComprehension(kind.value, names);
    if (kind.case === "listExpr") this.inspectAll(kind.value.elements, names);
    if (kind.case === "callExpr") {
      const { args } = kind.value;
      this.checkCall(kind.value.function, args);
      this.inspectAll([...args, ...(kind.value.target ? [kind.value.target] : [])], names);
      if (kind.value.function === "_[_]")
        kind.value.args = args.map((arg, i) => (i === 1 ? asKey(arg) : arg));
    }
    if (kind.case === "structExpr") {
      if (kind.value.messageName !== "") throw new FilterProblem(`can't make a ${kind.value.messageName}`);
      for (const { keyKind, value } of kind.value.entries) {
        this.inspectAll([keyKind.case === "mapKey" ? keyKind.value : undefined, value], names);
        if (keyKind.case === "mapKey") keyKind.value = asKey(keyKind.value);
      }
    }
  }

  private inspectAll(expressions: readonly (Expr | undefined)[], names: readonly string[]): void {
    for (const each of expressions) this.inspect(each, names);
  }

  private inspectComprehension(value: Expr_Comprehension, names: readonly string[]): void {
    const { iterRange, iterVar, accuVar } = value;
    this.inspect(iterRange, names);
    this.inspect(value.accuInit, names);
    const inner = [...names, iterVar, accuVar];
    const before = this.parts;
    this.inspectAll([value.loopCondition, value.loopStep, value.result], inner);
    const weight = create(ExprSchema, {
      exprKind: {
        case: "constExpr",
        value: { constantKind: { case: "int64Value", value: BigInt(this.parts - before) } },
      },
    });
    value.iterRange = callOf(RANGE, iterRange ? [iterRange, weight] : []);
  }

  private checkCall(name: string, args: readonly Expr[]): void {
    if (!OPERATORS.has(name) && (INNER.has(name) || !this.env.funcs.find(name)))
      throw new FilterProblem(`has ${name}, which is not a function of filters`);
    if (name !== "matches") return;
    const source = args[0]?.exprKind;
    if (source?.case !== "constExpr" || source.value.constantKind.case !== "stringValue")
      throw new FilterProblem("must have a text literal as the pattern of matches");
    try {
      this.patterns.compile(source.value.constantKind.value);
    } catch (error) {
      throw new FilterProblem(`has a pattern that is not supported: ${messageOf(error)}`);
    }
  }
}

/** Makes a computed key charge the budget for its characters, which an error would repeat. */
function asKey(key: Expr): Expr {
  return key.exprKind.case === "constExpr" ? key : callOf(KEY, [key]);
}

function callOf(name: string, args: Expr[]): Expr {
  return create(ExprSchema, { exprKind: { case: "callExpr", value: { function: name, args } } });
}

function refuseUnknown(name: string, names: readonly string[]): void {
  if (names.includes(name)) return;
  const meant = nearest(name, VARIABLES);
  throw new FilterProblem(
    `has ${name}, which it does not know; ${meant ? `did you mean ${meant}?` : `it knows ${VARIABLES.join(", ")}`}`,
  );
}
