import { badRequest } from "./errors";

// A date, or a date and time with an offset; a time without one would be read in the server's zone.
const ISO_8601 = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/i;

// Four digits say no other years in UTC, and Postgres has no year 0.
const FIRST_MS = Date.parse("0001-01-01T00:00:00Z");
const LAST_MS = Date.parse("9999-12-31T23:59:59.999Z");

// Between two milliseconds, whose further digits Date.parse drops.
const BETWEEN = /\.\d{3}\d*[1-9]/;

/**
 * Unix milliseconds of an ISO 8601 timestamp that was given under a name, rounded up: what was made at a whole
 * millisecond is then on the same side of it as of the moment itself. Throws 400.
 */
export function readInstant(name: string, text: string): number {
  const dropped = BETWEEN.test(text) ? 1 : 0;
  const ms = ISO_8601.test(text) && isRealDay(text) ? Date.parse(text) + dropped : Number.NaN;
  if (ms >= FIRST_MS && ms <= LAST_MS) return ms;
  throw badRequest(`${name} must be an ISO 8601 timestamp such as 2026-01-31T12:00:00Z`);
}

// Date.parse takes 30 February for 2 March.
function isRealDay(text: string): boolean {
  const [year, month, day] = text.slice(0, 10).split("-").map(Number);
  return new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day)).getUTCDate() === day;
}

/** ISO 8601 in UTC with milliseconds. */
export function formatInstant(ms: number): string {
  return new Date(ms).toISOString();
}

/** The same where there may be none. */
export function formatMaybe(ms: number | null): string | null {
  return ms === null ? null : formatInstant(ms);
}
