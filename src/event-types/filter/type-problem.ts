import type { CelFunc } from "@bufbuild/cel";
import type { Expr } from "@bufbuild/cel-spec/cel/expr/syntax_pb.js";
import { corrected, type Typed } from "./correction";
import { callOf, isOfMetadata, type Shown, textOf, wholeOf } from "./expression";
import { describe, isNumber, typeOf } from "./filter-type";
import { operandsOf } from "./overloads";

/** Comparisons, and the sense of one whose sides never fit. */
export const COMPARISONS: Readonly<Record<string, string>> = {
  "_==_": "which is never true",
  "_!=_": "which is always true",
  "_<_": "which have no order",
  "_<=_": "which have no order",
  "_>_": "which have no order",
  "_>=_": "which have no order",
};
/** Most kinds of operands that a message names. */
const MOST_OVERLOADS = 4;

/** Says why a call can't take its operands, and what to write. */
export function callProblem(
  name: string,
  call: Expr,
  operands: readonly Typed[],
  overloads: readonly CelFunc[],
  shown: Shown,
): string {
  const better = withoutNull(name, operands, shown) ?? correction(call, operands, overloads, shown);
  const advice = better === null ? "" : `; write ${better}`;
  const [left, right] = operands.map((each) => named(each, shown));
  const sense = COMPARISONS[name];
  if (sense !== undefined) return `compares ${left} with ${right}, ${sense}${advice}`;
  if (name === "@in") return `looks for ${left} in ${right}, which never has it${advice}`;
  const given = operands.map(({ type }) => describe(type)).join(" and ");
  const known = [...new Set(overloads.map((func) => operandsOf(func).map(describe).join(" and ")))];
  const taken = known.slice(0, MOST_OVERLOADS).join("; or ");
  const problem = `uses ${shown(call)}, which does not take ${given}`;
  return better === null && taken !== "" ? `${problem}; it takes ${taken}` : `${problem}${advice}`;
}

/** Says that a function is not called like this: with other operands, or as a method. `swapped` is the other form, if there is one. */
export function formProblem(call: Expr, swapped: Expr | null, shown: Shown): string {
  const problem = `uses ${shown(call)}, a form that the function does not have`;
  return swapped ? `${problem}; write ${shown(swapped)}` : problem;
}

/** Says that a part must be true or false. */
export function conditionProblem(part: Typed, shown: Shown): string {
  const { type, expr } = part;
  const isPlain = isNumber(type) || type.kinds.has("string");
  const compared = callOf("_!=_", [expr, isNumber(type) ? wholeOf(0n) : textOf("")]);
  return `has ${named(part, shown)} where a condition belongs${isPlain ? `; write ${shown(compared)}` : ""}`;
}

/** Says that a value has no fields. */
export function fieldProblem(select: Expr, operand: Typed, shown: Shown): string {
  const { exprKind } = operand.expr;
  if (exprKind.case === "identExpr" && exprKind.value.name === "event")
    return `uses ${shown(select)}, but event is the type itself, a text; write event in its place, as in event == "order.paid"`;
  return `uses ${shown(select)}, but ${shown(operand.expr)} is ${describe(operand.type)}, which has no fields`;
}

/** Says that a list or object never has such a key. */
export function keyProblem(index: Expr, key: Typed, shown: Shown): string {
  return `uses ${shown(index)}, but no key there is ${describe(key.type)}`;
}

/** Says that a value can't be walked through. */
export function rangeProblem(range: Typed, shown: Shown): string {
  return `walks through ${named(range, shown)}, which is not a list or an object`;
}

function named({ expr, type }: Typed, shown: Shown): string {
  const [text, kind] = [shown(expr), describe(type)];
  return text === kind ? text : `${text} (${kind})`;
}

function correction(
  call: Expr,
  operands: readonly Typed[],
  overloads: readonly CelFunc[],
  shown: Shown,
): string | null {
  const better = corrected(call, operands, overloads, shown);
  return better && shown(better);
}

/** A value of the metadata is never null, but may be missing. */
function withoutNull(name: string, operands: readonly Typed[], shown: Shown): string | null {
  const absent = operands.find(({ expr }) => isOfMetadata(expr) && expr.exprKind.case === "selectExpr");
  const isNull = operands.some(({ type }) => describe(type) === describe(typeOf("null_type")));
  if (!absent || !isNull || (name !== "_==_" && name !== "_!=_")) return null;
  return `${name === "_==_" ? "!" : ""}has(${shown(absent.expr)})`;
}
