import { isWrittenNumber } from "../runtime/text/exact-json";

type JsonLimits = Readonly<{
  /** Most bytes of the value as JSON text. Counts a character as one, and a number too, so it never refuses too early. */
  bytes: number;
  /** Greatest depth of nested arrays and objects. */
  depth: number;
}>;

/** A value is larger or deeper than its limits. The message follows the value's name. */
export class TooMuchJson extends Error {}

const UNLIMITED: JsonLimits = { bytes: Number.POSITIVE_INFINITY, depth: Number.POSITIVE_INFINITY };

/** Copies JSON values within limits. Refuses a value as soon as it is too large, and never walks the rest. */
export class JsonBudget {
  private left: number;

  /** Charges every copy to `whole` too, the budget of many values together. */
  constructor(
    private readonly limits: JsonLimits = UNLIMITED,
    private readonly whole: Readonly<{ take(bytes: number): void }> | null = null,
  ) {
    this.left = limits.bytes;
  }

  /** Copies a value, with `rewrite` applied to its references. Throws `TooMuchJson`. */
  copy(value: unknown, rewrite: (reference: string) => string = unchanged, depth = 0): unknown {
    this.take(typeof value === "string" ? value.length + 2 : 1);
    if (typeof value !== "object" || value === null) return value;
    if (isWrittenNumber(value)) {
      this.take(value.rawJSON.length);
      return value;
    }
    if (depth > this.limits.depth)
      throw new TooMuchJson(`is nested deeper than ${this.limits.depth} JSON values`);
    if (Array.isArray(value)) {
      this.take(value.length);
      // Each item takes a byte or more.
      if (value.length > this.left) this.take(value.length);
      return value.map((part) => this.copy(part, rewrite, depth + 1));
    }
    const parts = Object.entries(value);
    this.take(parts.reduce((sum, [name]) => sum + name.length + 4, 0));
    // Fills the pairs in place, which makes half the garbage.
    for (const pair of parts) {
      const copy = this.copy(pair[1], rewrite, depth + 1);
      pair[1] = pair[0] === "$ref" && typeof copy === "string" ? rewrite(copy) : copy;
    }
    return Object.fromEntries(parts);
  }

  private take(bytes: number): void {
    this.whole?.take(bytes);
    this.left -= bytes;
    if (this.left < 0) throw new TooMuchJson(`must have at most ${this.limits.bytes} bytes`);
  }
}

function unchanged(reference: string): string {
  return reference;
}
