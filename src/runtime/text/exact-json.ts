/** The functions of ECMAScript 2026's JSON that TypeScript does not declare yet. */
type ExactJson = {
  parse(
    text: string,
    revive: (name: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  /** Makes a number that `JSON.stringify` writes exactly as given. */
  rawJSON(text: string): object;
};
const exact = JSON as unknown as ExactJson;

/** Parses JSON and keeps numbers as they were written, because a double can't hold every number of a payload. */
export function parseExactly(text: string): unknown {
  return exact.parse(text, (_name, value, { source }) =>
    typeof value === "number" && source !== undefined && source !== String(value)
      ? exact.rawJSON(source)
      : value,
  );
}
