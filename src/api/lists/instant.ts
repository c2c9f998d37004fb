import { badRequest } from "../errors";

// Matches extended and basic form (ISO 8601), a blank in place of the T (RFC 3339, 5.6), and offsets with or without colon and
// minutes, since Python, Postgres, date(1) and JavaScript write these.
const DATE = /^(\d{4})-?(\d\d)-?(\d\d)/;
const TIME = /[T ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d{1,9}))?)?/i;
const ZONE = /(Z|[+-]\d\d(?::?\d\d)?)/i;
const ISO_8601 = new RegExp(`${DATE.source}(?:${TIME.source}${ZONE.source}?)?$`, "i");

// Only years with four digits are valid in UTC, and Postgres has no year 0.
const FIRST_MS = Date.parse("0001-01-01T00:00:00Z");
const LAST_MS = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * Reads an ISO 8601 timestamp as Unix milliseconds; UTC if it has no zone. Rounds up, so that rows stored with whole
 * milliseconds stay on the same side of the moment. Throws a 400 that names `name`.
 */
export function readInstant(name: string, text: string): number {
  const ms = millisecondsOf(text);
  if (ms >= FIRST_MS && ms <= LAST_MS) return ms;
  throw badRequest(`${name} must be an ISO 8601 timestamp such as 2026-01-31T12:00:00Z`);
}

/** Throws 400 for a range that nothing can match, because it ends before it begins. */
export function refuseReversed(after: number | undefined, before: number | undefined): void {
  if (after !== undefined && before !== undefined && after > before)
    throw badRequest("after must be earlier than before");
}

function millisecondsOf(text: string): number {
  const parts = ISO_8601.exec(text);
  if (!parts) return Number.NaN;
  const [, year, month, day, hour = "00", minute = "00", second = "00", fraction = "", zone = "Z"] = parts;
  if (!isRealDay(Number(year), Number(month), Number(day))) return Number.NaN;
  const [kept, dropped] = [fraction.slice(0, 3).padEnd(3, "0"), fraction.slice(3)];
  const moment = `${year}-${month}-${day}T${hour}:${minute}:${second}.${kept}${offsetOf(zone)}`;
  return Date.parse(moment) + (/[1-9]/.test(dropped) ? 1 : 0);
}

/** Writes an offset in the form that `Date.parse` accepts. */
function offsetOf(zone: string): string {
  if (/^z$/i.test(zone)) return "Z";
  const minutes = zone.slice(3).replace(":", "");
  return `${zone.slice(0, 3)}:${minutes === "" ? "00" : minutes}`;
}

// Needed because Date.parse reads 30 February as 2 March.
function isRealDay(year: number, month: number, day: number): boolean {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
}

/** Writes a time as ISO 8601 in UTC with milliseconds. */
export function formatInstant(ms: number): string {
  return new Date(ms).toISOString();
}

/** Writes a time that may be null as ISO 8601. */
export function formatMaybe(ms: number | null): string | null {
  return ms === null ? null : formatInstant(ms);
}
