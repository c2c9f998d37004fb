/** A number as it was written. `JSON.stringify` writes it so again. */
export type WrittenNumber = Readonly<{ rawJSON: string }>;

/** The functions of ECMAScript 2026's JSON that TypeScript does not declare yet. */
type ExactJson = {
  parse(text: string, revive?: ReviveExactly): unknown;
  rawJSON(text: string): WrittenNumber;
  isRawJSON(value: unknown): value is WrittenNumber;
};
/** Returns the value for a part of a JSON text. `this` is the object or array that has it; `source` the text of a plain value. */
type ReviveExactly = (this: object, name: string, value: unknown, context: { source?: string }) => unknown;

const exact = JSON as unknown as ExactJson;

/** Matches each text with a number that JSON may write in another way: with a point or an exponent, 16 digits, or -0. */
const MAY_CHANGE = /\d[.eE]|\d{16}|-0/;

/** Parses JSON and keeps numbers as they were written, because a double can't hold every number of a payload. */
export function parseExactly(text: string): unknown {
  // Looking at each value takes eight times as long (measured).
  if (!MAY_CHANGE.test(text)) return exact.parse(text);
  return exact.parse(text, (_name, value, { source }) =>
    typeof value === "number" && source !== undefined && source !== String(value)
      ? exact.rawJSON(source)
      : value,
  );
}

/** Makes a number from its JSON text. */
export function writtenNumber(text: string): WrittenNumber {
  return exact.rawJSON(text);
}

export function isWrittenNumber(value: unknown): value is WrittenNumber {
  return exact.isRawJSON(value);
}

/** Copies a JSON value. Rounds its numbers to doubles. */
export function rounded(value: unknown): unknown {
  return exact.parse(JSON.stringify(value));
}

/** Parses JSON with rounded numbers. Calls `visit` for each number that a double may write in another way. */
export function parseRounded(
  text: string,
  visit: (holder: object, name: string, source: string) => void,
): unknown {
  return exact.parse(text, function note(name, value, { source }) {
    if (typeof value === "number" && source !== undefined && source !== String(value))
      visit(this, name, source);
    return value;
  });
}
