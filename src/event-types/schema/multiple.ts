/** What a quotient of two numbers may be off, against its size: either is a decimal rounded to a double, and so is it. */
const TOLERANCE = 2 * Number.EPSILON;

/** Whether one number is a whole multiple of another, as the decimals are that they were written as. Whole numbers lose nothing. */
export function isMultiple(value: number, divisor: number): boolean {
  if (Number.isInteger(divisor)) return value % divisor === 0;
  const quotient = value / divisor;
  return Math.abs(quotient - Math.round(quotient)) <= TOLERANCE * Math.abs(quotient);
}
