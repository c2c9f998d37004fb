import { type CompiledPattern, compilePattern, type StepBudget } from "./pattern";

/** Instructions of all patterns of a schema together. One for UUIDs has 40. */
export const MAX_PATTERNS_SIZE = 10_000;
/** What each pattern counts for beside its instructions: Ajv takes time by the square of how many there are (measured: half a second for 2,400). */
const SIZE_OF_EACH = 25;
/** What each `\p{…}` counts for: RE2 puts its class together of hundreds of ranges (measured: 0.2 ms). */
const SIZE_OF_PROPERTY = 40;

/** The patterns of one schema, each compiled once however often it is used. */
export class Patterns {
  /** Steps that matching any of them may still take. */
  readonly steps: StepBudget = { left: 0 };
  /** What they count for, in instructions. */
  size = 0;
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
    this.size += size;
    if (this.size > MAX_PATTERNS_SIZE) throw new SyntaxError("all patterns together are too large");
  }
}
