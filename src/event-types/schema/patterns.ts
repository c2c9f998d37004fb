import { type CompiledPattern, compilePattern, type StepBudget } from "./pattern";

/** Most instructions of all patterns of a schema together. A pattern for UUIDs has 40. */
export const MAX_PATTERNS_SIZE = 10_000;
/**
 * Extra cost of each pattern, in instructions. Ajv takes quadratic time in their number: 0.5 s for 2,400 (measured).
 */
export const SIZE_OF_EACH = 25;
/** Extra cost of each `\p{…}`, in instructions. RE2 builds its class from hundreds of ranges, in 0.2 ms (measured). */
export const SIZE_OF_PROPERTY = 40;

/** The patterns of one schema. Each is compiled once, even if it occurs several times. */
export class Patterns {
  /** The steps left for matching any of them. */
  readonly steps: StepBudget = { left: 0 };
  /** Their cost so far, in instructions. */
  size = 0;
  /** True once one did not fit. No other is compiled then. */
  isFull = false;
  private readonly known = new Map<string, CompiledPattern>();

  /** Throws a `SyntaxError`, as `compilePattern` does. */
  compile(source: string): CompiledPattern {
    const known = this.known.get(source);
    if (known) return known;
    const properties = source.match(/\\p\{/gi)?.length ?? 0;
    this.take(SIZE_OF_EACH + SIZE_OF_PROPERTY * properties);
    const pattern = compilePattern(source, this.steps);
    this.take(pattern.size);
    this.known.set(source, pattern);
    return pattern;
  }

  private take(size: number): void {
    this.isFull ||= this.size + size > MAX_PATTERNS_SIZE;
    if (this.isFull) throw new SyntaxError("all patterns together are too large");
    this.size += size;
  }
}
