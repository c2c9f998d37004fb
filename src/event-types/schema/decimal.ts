/** A decimal number of any length: the digits, without zeros at either end, times ten to the power of `exponent`. Zero has no digits. */
export type Decimal = Readonly<{ isNegative: boolean; digits: string; exponent: number }>;

const ZERO: Decimal = { isNegative: false, digits: "", exponent: 0 };
/** Digits that are divided at a time, so that a division takes linear time. */
const CHUNK = 512;

/** Reads a number of a JSON text. */
export function decimalOf(text: string): Decimal {
  const isNegative = text.startsWith("-");
  const power = Math.max(text.indexOf("e"), text.indexOf("E"));
  const [whole = "", fraction = ""] = text
    .slice(isNegative ? 1 : 0, power === -1 ? undefined : power)
    .split(".");
  const written = whole + fraction;
  const digits = withoutZeros(written);
  if (digits === "") return ZERO;
  const behind = written.length - endOf(written);
  const exponent = (power === -1 ? 0 : Number(text.slice(power + 1))) - fraction.length + behind;
  return { isNegative, digits, exponent };
}

/** Returns a negative number if `a` is below `b`, a positive one if it is above, and 0 if they are equal. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const [sign, other] = [signOf(a), signOf(b)];
  return sign === other ? sign * compareSizes(a, b) : sign - other;
}

export function isWhole({ exponent }: Decimal): boolean {
  return exponent >= 0;
}

/** True if `value` is a whole multiple of `divisor`. Takes time in proportion to the digits of `value`. */
export function isDecimalMultiple(value: Decimal, divisor: Decimal): boolean {
  if (value.digits === "") return true;
  const power = value.exponent - divisor.exponent;
  // The digits of `value` end with another digit than 0, so they are no multiple of ten.
  if (divisor.digits === "" || power < 0) return false;
  // A divisor of n digits has fewer than 4 n factors of 2 or of 5. More tens change nothing.
  const tens = 10n ** BigInt(Math.min(power, 4 * divisor.digits.length));
  const whole = BigInt(divisor.digits);
  return (remainder(value.digits, whole) * tens) % whole === 0n;
}

function remainder(digits: string, divisor: bigint): bigint {
  let rest = 0n;
  for (let at = 0; at < digits.length; at += CHUNK) {
    const chunk = digits.slice(at, at + CHUNK);
    rest = (rest * 10n ** BigInt(chunk.length) + BigInt(chunk)) % divisor;
  }
  return rest;
}

function signOf({ isNegative, digits }: Decimal): number {
  if (digits === "") return 0;
  return isNegative ? -1 : 1;
}

function compareSizes(a: Decimal, b: Decimal): number {
  const places = a.digits.length + a.exponent - (b.digits.length + b.exponent);
  if (places !== 0 || a.digits === b.digits) return places;
  return a.digits < b.digits ? -1 : 1;
}

function withoutZeros(digits: string): string {
  let start = 0;
  while (digits[start] === "0") start++;
  return digits.slice(start, Math.max(start, endOf(digits)));
}

/** Returns the end of the digits without the zeros behind them. */
function endOf(digits: string): number {
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return end;
}
