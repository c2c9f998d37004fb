/** The names that a JSON Pointer (RFC 6901) leads through. */
export function namesIn(pointer: string): string[] {
  return pointer.split("/").slice(1).map(nameOf);
}

/** The name that one step of a pointer stands for. */
export function nameOf(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}
