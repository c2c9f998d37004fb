export type CharacterTest = (codePoint: number) => boolean;

/** A token that stands for itself alone. */
const PLAIN = /^[^\\[.]$/u;

const UNTRIED = 0;
const ACCEPTED = 1;
const REFUSED = 2;

export function isPlain(token: string): boolean {
  return PLAIN.test(token);
}

/** Tells which characters a token for one character stands for: a pattern's character, escape or class. */
export function characterTest(token: string): CharacterTest {
  const own = token.codePointAt(0);
  return isPlain(token) ? (codePoint) => codePoint === own : classTest(new RegExp(`^${token}$`, "u"));
}

// What it may be is left to the runtime's own engine, and kept where it is asked most.
function classTest(single: RegExp): CharacterTest {
  const ascii = new Uint8Array(128);
  return (codePoint) => {
    if (codePoint >= ascii.length) return single.test(String.fromCodePoint(codePoint));
    if (ascii[codePoint] === UNTRIED) {
      ascii[codePoint] = single.test(String.fromCharCode(codePoint)) ? ACCEPTED : REFUSED;
    }
    return ascii[codePoint] === ACCEPTED;
  };
}
