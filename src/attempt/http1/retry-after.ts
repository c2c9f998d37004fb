import { MAX_RETRY_AFTER_MS } from "../../domain/retry-policy";

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAY = "(?:mon|tue|wed|thu|fri|sat|sun)";
const TIME = "(?<h>\\d\\d):(?<m>\\d\\d):(?<s>\\d\\d)";

const ZONE = "(?:gmt|utc|[+-]0000)";

// The three forms of an HTTP date (RFC 9110, 5.6.7): IMF-fixdate, RFC 850, asctime. Their zone is GMT, and many write it
// otherwise.
const DATE_FORMS = [
  new RegExp(`^${DAY}, (?<day>\\d\\d) (?<month>[a-z]{3}) (?<year>\\d{4}) ${TIME} ${ZONE}$`, "i"),
  new RegExp(`^${DAY}[a-z]{3,6}, (?<day>\\d\\d)-(?<month>[a-z]{3})-(?<year>\\d\\d) ${TIME} ${ZONE}$`, "i"),
  new RegExp(`^${DAY} (?<month>[a-z]{3}) (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})$`, "i"),
];

/**
 * Returns the milliseconds of a Retry-After header (RFC 9110, 10.2.3): seconds, also with a fraction, or an HTTP date. At most
 * an hour; null if it is malformed, or its time has passed.
 */
export function parseRetryAfter(value: string, nowMs: number): number | null {
  const text = value.trim();
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.min(Math.ceil(Number(text) * 1_000), MAX_RETRY_AFTER_MS);
  const at = parseHttpDate(text, nowMs);
  return at === null || at <= nowMs ? null : Math.min(at - nowMs, MAX_RETRY_AFTER_MS);
}

/** Returns the Unix milliseconds of an HTTP date in any of its three forms; null for anything else. */
export function parseHttpDate(text: string, nowMs: number): number | null {
  for (const form of DATE_FORMS) {
    const fields = form.exec(text)?.groups;
    if (fields) return instantOf(fields, nowMs);
  }
  return null;
}

function instantOf(fields: Record<string, string | undefined>, nowMs: number): number | null {
  const month = MONTHS.indexOf((fields.month ?? "").toLowerCase());
  const day = Number(fields.day);
  const [h, m, s] = [Number(fields.h), Number(fields.m), Number(fields.s)];
  const date = new Date(Date.UTC(fullYear(fields.year ?? "", nowMs), month, day));
  // A leap second is written as 60.
  if (month < 0 || date.getUTCDate() !== day || h > 23 || m > 59 || s > 60) return null;
  return date.getTime() + ((h * 60 + m) * 60 + s) * 1_000;
}

/** Reads a year of two digits more than 50 years ahead as one of the past century (RFC 9110, 5.6.7). */
function fullYear(digits: string, nowMs: number): number {
  if (digits.length === 4) return Number(digits);
  const thisYear = new Date(nowMs).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + Number(digits);
  return year > thisYear + 50 ? year - 100 : year;
}
