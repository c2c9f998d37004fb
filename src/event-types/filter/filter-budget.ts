import { type CelFunc, celList, isCelList, isCelMap } from "@bufbuild/cel";
import { isReflectMessage } from "@bufbuild/protobuf/reflect";
import type { Patterns } from "../schema/patterns";

/** Most steps of one filter over one event. A step is a call, or 16 characters or 2 values that a call reads. */
export const MAX_FILTER_STEPS = 200_000;
/** Most characters of a text that is converted to a number or a time. */
export const MAX_CONVERTED = 1_024;
const CHARACTERS_OF_A_STEP = 16;
const VALUES_OF_A_STEP = 2;
/** Number of items of a list that are copied in a step. */
const COPIES_OF_A_STEP = 8;
const CONVERSIONS = new Set(["bool", "int", "uint", "double", "timestamp", "duration"]);
/** Functions that are dear if they get a time. */
const OF_TIMES = new Set(["_+_", "_-_", "string"]);
/** Steps of a conversion or of work with a time: an error or a message takes some microseconds to make. */
const STEPS_OF_MAKING = 6;
/** Steps of a call with a time zone, for which the library makes a new calendar. */
const STEPS_OF_TIME_ZONE = 200;
/** Characters that a search compares in a step, if all places of the text are like the beginning of what it looks for. */
const SEARCHED_IN_A_STEP = 1_024;
const COMPARISONS = new Set(["_==_", "_!=_", "@in"]);

/** Name of the function that is called with a comprehension's list and the weight of its body. */
export const RANGE = "@range";

/** A filter needs more steps than it has left. Not an error of CEL, which `||` would hide. */
export class TooManySteps extends Error {
  constructor() {
    super("the filter takes too many steps for this event");
    this.name = "TooManySteps";
  }
}

/** Name of the function that is called with the computed key of a map or list. */
export const KEY = "@key";

/** Name of the function that is called with a value that is compared with metadata, and its text in the filter. */
export const TEXTUAL = "@textual";

/** The steps that one evaluation has left. */
export type Evaluation = { left: number };

/** The running evaluation. Filters are evaluated one after another, without a wait in between. */
let current: Evaluation = { left: 0 };

/** Evaluates with this budget. */
export function during<T>(evaluation: Evaluation, evaluate: () => T): T {
  current = evaluation;
  return evaluate();
}

function spend(steps: number): void {
  current.left -= steps;
  if (current.left < 0) throw new TooManySteps();
}

type Group = Pick<CelFunc, "call">;

/** Charges the budget before each call of a function. */
export function budgeted<G extends Group>(name: string, group: G): G {
  const call: CelFunc["call"] = (id, target, args) => {
    const operands = target === undefined ? args : [target, ...args];
    spend(callCost(name, target, args));
    for (const operand of operands) spend(costOf(name, operand));
    const [left, right] = args;
    // The library would nest lists, and go through all of them again for each item.
    if (name === "_+_" && isCelList(left) && isCelList(right)) return celList([...left, ...right]);
    return group.call(id, target, args);
  };
  return Object.create(group, { call: { value: call } });
}

/** Matches in linear time. The pattern was compiled together with the filter. */
export function matchesPattern(patterns: Patterns, text: string, source: string): boolean {
  const pattern = patterns.compile(source);
  spend((pattern.size * (text.length + 1)) / CHARACTERS_OF_A_STEP);
  return pattern.test(text);
}

/** Returns the cost of a call, beyond the cost of each operand. */
function callCost(name: string, target: unknown, args: readonly unknown[]): number {
  const [first, second] = args;
  if (name === RANGE) return rangeCost(first, second);
  if (name === "contains") return 1 + searchCost(target, first);
  if (makes(name, first)) return 1 + STEPS_OF_MAKING;
  return name.startsWith("get") && typeof first === "string" ? 1 + STEPS_OF_TIME_ZONE : 1;
}

/** True if a call may make an error, a message or the text of a time. */
function makes(name: string, first: unknown): boolean {
  return CONVERSIONS.has(name) || name === TEXTUAL || (OF_TIMES.has(name) && isReflectMessage(first));
}

/** Returns the cost of a search, which may compare the whole part at each place of the text. */
function searchCost(text: unknown, part: unknown): number {
  if (typeof text !== "string" || typeof part !== "string") return 0;
  return (Math.max(0, text.length - part.length) * part.length) / SEARCHED_IN_A_STEP;
}

/** Returns the cost of a comprehension, which is charged for its whole list before it begins. */
function rangeCost(list: unknown, bodyWeight: unknown): number {
  return isCelList(list) || isCelMap(list) ? 1 + list.size * Number(bodyWeight) : 1;
}

function costOf(name: string, value: unknown): number {
  if (typeof value === "string") {
    if (CONVERSIONS.has(name) && value.length > MAX_CONVERTED) throw new TooManySteps();
    return name === "_+_" ? value.length : value.length / CHARACTERS_OF_A_STEP;
  }
  if (value instanceof Uint8Array) return value.length;
  if (name === "_+_" && isCelList(value)) return value.size / COPIES_OF_A_STEP;
  return COMPARISONS.has(name) ? sizeOf(value) / VALUES_OF_A_STEP : 0;
}

/** Counts all values within a value. Stops when the budget is used up. */
function sizeOf(value: unknown): number {
  let size = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const part = waiting.pop();
    size += typeof part === "string" ? 1 + part.length / CHARACTERS_OF_A_STEP : 1;
    if (size > current.left * VALUES_OF_A_STEP) throw new TooManySteps();
    if (isCelList(part)) for (const each of part) waiting.push(each);
    else if (isCelMap(part)) for (const each of part.values()) waiting.push(each);
  }
  return size;
}
