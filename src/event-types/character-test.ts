export type CharacterTest = {
  accepts(codePoint: number): boolean;
  /** What the test of a character beyond ASCII takes, in steps through a pattern; of any other it is one. */
  readonly steps: number;
};

/** Characters whose tests are kept. */
export const ASCII = 128;

/** A token that stands for itself alone. */
const PLAIN = /^[^\\[.]$/u;

/** Of a class, beside one for so many of its characters (measured: 10 steps for one of a thousand). */
const CLASS_STEPS = 3;
const CHARACTERS_PER_STEP = 128;

const UNTRIED = 0;
const ACCEPTED = 1;
const REFUSED = 2;

export function isPlain(token: string): boolean {
  return PLAIN.test(token);
}

/** Tells which characters a token for one character stands for: a pattern's character, escape or class. */
export function characterTest(token: string): CharacterTest {
  const own = token.codePointAt(0);
  if (isPlain(token)) return { accepts: (codePoint) => codePoint === own, steps: 1 };
  const steps = CLASS_STEPS + Math.floor(token.length / CHARACTERS_PER_STEP);
  return { accepts: classTest(new RegExp(`^${token}$`, "u")), steps };
}

// What it may be is left to the runtime's own engine, and kept where it is asked most.
function classTest(single: RegExp): CharacterTest["accepts"] {
  // The engine compiles a class at its first test, once for texts of ASCII and once for others: milliseconds for one with
  // hundreds of `\p{…}`, which are not to fall to the first payload.
  single.test("a");
  single.test("\u4e00");
  const ascii = new Uint8Array(ASCII);
  return (codePoint) => {
    if (codePoint >= ASCII) return single.test(String.fromCodePoint(codePoint));
    if (ascii[codePoint] === UNTRIED) {
      ascii[codePoint] = single.test(String.fromCharCode(codePoint)) ? ACCEPTED : REFUSED;
    }
    return ascii[codePoint] === ACCEPTED;
  };
}
