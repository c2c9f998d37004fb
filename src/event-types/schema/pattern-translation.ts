/**
 * Rewrites an ECMAScript pattern (with the flag `u`) for RE2, with the same meaning.
 *
 * The two differ in white space, in line ends, and in the syntax of code points and scripts.
 */

// Matches an escape.
const ESCAPE =
  /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u\{[\da-fA-F]+\}|\\u[\da-fA-F]{4}|\\[pP]\{[^}]*\}|\\c[a-zA-Z]|\\./su;
// Match one token: an escape, a class, the opening of a group, or a character. A class is always closed; looking for its end from
// every bracket would be slow.
const CLASS_OR_GROUP = /\[(?:\\.|[^\]\\])*\]?|\(\?(?::|<[^=!][^>]*>|.)?/su;
const TOKEN = new RegExp(`${ESCAPE.source}|${CLASS_OR_GROUP.source}|.`, "gsu");
// Matches one member of a class.
const MEMBER = new RegExp(`${ESCAPE.source}|.`, "gsu");

/** ECMAScript's white space (ECMA-262, 22.2.2.9), as members of a class. */
const SPACE = "\\t\\n\\v\\f\\r\\x{feff}\\p{Z}";
/** ECMAScript's line terminators (ECMA-262, 12.3), as members of a class. */
const LINE_END = "\\n\\r\\x{2028}\\x{2029}";
/** All characters, as members of a class. Its complement matches nothing. */
const NOTHING = "\\x{0}-\\x{10ffff}";

/** Throws a `SyntaxError` for a malformed pattern, or one without a counterpart in RE2. */
export function toRe2(source: string): string {
  // Throws for a pattern that ECMAScript refuses. The code below relies on that.
  new RegExp(source, "u");
  return source.replaceAll(TOKEN, (token) => {
    if (token.startsWith("[")) return classOf(token);
    if (token === ".") return `[^${LINE_END}]`;
    if (token.startsWith("(?")) return groupOf(token);
    if (token === "\\s") return `[${SPACE}]`;
    if (token === "\\S") return `[^${SPACE}]`;
    return escapeOf(token);
  });
}

/** Removes the names of groups, which a match does not need. */
function groupOf(opening: string): string {
  if (opening === "(?:" || opening.endsWith(">")) return "(?:";
  throw new SyntaxError("look-around and flags are not supported in patterns");
}

function classOf(token: string): string {
  if (token === "[]") return `[^${NOTHING}]`;
  if (token === "[^]") return `[${NOTHING}]`;
  const isNegated = token.startsWith("[^");
  const members = token.slice(isNegated ? 2 : 1, -1);
  const translated = members.replaceAll(MEMBER, (member) => {
    if (member === "\\S") throw new SyntaxError("\\S is not supported in a class of characters");
    if (member === "\\s") return SPACE;
    if (member === "\\b") return "\\x{8}";
    // RE2 reads `[:` as the beginning of a named class, so a bracket is escaped.
    if (member === "[") return "\\[";
    return escapeOf(member);
  });
  return `[${isNegated ? "^" : ""}${translated}]`;
}

function escapeOf(token: string): string {
  if (!token.startsWith("\\")) return token;
  const [kind, rest] = [token[1] ?? "", token.slice(2)];
  if (kind === "u") return codePoint(JSON.parse(`"${token.replace(/^\\u\{(.+)\}$/, escapedUnits)}"`));
  if (kind === "c") return `\\x{${(rest.charCodeAt(0) % 32).toString(16)}}`;
  if (kind === "0") return "\\x{0}";
  if (kind === "p" || kind === "P")
    return `\\${kind}${rest.replace(/^\{(?:Script|sc|General_Category|gc)=/, "{")}`;
  if (/[1-9kB]/.test(kind) || token === "\\b") throw new SyntaxError(`${token} is not supported in patterns`);
  return token;
}

/** Reads `\u{1F600}` as JSON writes it: a pair of units. */
function escapedUnits(_: string, digits: string): string {
  const text = String.fromCodePoint(Number.parseInt(digits, 16));
  return Array.from(
    { length: text.length },
    (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, "0")}`,
  ).join("");
}

function codePoint(character: string): string {
  return `\\x{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
