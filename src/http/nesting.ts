/** Deepest nesting that data may have; what walks over it later may then recurse. */
export const MAX_DEPTH = 128;
/** That of a long body: data is up to three below it, in a batch, in one of its items. */
export const MAX_BODY_DEPTH = MAX_DEPTH + 3;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Whether arrays and objects are nested deeper than `limit` in a JSON text, which need not be valid. A
 * megabyte of brackets keeps JSON.parse, and so the process, busy for up to 0.3 s (measured); counting stops early.
 */
export function isNestedDeeper(json: string, limit: number): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(json, at);
    // [ and ] differ from { and } in one bit.
    else if ((code | 0x20) === 0x7b && ++depth > limit) return true;
    else if ((code | 0x20) === 0x7d) depth--;
  }
  return false;
}

/** Where the string that begins at `start` ends; the text's end when it does not. */
function closingQuote(json: string, start: number): number {
  let quote = json.indexOf('"', start + 1);
  while (quote !== -1 && isEscaped(json, quote)) quote = json.indexOf('"', quote + 1);
  return quote === -1 ? json.length : quote;
}

/** An odd number of backslashes before it means that a quote belongs to the string. */
export function isEscaped(json: string, quote: number): boolean {
  let at = quote - 1;
  while (json.charCodeAt(at) === BACKSLASH) at--;
  return ((quote - at) & 1) === 0;
}
