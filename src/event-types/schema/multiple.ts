/** Relative error of a quotient: both numbers are decimals rounded to doubles, and so is the quotient. */
const TOLERANCE = 2 * Number.EPSILON;

/** True if one number is a whole multiple of another, as the decimals that were written. Exact for whole numbers. */
export function isMultiple(value: number, divisor: number): boolean {
  if (Number.isInteger(divisor)) return value % divisor === 0;
  const quotient = value / divisor;
  return Math.abs(quotient - Math.round(quotient)) <= TOLERANCE * Math.abs(quotient);
}
