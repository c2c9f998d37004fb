import { isWrittenNumber, type WrittenNumber } from "../../runtime/text/exact-json";
import { compareDecimals, type Decimal, decimalOf, isDecimalMultiple, isWhole } from "./decimal";
import { ExactNumbers } from "./exact-numbers";
import { type StepBudget, StepsExhausted } from "./pattern";

/** A number of a schema; as written if a double may not hold it. */
export type SchemaNumber = number | WrittenNumber;

/** The object or array that has a value, and the value's name there; undefined for a payload itself. */
type Holder = object | undefined;
type NameInHolder = string | number | undefined;

/** An object, or an array with its indexes as names. */
type Container = Readonly<Record<string, unknown>>;

/** A value of the payload or the schema. `exact` is a number that a double may not hold. */
type ComparedValue = Readonly<{ value: unknown; exact: Decimal | null }>;

/** Steps of a comparison of decimals, beyond their digits. It takes as long as 50 steps of a pattern. */
const STEPS_OF_DECIMALS = 50;
/** Steps of a look-up of a number. */
const STEPS_OF_LOOKUP = 10;

/**
 * Compares numbers of a payload with those of a schema, or with each other. Doubles that differ decide at once, because rounding
 * keeps the order of numbers. Equal doubles are compared as decimals if one was rounded.
 */
export class NumberChecks {
  /** The numbers of the payload that is being validated. */
  numbers = ExactNumbers.NONE;

  /** Charges comparisons of decimals to `steps`, which throw `StepsExhausted`. */
  constructor(private readonly steps: StepBudget) {}

  /** Compares a number with one of the schema that has the same double. */
  compareTied(value: number, bound: SchemaNumber, holder: Holder, name: NameInHolder): number {
    const exact = this.exactAt(holder, name);
    if (exact === null && typeof bound === "number") return 0;
    return this.compare({ value, exact }, comparedNumber(bound));
  }

  isMultiple(value: number, divisor: SchemaNumber, holder: Holder, name: NameInHolder): boolean {
    const exact = this.exactAt(holder, name);
    if (exact === null && typeof divisor === "number") return isMultiple(value, divisor);
    const [a, b] = [decimalIn({ value, exact }), decimalIn(comparedNumber(divisor))];
    this.charge(stepsOf(a, b));
    return isDecimalMultiple(a, b);
  }

  /** True for a whole number, of those that are whole as doubles. */
  isWhole(holder: Holder, name: NameInHolder): boolean {
    const exact = this.exactAt(holder, name);
    return exact === null || isWhole(exact);
  }

  /** True if a value equals one of the schema. */
  isConstant(value: unknown, constant: unknown, holder: Holder, name: NameInHolder): boolean {
    const expected = isWrittenNumber(constant) ? comparedNumber(constant) : { value: constant, exact: null };
    return this.isSame({ value, exact: this.exactAt(holder, name) }, expected);
  }

  isOneOf(value: unknown, constants: readonly unknown[], holder: Holder, name: NameInHolder): boolean {
    return constants.some((constant) => this.isConstant(value, constant, holder, name));
  }

  /** Returns two items that are the same, the later one first; null if there are none. */
  sameItems(items: readonly unknown[], isPlain: boolean): readonly [number, number] | null {
    return isPlain ? this.samePlainItems(items) : this.samePair(items);
  }

  private samePlainItems(items: readonly unknown[]): readonly [number, number] | null {
    const seen = new Map<unknown, number[]>();
    for (const [i, item] of items.entries()) {
      if (typeof item === "object" && item !== null) continue;
      const equals = seen.get(item) ?? [];
      const j = equals.find((other) => this.areSame(items, i, other));
      if (j !== undefined) return [i, j];
      seen.set(item, [...equals, i]);
    }
    return null;
  }

  private samePair(items: readonly unknown[]): readonly [number, number] | null {
    for (let i = items.length; i--; ) for (let j = i; j--; ) if (this.areSame(items, i, j)) return [i, j];
    return null;
  }

  private areSame(items: readonly unknown[], i: number, j: number): boolean {
    const item = (at: number): ComparedValue => ({ value: items[at], exact: this.exactAt(items, at) });
    return this.isSame(item(i), item(j));
  }

  // Without recursion, since data may be nested deeper than the stack allows.
  private isSame(a: ComparedValue, b: ComparedValue): boolean {
    const waiting: [ComparedValue, ComparedValue][] = [[a, b]];
    for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
      const [left, right] = [pair[0].value, pair[1].value];
      if (isContainer(left) && isContainer(right)) {
        const names = namesOfBoth(left, right);
        if (names === null) return false;
        for (const name of names) waiting.push([this.placed(left, name), this.placed(right, name)]);
      } else if (left !== right || (typeof left === "number" && this.compare(...pair) !== 0)) return false;
    }
    return true;
  }

  private placed(holder: Container, name: string): ComparedValue {
    const value = holder[name];
    if (isWrittenNumber(value)) return comparedNumber(value);
    return { value, exact: typeof value === "number" ? this.exactAt(holder, name) : null };
  }

  private compare(a: ComparedValue, b: ComparedValue): number {
    if (a.exact === null && b.exact === null) return 0;
    const [left, right] = [decimalIn(a), decimalIn(b)];
    this.charge(stepsOf(left, right));
    return compareDecimals(left, right);
  }

  private exactAt(holder: Holder, name: NameInHolder): Decimal | null {
    if (this.numbers === ExactNumbers.NONE) return null;
    this.charge(STEPS_OF_LOOKUP);
    return this.numbers.get(holder, name);
  }

  private charge(steps: number): void {
    this.steps.left -= steps;
    if (this.steps.left < 0) throw new StepsExhausted();
  }
}

function stepsOf(a: Decimal, b: Decimal): number {
  return STEPS_OF_DECIMALS + a.digits.length + b.digits.length;
}

/** Returns the names of two objects or arrays; null if they have not the same. */
function namesOfBoth(a: Container, b: Container): string[] | null {
  const names = Object.keys(a);
  const areSame =
    Array.isArray(a) === Array.isArray(b) &&
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name));
  return areSame ? names : null;
}

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null && !isWrittenNumber(value);
}

const decimals = new WeakMap<WrittenNumber, ComparedValue>();

/** Returns the double of a number, and the decimal unless the double is the number. */
function comparedNumber(number: SchemaNumber): ComparedValue {
  if (typeof number === "number") return { value: number, exact: null };
  const known = decimals.get(number);
  if (known) return known;
  const compared = { value: Number(number.rawJSON), exact: decimalOf(number.rawJSON) };
  decimals.set(number, compared);
  return compared;
}

function decimalIn({ value, exact }: ComparedValue): Decimal {
  return exact ?? decimalOf(String(value));
}

/** Relative error of a quotient of two decimals. Both numbers and the quotient are rounded to doubles. */
const TOLERANCE = 2 * Number.EPSILON;

/** True if one decimal is a whole multiple of another. Exact for whole numbers. */
export function isMultiple(value: number, divisor: number): boolean {
  if (Number.isInteger(divisor)) return value % divisor === 0;
  const quotient = value / divisor;
  return Math.abs(quotient - Math.round(quotient)) <= TOLERANCE * Math.abs(quotient);
}
