import { type CharacterTest, characterTest, isPlain } from "./character-test";

/**
 * What the patterns of one schema may take up together, in states of their automata and parts put together for them:
 * some 60 bytes and 0.1 µs each. One for UUIDs takes 190.
 */
export const MAX_PATTERN_ROOM = 20_000;
/** A pattern, however short: Ajv takes time by the square of how many there are (measured: half a second for 2,400). */
const ROOM_OF_PATTERN = 50;
/** A class of characters, such as `[a-z]`, beside one for each character it is written with: up to 10 KB and 60 µs. */
const ROOM_OF_CLASS = 50;
/** Each `\p{…}` of a class more: it is put together of hundreds of ranges, twice (measured: 10 to 20 µs). */
const ROOM_OF_PROPERTY = 100;

/** Counts what the patterns of one schema take up. */
export class PatternRoom {
  used = 0;
  private readonly tests = new Map<string, CharacterTest>();

  /** Throws a `SyntaxError` when there is no more. */
  take(amount: number): void {
    this.used += amount;
    if (this.used > MAX_PATTERN_ROOM) throw new SyntaxError("it is too large, or all patterns together are");
  }

  /** Takes what a pattern takes however short it is. */
  takePattern(): void {
    this.take(ROOM_OF_PATTERN);
  }

  /** The test of a token for one character, made once for all patterns. */
  test(token: string): CharacterTest {
    const known = this.tests.get(token);
    if (known) return known;
    this.take(isPlain(token) ? 1 : roomOfClass(token));
    const test = characterTest(token);
    this.tests.set(token, test);
    return test;
  }
}

function roomOfClass(token: string): number {
  const properties = token.match(/\\p\{/gi)?.length ?? 0;
  return ROOM_OF_CLASS + token.length + ROOM_OF_PROPERTY * properties;
}
