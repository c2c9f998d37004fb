/**
 * Regular expressions of other people, matched without backtracking: the time grows with the text's length
 * times the pattern's size, never faster, and every step is taken from a budget. The syntax is ECMAScript's
 * without look-around, back-references, flags in groups and word boundaries.
 */
import { ASCII, type CharacterTest } from "./character-test";
import { PatternRoom } from "./pattern-room";
import { type Node, parsePattern } from "./pattern-syntax";

/** States of a pattern's automaton; a repetition counts as often as it may repeat. */
export const MAX_STATES = 1_000;

/** Steps that matching may still take. */
export type StepBudget = { left: number };

/** Matching took all the steps it had. */
export class StepsExhausted extends Error {
  constructor() {
    super("matching takes too long");
    this.name = "StepsExhausted";
  }
}

/** What a state does: pass on, branch, look at one character, or ask for an end of the text. */
type State =
  | { kind: "character"; test: CharacterTest; next: number }
  | { kind: "branch"; next: number; other: number }
  | { kind: "start" | "end"; next: number }
  | { kind: "match" };

export type CompiledPattern = {
  /** Whether the pattern is found in the text. Throws `StepsExhausted`. */
  test(text: string): boolean;
  /** The pattern itself, by which Ajv tells patterns apart. */
  toString(): string;
};

/** Throws a `SyntaxError` that says what is wrong with the pattern or not possible here. */
export function compilePattern(
  source: string,
  budget: StepBudget,
  room: PatternRoom = new PatternRoom(),
): CompiledPattern {
  const builder = new Builder(room);
  const start = builder.add(
    parsePattern(source, (token) => room.test(token)),
    builder.match,
  );
  const matcher = new Matcher(builder.states, start, budget);
  return { test: (text) => matcher.test(text), toString: () => source };
}

/** Builds the automaton from its end: each part is given the state that follows it. */
class Builder {
  readonly states: State[] = [{ kind: "match" }];
  readonly match = 0;

  constructor(private readonly room: PatternRoom) {}

  add(node: Node, next: number): number {
    // An empty part takes time, though it is no state.
    this.room.take(1);
    switch (node.kind) {
      case "character":
        return this.push({ kind: "character", test: node.test, next });
      case "start":
      case "end":
        return this.push({ kind: node.kind, next });
      case "sequence":
        return node.parts.reduceRight((after, part) => this.add(part, after), next);
      case "choice":
        return node.options
          .map((option) => this.add(option, next))
          .reduce((other, first) => this.push({ kind: "branch", next: first, other }));
      case "repeat":
        return this.addRepeat(node, next);
    }
  }

  private addRepeat({ node, min, max }: Extract<Node, { kind: "repeat" }>, next: number): number {
    let entry = next;
    if (max === Number.POSITIVE_INFINITY) {
      const loop = this.push({ kind: "branch", next, other: next });
      this.states[loop] = { kind: "branch", next: this.add(node, loop), other: next };
      entry = loop;
    } else {
      for (let i = min; i < max; i++) {
        entry = this.push({ kind: "branch", next: this.add(node, entry), other: next });
      }
    }
    for (let i = 0; i < min; i++) entry = this.add(node, entry);
    return entry;
  }

  private push(state: State): number {
    this.room.take(1);
    if (this.states.length >= MAX_STATES) throw new SyntaxError("the pattern is too large");
    return this.states.push(state) - 1;
  }
}

/** Follows all ways through the automaton at once. */
class Matcher {
  private current: number[] = [];
  private upcoming: number[] = [];
  /** For each state, the position it was last entered at: each is entered once a position. */
  private readonly enteredAt: Int32Array;
  private readonly stack: number[] = [];

  constructor(
    private readonly states: readonly State[],
    private readonly start: number,
    private readonly budget: StepBudget,
  ) {
    this.enteredAt = new Int32Array(states.length);
  }

  test(text: string): boolean {
    this.enteredAt.fill(-1);
    this.current.length = 0;
    for (let at = 0; ; ) {
      if (this.enter(this.current, this.start, at, text.length)) return true;
      const codePoint = text.codePointAt(at);
      if (codePoint === undefined) return false;
      const after = at + (codePoint > 0xffff ? 2 : 1);
      if (this.step(codePoint, after, text.length)) return true;
      at = after;
    }
  }

  /** Reads one character; true when the pattern is found. */
  private step(codePoint: number, after: number, length: number): boolean {
    this.upcoming.length = 0;
    for (const index of this.current) {
      const state = this.states[index];
      if (state?.kind !== "character") continue;
      this.spend(codePoint < ASCII ? 1 : state.test.steps);
      if (!state.test.accepts(codePoint)) continue;
      if (this.enter(this.upcoming, state.next, after, length)) return true;
    }
    [this.current, this.upcoming] = [this.upcoming, this.current];
    return false;
  }

  /** Notes the states that wait for a character and can be reached without one; true for the last one. */
  private enter(waiting: number[], from: number, at: number, length: number): boolean {
    this.stack.push(from);
    for (let index = this.stack.pop(); index !== undefined; index = this.stack.pop()) {
      if (this.enteredAt[index] === at) continue;
      this.enteredAt[index] = at;
      this.spend();
      const state = this.states[index];
      if (state === undefined) continue;
      if (state.kind === "match") {
        this.stack.length = 0;
        return true;
      }
      if (state.kind === "character") waiting.push(index);
      else if (state.kind === "branch") this.stack.push(state.other, state.next);
      else if (at === (state.kind === "start" ? 0 : length)) this.stack.push(state.next);
    }
    return false;
  }

  private spend(steps = 1): void {
    this.budget.left -= steps;
    if (this.budget.left < 0) {
      this.stack.length = 0;
      throw new StepsExhausted();
    }
  }
}
