/** As in a class of a pattern: C0, DEL and C1. Postgres refuses NUL, terminals and logs suffer from the others. */
export const CONTROL_CHARACTERS = "\\u0000-\\u001f\\u007f-\\u009f";
const CONTROL = new RegExp(`[${CONTROL_CHARACTERS}]`);

/** The pattern of a text without control characters. */
export const PLAIN_PATTERN = `^[^${CONTROL_CHARACTERS}]*$`;

/** What is wrong with a text that is to be kept and shown, to go after the name of its property; null is nothing. */
export function flawOf(text: string): string | null {
  if (CONTROL.test(text)) return "must not contain control characters";
  // A lone surrogate (from an escape such as "\ud800") has no UTF-8 form.
  if (!text.isWellFormed()) return "must be well-formed Unicode";
  return null;
}

/** Says what is wrong with a name of 1 to `most` characters, to follow its property's name; null if nothing is. */
export function nameFlaw(name: string, most: number): string | null {
  if (name === "") return "must not be empty";
  if (name.length > most && lengthOf(name) > most) return `must have at most ${most} characters`;
  return flawOf(name);
}

/** The same as `flawOf` for every string in a JSON value, named by its path. */
export function flawIn(value: unknown, path: string): string | null {
  if (typeof value === "string") {
    const flaw = flawOf(value);
    return flaw && `${path} ${flaw}`;
  }
  if (typeof value !== "object" || value === null) return null;
  for (const [name, inner] of Object.entries(value)) {
    const flaw = flawIn(inner, path === "" ? name : `${path}.${name}`);
    if (flaw) return flaw;
  }
  return null;
}

/** Longest name that an error message repeats, characters. */
const SHOWN_LENGTH = 64;

/** A name that a client made up, for an error message: cut short, and with escapes for what does not print. */
export function shownName(name: string): string {
  const cut = name.length > SHOWN_LENGTH ? `${name.slice(0, SHOWN_LENGTH)}…` : name;
  if (cut === "") return '""';
  return flawOf(cut) === null ? cut : JSON.stringify(cut).replaceAll(new RegExp(CONTROL, "g"), escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Characters as people count them: an emoji outside the basic plane is one. */
export function lengthOf(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xdc00) length--;
  return length;
}
