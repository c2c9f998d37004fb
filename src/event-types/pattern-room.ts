import { type CharacterTest, characterTest, isPlain } from "./character-test";

/**
 * What the patterns of one schema may take up together, in states of their automata and parts put together for them:
 * some 60 bytes and 0.1 µs each. One for UUIDs takes 180.
 */
export const MAX_PATTERN_ROOM = 20_000;
/** A class of characters, such as `[^\p{L}]`: up to 10 KB and 60 µs. */
const ROOM_OF_CLASS = 50;

/** Counts what the patterns of one schema take up. */
export class PatternRoom {
  used = 0;
  private readonly tests = new Map<string, CharacterTest>();

  /** Throws a `SyntaxError` when there is no more. */
  take(amount: number): void {
    this.used += amount;
    if (this.used > MAX_PATTERN_ROOM) throw new SyntaxError("it is too large, or all patterns together are");
  }

  /** The test of a token for one character, made once for all patterns. */
  test(token: string): CharacterTest {
    const known = this.tests.get(token);
    if (known) return known;
    this.take(isPlain(token) ? 1 : ROOM_OF_CLASS);
    const test = characterTest(token);
    this.tests.set(token, test);
    return test;
  }
}
