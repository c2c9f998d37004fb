/**
 * Control characters (C0, DEL and C1), as part of a pattern's class. Postgres refuses NUL; the others harm terminals
 * and logs.
 */
export const CONTROL_CHARACTERS = "\\u0000-\\u001f\\u007f-\\u009f";
const CONTROL = new RegExp(`[${CONTROL_CHARACTERS}]`);

/** Matches a text without control characters. */
export const PLAIN_PATTERN = `^[^${CONTROL_CHARACTERS}]*$`;

/** Matches a text of lines: without control characters, except for tabs and the ends of lines. */
export const LINES_PATTERN = `^(?:[^${CONTROL_CHARACTERS}]|[\\t\\r\\n])*$`;
const SPACING = /[\t\r\n]/g;

/** Returns the problem of a text that may have tabs and several lines; null if there is none. */
export function linesProblem(text: string): string | null {
  return textProblem(text.replaceAll(SPACING, " "));
}

/** Returns the problem of a text that is stored and shown, such as "must not be empty"; null if there is none. */
export function textProblem(text: string): string | null {
  if (CONTROL.test(text)) return "must not contain control characters";
  // A lone surrogate (from an escape such as "\ud800") has no UTF-8 form.
  if (!text.isWellFormed()) return "must be well-formed Unicode";
  return null;
}

/** Characters without a shape of their own, which reorder or hide what is beside them. */
const INVISIBLE = /\p{C}+/gu;

/** Removes what a name from elsewhere could use to look like another one, such as controls and marks of direction. */
export function withoutInvisible(text: string): string {
  return text.replaceAll(/\s+/gu, " ").replaceAll(INVISIBLE, "").trim();
}

/** Returns the problem of a name that must have 1 to `most` characters; null if there is none. */
export function nameProblem(name: string, most: number): string | null {
  if (name === "") return "must not be empty";
  if (name.length > most && lengthOf(name) > most) return `must have at most ${most} characters`;
  return textProblem(name);
}

/** Returns the problem of the first string in a JSON value for which `textProblem` finds one, after the string's path. */
export function problemIn(value: unknown, path: string): string | null {
  if (typeof value === "string") {
    const problem = textProblem(value);
    return problem && `${path} ${problem}`;
  }
  if (typeof value !== "object" || value === null) return null;
  for (const [name, inner] of Object.entries(value)) {
    const problem = problemIn(inner, path === "" ? name : `${path}.${name}`);
    if (problem) return problem;
  }
  return null;
}

/** Most characters of a name that an error message repeats. */
const SHOWN_LENGTH = 64;

/** Quotes a client's name in an error message: shortened, with escapes for unprintable characters. */
export function shownName(name: string, most = SHOWN_LENGTH): string {
  const cut = name.length > most ? `${name.slice(0, most)}…` : name;
  if (cut === "") return '""';
  return textProblem(cut) === null ? cut : JSON.stringify(cut).replaceAll(new RegExp(CONTROL, "g"), escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Counts characters as people do: an emoji outside the basic plane is one. */
export function lengthOf(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xdc00) length--;
  return length;
}

/** Decodes a percent-encoded text again and again, until nothing is left to decode. */
export function fullyDecoded(text: string): string {
  const decoded = percentDecoded(text) ?? text;
  return decoded === text ? text : fullyDecoded(decoded);
}

/** Decodes a percent-encoded text; returns null if it is not UTF-8. */
export function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
