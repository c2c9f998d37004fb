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
