/** What ECMAScript 2026 adds to JSON, which TypeScript does not know yet. */
type ExactJson = {
  parse(
    text: string,
    revive: (name: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  /** Stands for a number that `JSON.stringify` writes as it is given here. */
  rawJSON(text: string): object;
};
const exact = JSON as unknown as ExactJson;

/** JSON whose numbers are written again as they were read: payloads have some that a double can't hold. */
export function parseExactly(text: string): unknown {
  return exact.parse(text, (_name, value, { source }) =>
    typeof value === "number" && source !== undefined && source !== String(value)
      ? exact.rawJSON(source)
      : value,
  );
}
