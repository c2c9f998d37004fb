import { computed, signal } from "@preact/signals";

function formatsOf(locale: string, timeZone: string | undefined) {
  const of = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone });
  return {
    numbers: new Intl.NumberFormat(locale),
    tenths: new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
    bytes: new Intl.NumberFormat(locale, { style: "unit", unit: "byte", unitDisplay: "long" }),
    short: new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 1 }),
    clock: of({ hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }),
    hourMinute: of({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
    weekday: of({ weekday: "short" }),
    dayMonth: of({ day: "numeric", month: "short" }),
    fullDay: of({ day: "numeric", month: "short", year: "numeric" }),
    year: of({ year: "numeric" }),
  };
}

/** The browser's time zone. */
export const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const language = signal("en");
/** True if times are shown in UTC, false for the browser's zone. */
export const isUtc = signal(false);

/** The zone that is shown. */
export const shownZone = computed(() => (isUtc.value ? "UTC" : ZONE));

const formats = computed(() => formatsOf(language.value, isUtc.value ? "UTC" : undefined));

/** The language of numbers and times. */
export function setLocale(locale: string): void {
  language.value = locale;
}

export function count(value: number): string {
  return formats.value.numbers.format(value);
}

export function compact(value: number): string {
  return value < 10_000
    ? formats.value.numbers.format(value)
    : formats.value.short.format(value).toLowerCase();
}

/** `1 delivery`, `1,299 deliveries`. */
export function plural(value: number, one: string, many: string): string {
  return `${formats.value.numbers.format(value)} ${value === 1 ? one : many}`;
}

const DAY = 86_400_000;

/** Midnight of the day in the browser's zone, also while UTC is shown: `today` stays the person's own. */
export function startOfDay(at: number): number {
  const day = new Date(at);
  day.setHours(0, 0, 0, 0);
  return day.getTime();
}

/** Today `09:41:07`, this week `Mon 09:41`, else `3 Nov 09:41`, with the year if it is another one. */
export function moment(at: number, now: number, { seconds = true } = {}): string {
  const { clock, hourMinute, weekday, dayMonth, fullDay, year } = formats.value;
  const isToday = fullDay.format(at) === fullDay.format(now);
  if (isToday) return (seconds ? clock : hourMinute).format(at);
  if (at < now && now - at < 6 * DAY) return `${weekday.format(at)} ${hourMinute.format(at)}`;
  const isThisYear = year.format(at) === year.format(now);
  return `${(isThisYear ? dayMonth : fullDay).format(at)} ${hourMinute.format(at)}`;
}

export function day(at: number): string {
  return formats.value.fullDay.format(at);
}

/** Reads the value of a `datetime-local` field, in the zone that is shown. Returns ISO 8601 in UTC. */
export function readField(text: string): string {
  return new Date(isUtc.value ? `${text}Z` : text).toISOString();
}

/** Writes a time as the value of a `datetime-local` field, in the zone that is shown. */
export function fieldOf(at: Date): string {
  const offsetMs = isUtc.value ? 0 : at.getTimezoneOffset() * 60_000;
  return new Date(at.getTime() - offsetMs).toISOString().slice(0, 16);
}

/** Writes a time as in the API: UTC with milliseconds. */
export function utc(at: number): string {
  return `${new Date(at).toISOString().replace("T", " ").replace("Z", "")} UTC`;
}

/** Writes a duration in its two largest units: `43 ms`, `1.9 s`, `31 min 34 s`, `2 d 4 h`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000 && ms % 1_000 !== 0) return `${formats.value.tenths.format(ms / 1_000)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return two(Math.floor(seconds / 60), "min", seconds % 60, "s");
  if (seconds < 86_400)
    return two(Math.floor(seconds / 3_600), "h", Math.floor((seconds % 3_600) / 60), "min");
  return two(Math.floor(seconds / 86_400), "d", Math.floor((seconds % 86_400) / 3_600), "h");
}

function two(large: number, unit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smallUnit}`;
}

/** `04:12`, `1:04:12`. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const pad = (part: number) => String(part).padStart(2, "0");
  return hours === 0 ? `${pad(minutes)}:${pad(rest)}` : `${hours}:${pad(minutes)}:${pad(rest)}`;
}

export function bytes(size: number): string {
  if (size < 1_024) return formats.value.bytes.format(size);
  const kib = size / 1_024;
  if (kib >= 1_024 ** 2) return `${formats.value.tenths.format(kib / 1_024 ** 2)} GiB`;
  if (kib >= 1_024) return `${formats.value.tenths.format(kib / 1_024)} MiB`;
  return `${kib < 10 ? formats.value.tenths.format(kib) : count(Math.round(kib))} KiB`;
}

/** Waiting deliveries are counted up to this many. */
const COUNTED = 1_000;

export function pendingWords(pending: number): string {
  return pending >= COUNTED ? `${count(COUNTED)}+` : count(pending);
}
