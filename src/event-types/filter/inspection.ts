import type { CelEnv } from "@bufbuild/cel";
import type {
  Constant,
  Expr,
  Expr_Call,
  Expr_Comprehension,
  Expr_CreateStruct,
} from "@bufbuild/cel-spec/cel/expr/syntax_pb.js";
import { messageOf } from "../../runtime/errors";
import { nearest } from "../../runtime/text/nearest";
import type { Patterns } from "../schema/patterns";
import type { Typed } from "./correction";
import { callOf, isOfMetadata, literalText, type Shown, textOf, wholeOf } from "./expression";
import { KEY, RANGE, TEXTUAL } from "./filter-budget";
import {
  ANY,
  BOOL,
  canEqual,
  either,
  type FilterType,
  fits,
  itemOf,
  keyOf,
  listOf,
  mapOf,
  mayBeNumber,
  NEVER,
  type TypeName,
  typeOf,
  VARIABLE_TYPES,
} from "./filter-type";
import { overloadsLike, resultOf } from "./overloads";
import {
  COMPARISONS,
  callProblem,
  conditionProblem,
  fieldProblem,
  formProblem,
  keyProblem,
  rangeProblem,
} from "./type-problem";

/** Most parts of a filter: names, values, operators and calls. */
export const MAX_FILTER_PARTS = 500;

/** The text is not a filter. The message follows the name of the field. */
export class FilterProblem extends Error {}

type Names = ReadonlyMap<string, FilterType>;

/** Functions that `charge` inserts. */
const INNER = new Set([RANGE, KEY, TEXTUAL]);
const EQUALITIES = new Set(["_==_", "_!=_"]);
const WALKED = typeOf("list", "map");
const WITH_FIELDS = typeOf("map", "google.protobuf.Timestamp", "google.protobuf.Duration");
const TIMES = typeOf("google.protobuf.Timestamp", "google.protobuf.Duration");
const LIST_KEYS = typeOf("int", "uint", "double");

/**
 * Checks all parts of a filter once, in linear time, and finds their types. Refuses a part that can't work, whatever the event.
 * The overloads of the environment's functions decide. `dyn(x)` is a value of any type.
 */
export class Inspection {
  /** Number of parts so far. */
  parts = 0;
  /** Changes to the expression, which wait until all of it is checked, since problems show it as it was written. */
  private readonly changes: (() => void)[] = [];

  constructor(
    private readonly env: CelEnv,
    private readonly patterns: Patterns,
    private readonly shown: Shown,
  ) {}

  /** Makes comprehensions, computed keys and comparisons with metadata call the environment's functions for them. */
  charge(): void {
    for (const change of this.changes) change();
  }

  /** Returns the type of an expression. Throws `FilterProblem`. */
  inspect(expression: Expr | undefined, names: Names = VARIABLE_TYPES): FilterType {
    if (++this.parts > MAX_FILTER_PARTS)
      throw new FilterProblem(`must have at most ${MAX_FILTER_PARTS} parts`);
    const kind = expression?.exprKind;
    if (kind?.case === undefined || expression === undefined)
      throw new FilterProblem("must be a whole CEL expression");
    switch (kind.case) {
      case "constExpr":
        return typeOf(kindOf(kind.value));
      case "identExpr":
        return names.get(kind.value.name) ?? refuseUnknown(kind.value.name);
      case "selectExpr": {
        const operand = this.typed(kind.value.operand, names);
        if (!fits(operand.type, WITH_FIELDS))
          throw new FilterProblem(fieldProblem(expression, operand, this.shown));
        return kind.value.testOnly ? BOOL : fieldOf(operand.type);
      }
      case "listExpr":
        return listOf(this.inspectAll(kind.value.elements, names).reduce(either, NEVER));
      case "structExpr":
        return this.inspectObject(kind.value, names);
      case "comprehensionExpr":
        return this.inspectComprehension(kind.value, names);
      case "callExpr":
        return this.inspectCall(expression, kind.value, names);
    }
  }

  private inspectAll(expressions: readonly (Expr | undefined)[], names: Names): FilterType[] {
    return expressions.map((each) => this.inspect(each, names));
  }

  private typed(expression: Expr | undefined, names: Names): Typed {
    const type = this.inspect(expression, names);
    if (expression === undefined) throw new FilterProblem("must be a whole CEL expression");
    return { expr: expression, type };
  }

  private inspectObject({ messageName, entries }: Expr_CreateStruct, names: Names): FilterType {
    if (messageName !== "") throw new FilterProblem(`can't make a ${messageName}`);
    let [key, item] = [NEVER, NEVER];
    for (const { keyKind, value } of entries) {
      key = either(key, this.inspect(keyKind.case === "mapKey" ? keyKind.value : undefined, names));
      item = either(item, this.inspect(value, names));
    }
    this.changes.push(() => {
      for (const { keyKind } of entries)
        if (keyKind.case === "mapKey") keyKind.value = chargedKey(keyKind.value);
    });
    return mapOf(key, item);
  }

  private inspectComprehension(value: Expr_Comprehension, names: Names): FilterType {
    const range = this.typed(value.iterRange, names);
    if (!fits(range.type, WALKED)) throw new FilterProblem(rangeProblem(range, this.shown));
    const first = this.inspect(value.accuInit, names);
    const before = this.parts;
    const inner = new Map(names).set(value.iterVar, walkedOf(range.type)).set(value.accuVar, first);
    this.inspect(value.loopCondition, inner);
    const collected = this.inspect(value.loopStep, inner);
    const result = this.inspect(value.result, inner.set(value.accuVar, collected));
    const weight = wholeOf(BigInt(this.parts - before));
    this.changes.push(() => {
      value.iterRange = callOf(RANGE, [range.expr, weight]);
    });
    return result;
  }

  private inspectCall(call: Expr, value: Expr_Call, names: Names): FilterType {
    const { function: name, args, target } = value;
    const operands = [...(target ? [target] : []), ...args].map((each) => this.typed(each, names));
    const types = operands.map(({ type }) => type);
    switch (name) {
      case "_?_:_":
        this.mustBeConditions(operands.slice(0, 1));
        return types.slice(1).reduce(either, NEVER);
      case "_&&_":
      case "_||_":
      case "!_":
      case "@not_strictly_false":
        this.mustBeConditions(operands);
        return BOOL;
      case "_[_]":
        return this.inspectIndex(call, value, operands);
    }
    const group = INNER.has(name) ? undefined : this.env.funcs.find(name);
    if (group === undefined) throw new FilterProblem(`has ${name}, which is not a function of filters`);
    if (name === "matches") this.compilePattern(args.at(-1));
    const overloads = overloadsLike(group, target !== undefined, operands.length);
    if (overloads.length === 0) {
      const isOther = overloadsLike(group, target === undefined, operands.length).length > 0;
      const swapped = isOther ? inOtherForm(value) : null;
      throw new FilterProblem(formProblem(call, swapped, this.shown));
    }
    const result = resultOf(overloads, types);
    if (result === null || isInVain(name, types)) {
      const known = EQUALITIES.has(name) ? [...(this.env.funcs.find("_<_") ?? [])] : overloads;
      throw new FilterProblem(callProblem(name, call, operands, known, this.shown));
    }
    if (name in COMPARISONS) this.compareAsTexts(value, operands);
    return result;
  }

  private mustBeConditions(operands: readonly Typed[]): void {
    const wrong = operands.find(({ type }) => !fits(type, BOOL));
    if (wrong) throw new FilterProblem(conditionProblem(wrong, this.shown));
  }

  private inspectIndex(index: Expr, value: Expr_Call, operands: readonly Typed[]): FilterType {
    const [operand, key] = operands;
    if (operand === undefined || key === undefined) throw new FilterProblem("must be a whole CEL expression");
    if (!fits(operand.type, WALKED)) throw new FilterProblem(fieldProblem(index, operand, this.shown));
    const isKey =
      (operand.type.kinds.has("list") && fits(key.type, LIST_KEYS)) ||
      (operand.type.kinds.has("map") && canEqual(key.type, keyOf(operand.type)));
    if (!isKey) throw new FilterProblem(keyProblem(index, key, this.shown));
    this.changes.push(() => {
      value.args = value.args.map((arg, i) => (i === 1 ? chargedKey(arg) : arg));
    });
    return itemOf(operand.type);
  }

  /** Makes a comparison with metadata, which has texts alone, fail for a number instead of being silently false. */
  private compareAsTexts(value: Expr_Call, operands: readonly Typed[]): void {
    if (!operands.some(({ expr }) => isOfMetadata(expr))) return;
    const compared = operands.map(({ expr, type }) =>
      mayBeNumber(type) ? callOf(TEXTUAL, [expr, textOf(this.shown(expr))]) : expr,
    );
    this.changes.push(() => {
      value.args = compared;
    });
  }

  private compilePattern(pattern: Expr | undefined): void {
    const source = pattern && literalText(pattern);
    if (source === undefined) throw new FilterProblem("must have a text literal as the pattern of matches");
    try {
      this.patterns.compile(source);
    } catch (error) {
      throw new FilterProblem(`has a pattern that is not supported: ${messageOf(error)}`);
    }
  }
}

/** Returns a method's call as a function's, and the reverse. */
function inOtherForm({ function: name, target, args }: Expr_Call): Expr {
  const [first, ...rest] = args;
  return target ? callOf(name, [target, ...args]) : callOf(name, rest, first);
}

/** True if a comparison has the same result for all events. */
function isInVain(name: string, [left = ANY, right = ANY]: readonly FilterType[]): boolean {
  if (EQUALITIES.has(name)) return !canEqual(left, right);
  if (name !== "@in") return false;
  const isItem = right.kinds.has("list") && canEqual(left, itemOf(right));
  return !isItem && !(right.kinds.has("map") && canEqual(left, keyOf(right)));
}

/** Returns the type of what a comprehension walks through: a list's items, or an object's names. */
function walkedOf(range: FilterType): FilterType {
  const items = range.kinds.has("list") ? itemOf(range) : NEVER;
  return range.kinds.has("map") ? either(items, keyOf(range)) : items;
}

/** Returns the type of a field. A time has fields of its own. */
function fieldOf(operand: FilterType): FilterType {
  return operand.kinds.has("map") && !fits(operand, TIMES) ? itemOf(operand) : ANY;
}

const CONSTANTS: Readonly<Record<string, TypeName>> = {
  nullValue: "null_type",
  boolValue: "bool",
  int64Value: "int",
  uint64Value: "uint",
  doubleValue: "double",
  stringValue: "string",
  bytesValue: "bytes",
};

function kindOf({ constantKind }: Constant): TypeName {
  const kind = CONSTANTS[constantKind.case ?? ""];
  if (kind === undefined) throw new FilterProblem("must be a whole CEL expression");
  return kind;
}

/** Makes a computed key charge the budget for its characters, which an error would repeat. */
function chargedKey(key: Expr): Expr {
  return key.exprKind.case === "constExpr" ? key : callOf(KEY, [key]);
}

function refuseUnknown(name: string): never {
  const known = [...VARIABLE_TYPES.keys()];
  const meant = nearest(name, known);
  throw new FilterProblem(
    `has ${name}, which it does not know; ${meant ? `did you mean ${meant}?` : `it knows ${known.join(", ")}`}`,
  );
}
