import { isIPv4, isIPv6 } from "node:net";

/** Most characters of a text in any of these formats. */
const MAX_LENGTH = 2_048;

// Safe from backtracking: each pattern is anchored, and no two repetitions match the same character.
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(?:\.\d+)?(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;
const DURATION = /^P(?!$)(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const HOST_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~.-]+$/i;
const WHITE_SPACE = /\s/;

const CHECKS = {
  date: isDate,
  time: (text: string) => TIME.test(text),
  "date-time": isDateTime,
  duration: (text: string) => DURATION.test(text),
  email: isEmail,
  hostname: isHostname,
  ipv4: isIPv4,
  ipv6: isIPv6,
  uri: (text: string) => SCHEME.test(text) && !WHITE_SPACE.test(text) && URL.canParse(text),
  uuid: (text: string) => UUID.test(text),
};

/** The formats that are checked. */
export const FORMATS: Readonly<Record<string, (text: string) => boolean>> = Object.fromEntries(
  Object.entries(CHECKS).map(([name, check]) => [name, bounded(check)]),
);

function bounded(check: (text: string) => boolean): (text: string) => boolean {
  return (text) => text.length <= MAX_LENGTH && check(text);
}

function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (day === undefined) return false;
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  // `Date` turns a day that the month lacks into another day.
  return date.getUTCDate() === Number(day) && date.getUTCMonth() + 1 === Number(month);
}

function isDateTime(text: string): boolean {
  const separator = text.charAt(10);
  const isSeparated = separator === "T" || separator === "t" || separator === " ";
  return isSeparated && isDate(text.slice(0, 10)) && TIME.test(text.slice(11));
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const local = text.slice(0, at);
  if (at < 1 || local.length > 64 || !LOCAL_PART.test(local)) return false;
  return (
    !local.startsWith(".") && !local.endsWith(".") && !local.includes("..") && isHostname(text.slice(at + 1))
  );
}

function isHostname(text: string): boolean {
  return text.length <= 253 && text.split(".").every((label) => HOST_LABEL.test(label));
}
