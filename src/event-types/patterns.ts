import { type CompiledPattern, compilePattern, type StepBudget } from "./pattern";
import { PatternRoom } from "./pattern-room";

/** The patterns of one schema, each compiled once however often it is used. */
export class Patterns {
  /** Steps that matching any of them may still take. */
  readonly steps: StepBudget = { left: 0 };
  private readonly known = new Map<string, CompiledPattern>();
  private readonly room = new PatternRoom();

  /** What they take up, in states. */
  get size(): number {
    return this.room.used;
  }

  /** Throws a `SyntaxError`, as `compilePattern` does. */
  compile(source: string): CompiledPattern {
    const known = this.known.get(source);
    if (known) return known;
    this.room.takePattern();
    const pattern = compilePattern(source, this.steps, this.room);
    this.known.set(source, pattern);
    return pattern;
  }
}
