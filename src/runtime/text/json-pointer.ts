/** Splits a JSON Pointer (RFC 6901) into the names on its path. */
export function namesIn(pointer: string): string[] {
  return pointer.split("/").slice(1).map(nameOf);
}

/** Decodes the name in one step of a pointer. */
export function nameOf(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}
