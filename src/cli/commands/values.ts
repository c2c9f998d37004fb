import { InvalidArgumentError } from "@commander-js/extra-typings";
import type { Delivery } from "../../client";

const MANY = 999_999_999_999;

/** Reads an option that must be a whole number. */
export function wholeNumber(least: number, most = MANY) {
  return (text: string): number => {
    const number = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    const range = most === MANY ? `, ${least} or more` : ` from ${least} to ${most}`;
    throw new InvalidArgumentError(`It must be a whole number${range}.`);
  };
}

/** Refuses an empty option, which usually comes from an unset variable. */
export function filled(text: string): string {
  if (text !== "") return text;
  throw new InvalidArgumentError("It must not be empty.");
}

/** Reads an option that must be one of these words. A record of words, so that the compiler finds a missing one. */
export function oneOf<Word extends string>(words: Readonly<Record<Word, true>>) {
  const known = Object.keys(words);
  const read = (text: string): Word => {
    if (isOneOf(words, text)) return text;
    throw new InvalidArgumentError(`It must be one of ${known.join(", ")}.`);
  };
  return Object.assign(read, { words: known });
}

/** Returns the words among which a reader of options takes one; none if it takes others. */
export function wordsOf(read: unknown): readonly string[] {
  return typeof read === "function" && "words" in read && Array.isArray(read.words) ? read.words : [];
}

function isOneOf<Word extends string>(words: Readonly<Record<Word, true>>, text: string): text is Word {
  return Object.hasOwn(words, text);
}

/** Splits a name from its value, as in `name=value`. */
export function named(text: string, separator: ":" | "="): readonly [name: string, value: string] {
  const at = text.indexOf(separator);
  if (at < 1) throw new InvalidArgumentError(`It must be \`name${separator === ":" ? ": " : "="}value\`.`);
  return [text.slice(0, at), text.slice(at + 1)];
}

// Not null: Commander reads null as an option without a value.
export const NONE = "none";
export type None = typeof NONE;

/** Reads a decimal number, or `none`. The service checks its limits. */
export function numberOrNone(text: string): number | None {
  if (text === NONE) return NONE;
  if (/^\d{1,12}(\.\d{1,12})?$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a number, such as 0.5.");
}

/** Reads a whole number of at least `least`, or `none`. */
export function wholeNumberOrNone(least: number) {
  return (text: string): number | None => (text === NONE ? NONE : wholeNumber(least)(text));
}

export function orNull<T>(value: T | None): T | null {
  return value === NONE ? null : value;
}

/** Reads the status of deliveries. */
export const readStatus = oneOf<Delivery["status"]>({
  pending: true,
  delivered: true,
  failed: true,
  cancelled: true,
});
