/**
 * Matches one token that matters: a comment, a whole text, a bracket, `?`, a comma, or the quote of a text without an end. A text's
 * backslash escapes the next character, except after `r`.
 */
const TOKEN =
  /\/\/[^\r\n]*|[rR](?:'''.*?'''|""".*?"""|'[^']*'|"[^"]*")|'''(?:\\.|[^\\])*?'''|"""(?:\\.|[^\\])*?"""|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[()[\]{}?,'"]/gs;

const OPENING = new Set(["(", "[", "{"]);
const CLOSING = new Set([")", "]", "}"]);

/**
 * Returns the greatest depth of brackets and conditions (`a ? b : c ? d : e` is two deep) in a CEL expression, in linear time.
 * The parser of the library takes quadratic time in the depth: 5 s for 1,000 open brackets.
 */
export function depthOf(text: string): number {
  const outer: number[] = [];
  let depth = 0;
  let deepest = 0;
  for (const [token] of text.matchAll(TOKEN)) {
    // The parser stops here as well.
    if (token === "'" || token === '"') break;
    if (CLOSING.has(token)) depth = outer.pop() ?? 0;
    if (token === ",") depth = outer.length === 0 ? 0 : (outer.at(-1) ?? 0) + 1;
    if (OPENING.has(token)) outer.push(depth);
    if (OPENING.has(token) || token === "?") depth++;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
