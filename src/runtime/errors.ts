/** True if `error` is a system or driver error with this code, e.g. "ENOENT". */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return typeof error.code === "string" && codes.includes(error.code);
}

/** Returns an error's message, or the text of whatever else was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
