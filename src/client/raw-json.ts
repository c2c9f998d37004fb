const texts = new WeakMap<object, string>();

/**
 * Makes a payload from JSON text, which is sent exactly as written. So numbers beyond 2^53 and the order of keys are kept.
 * Throws a SyntaxError if it is not JSON.
 */
export function rawJson(text: string): Record<string, unknown> {
  JSON.parse(text);
  const standIn = {};
  texts.set(standIn, text.trim());
  return standIn;
}

/** Writes the JSON text of a request's body. */
export function serialize(body: unknown): string {
  const found: string[] = [];
  // Marks the places of raw texts. Random, so that no other text contains it; a page without https has no `randomUUID`.
  const mark = crypto.getRandomValues(new Uint32Array(4)).join("-");
  const json = JSON.stringify(body, (_name, value: unknown) => {
    const text = typeof value === "object" && value !== null ? texts.get(value) : undefined;
    return text === undefined ? value : `${mark}${found.push(text) - 1}`;
  });
  if (found.length === 0) return json;
  return json.replace(new RegExp(`"${mark}(\\d+)"`, "g"), (_match, i: string) => found[Number(i)] ?? "null");
}
