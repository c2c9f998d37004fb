import { wholeNumber } from "./command";

// Not null itself, which Commander takes for an option without a value.
export const NONE = "none";
export type None = typeof NONE;

/** Reads a whole number of at least `least`, or `none`. */
export function numberOrNone(least: number) {
  return (text: string): number | None => (text === NONE ? NONE : wholeNumber(least)(text));
}

export function orNull<T>(value: T | None): T | null {
  return value === NONE ? null : value;
}
