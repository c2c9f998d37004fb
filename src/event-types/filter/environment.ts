import {
  type CelEnv,
  type CelFunc,
  CelScalar,
  type CelValue,
  celEnv,
  celFunc,
  celMethod,
  isCelUint,
} from "@bufbuild/cel";
import type { Patterns } from "../schema/patterns";
import { budgeted, KEY, matchesPattern, RANGE, TEXTUAL } from "./filter-budget";

const { STRING, BOOL, DYN, INT, DOUBLE } = CelScalar;
const ARITHMETIC: Readonly<Record<string, (left: number, right: number) => number>> = {
  "_+_": (left, right) => left + right,
  "_-_": (left, right) => left - right,
  "_*_": (left, right) => left * right,
  "_/_": (left, right) => left / right,
};

/** JSON's numbers are doubles, and whole numbers are written as `int`: arithmetic takes both, and `%` takes doubles. */
const MIXED_NUMBERS: readonly CelFunc[] = [
  ...Object.entries(ARITHMETIC).flatMap(([name, calculate]) => [
    celFunc(name, [DOUBLE, INT], DOUBLE, (left, right) => calculate(left, Number(right))),
    celFunc(name, [INT, DOUBLE], DOUBLE, (left, right) => calculate(Number(left), right)),
  ]),
  celFunc("_%_", [DOUBLE, DOUBLE], DOUBLE, remainder),
  celFunc("_%_", [DOUBLE, INT], DOUBLE, (left, right) => remainder(left, Number(right))),
  celFunc("_%_", [INT, DOUBLE], DOUBLE, (left, right) => remainder(Number(left), right)),
];

/** Returns the functions of CEL, which charge the budget of the running evaluation. */
export function environment(patterns: Patterns): CelEnv {
  const matches = (text: string, source: string) => matchesPattern(patterns, text, source);
  const env = celEnv({
    funcs: [
      celFunc(RANGE, [DYN, INT], DYN, (list) => list),
      celFunc(KEY, [DYN], DYN, (key) => key),
      celFunc(TEXTUAL, [DYN, STRING], DYN, textual),
      ...MIXED_NUMBERS,
      celMethod("matches", STRING, [STRING], BOOL, function (source) {
        return matches(this, source);
      }),
      celFunc("matches", [STRING, STRING], BOOL, matches),
      celMethod("lowerAscii", STRING, [], STRING, function () {
        return this.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
      }),
    ],
  });
  const find: CelEnv["funcs"]["find"] = (name) => {
    const group = env.funcs.find(name);
    return group && budgeted(name, group);
  };
  return Object.create(env, { funcs: { value: Object.create(env.funcs, { find: { value: find } }) } });
}

function remainder(left: number, right: number): number {
  if (right === 0) throw new Error("modulus by zero");
  return left % right;
}

/** Returns the value. Throws if it is not a text but has one, since a comparison with a text would always be false. */
function textual(value: CelValue, shown: string): CelValue {
  const kind = isCelUint(value) ? "bigint" : typeof value;
  if (kind !== "number" && kind !== "bigint" && kind !== "boolean") return value;
  const name = kind === "boolean" ? "true or false" : "a number";
  throw new Error(`${shown} is ${name}, and metadata has texts alone; write string(${shown})`);
}
