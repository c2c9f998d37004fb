import type { CelFunc } from "@bufbuild/cel";
import { ANY, either, type FilterType, fits, fromCel, listOf, NEVER } from "./filter-type";

/** Returns the types of a function's operands: the value whose method it is, if any, and the arguments. */
export function operandsOf({ target, arguments: args }: CelFunc): FilterType[] {
  return [...(target ? [target] : []), ...args].map(fromCel);
}

/** Returns the overloads that are called in the same way: as a function or a method, with the same number of operands. */
export function overloadsLike(group: Iterable<CelFunc>, isMethod: boolean, count: number): CelFunc[] {
  return [...group].filter(
    (func) => (func.target !== undefined) === isMethod && operandsOf(func).length === count,
  );
}

/** Returns the type of a call; null if no overload takes such operands. */
export function resultOf(overloads: readonly CelFunc[], operands: readonly FilterType[]): FilterType | null {
  const fitting = overloads.filter((func) =>
    operandsOf(func).every((wanted, i) => fits(operands[i] ?? ANY, wanted)),
  );
  if (fitting.length === 0) return null;
  return fitting.map((func) => resultType(func, operands)).reduce(either, NEVER);
}

function resultType({ result }: CelFunc, operands: readonly FilterType[]): FilterType {
  if (result.kind !== "list") return fromCel(result);
  return listOf(operands.map(({ item }) => item ?? ANY).reduce(either, NEVER));
}
