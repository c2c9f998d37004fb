import { parseRounded } from "../../runtime/text/exact-json";
import { type Decimal, decimalOf } from "./decimal";

/** Matches every number that a double can't hold: one with 16 digits, or an exponent of three. Texts may match as well. */
const MAY_BE_ROUNDED = /[\d.]{16}|\d[eE][-+]?\d{3}/;

/** The numbers of a payload that a double may not hold, by the object or array that has them. */
export class ExactNumbers {
  static readonly NONE = new ExactNumbers();
  private readonly byHolder = new Map<object | undefined, Map<string, Decimal>>();

  /** Parses a payload with rounded numbers, and keeps the exact ones aside: Ajv knows no other numbers than doubles. */
  static parse(text: string): { data: unknown; numbers: ExactNumbers } {
    if (!MAY_BE_ROUNDED.test(text)) return { data: JSON.parse(text), numbers: ExactNumbers.NONE };
    const numbers = new ExactNumbers();
    const data = parseRounded(text, (holder, name, source) => numbers.add(holder, name, decimalOf(source)));
    // Nobody knows the holder of a payload that is a number itself.
    if (typeof data === "number")
      for (const own of numbers.byHolder.values()) numbers.byHolder.set(undefined, own);
    return { data, numbers };
  }

  /** Returns null for a number that a double holds. The payload itself has no holder. */
  get(holder: object | undefined, name: string | number | undefined): Decimal | null {
    return this.byHolder.get(holder)?.get(String(name ?? "")) ?? null;
  }

  private add(holder: object, name: string, number: Decimal): void {
    const known = this.byHolder.get(holder);
    if (known) known.set(name, number);
    else this.byHolder.set(holder, new Map([[name, number]]));
  }
}
