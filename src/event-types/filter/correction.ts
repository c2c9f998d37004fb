import type { CelFunc } from "@bufbuild/cel";
import type { Expr } from "@bufbuild/cel-spec/cel/expr/syntax_pb.js";
import { callOf, isLiteral, literalText, type Shown, textOf, wholeOf } from "./expression";
import { BOOL, type FilterType, fits, isNumber, type TypeName } from "./filter-type";
import { operandsOf } from "./overloads";

/** A part of a filter, and the values that it may have. */
export type Typed = Readonly<{ expr: Expr; type: FilterType }>;
/** An operand as it should be. The correction with the lowest cost is the nearest. */
type Correction = Readonly<{ expr: Expr; cost: number }>;

/** Matches a whole number that fits an `int`. */
const WHOLE = /^-?\d{1,18}$/;
const CONVERSIONS: readonly (readonly [TypeName, string])[] = [
  ["google.protobuf.Timestamp", "timestamp"],
  ["google.protobuf.Duration", "duration"],
  ["double", "double"],
];

/** Returns a call with the fewest changes that make its operands fit one of the overloads; null if there is none. */
export function corrected(
  call: Expr,
  operands: readonly Typed[],
  overloads: readonly CelFunc[],
  shown: Shown,
): Expr | null {
  const candidates = overloads.flatMap((func) => {
    const wanted = operandsOf(func);
    const found = operands.flatMap((operand, i) => correctedOperand(operand, wanted[i], shown) ?? []);
    if (found.length < operands.length) return [];
    return [{ cost: found.reduce((sum, { cost }) => sum + cost, 0), found }];
  });
  const [best] = candidates.sort((a, b) => a.cost - b.cost);
  return best && best.cost > 0 ? withOperands(call, best.found) : null;
}

function withOperands({ exprKind }: Expr, operands: readonly Correction[]): Expr | null {
  if (exprKind.case !== "callExpr") return null;
  const [first, ...rest] = operands.map(({ expr }) => expr);
  const { function: name, target } = exprKind.value;
  return target ? callOf(name, rest, first) : callOf(name, first ? [first, ...rest] : []);
}

function correctedOperand(
  { expr, type }: Typed,
  wanted: FilterType | undefined,
  shown: Shown,
): Correction | null {
  if (wanted === undefined) return null;
  if (fits(type, wanted)) return { expr, cost: 0 };
  if (wanted.kinds.has("string") && (isNumber(type) || fits(type, BOOL)))
    return isLiteral(expr)
      ? { expr: textOf(shown(expr)), cost: 1 }
      : { expr: callOf("string", [expr]), cost: 3 };
  return type.kinds.has("string") ? converted(expr, wanted) : null;
}

/** Converts a text to a number or a time. */
function converted(expr: Expr, { kinds }: FilterType): Correction | null {
  const literal = literalText(expr);
  const isWhole = literal !== undefined && WHOLE.test(literal);
  if (isWhole && kinds.has("int")) return { expr: wholeOf(BigInt(literal)), cost: 2 };
  const [, conversion] = CONVERSIONS.find(([kind]) => kinds.has(kind)) ?? [];
  return conversion ? { expr: callOf(conversion, [expr]), cost: 4 } : null;
}
