import { moment, startOfDay } from "../shared/format";
import { type PartTexts, partTexts } from "../shared/texts";

/** The filters of the list of deliveries. All are in the URL. */
export type Filters = Readonly<{
  event: string | null;
  endpoint: string | null;
  status: string | null;
  /** A relative time stays relative in links. */
  time: string | null;
  after: string | null;
  before: string | null;
  /** A status such as 503, a class such as 5xx, or 0 for no answer. */
  answer: string | null;
  error: string | null;
  /** The ordering key, and the number at the endpoint. */
  key: string | null;
  sequence: string | null;
  /** Fields of the payload with their values. */
  fields: readonly (readonly [name: string, value: string])[];
}>;

const HOUR = 3_600_000;
const SPANS: Readonly<Record<string, number>> = {
  "15m": HOUR / 4,
  "1h": HOUR,
  "24h": 24 * HOUR,
  "7d": 168 * HOUR,
  "30d": 720 * HOUR,
};
const MORNING_HOUR = 6;

export const TIMES = Object.keys(partTexts.peek().times) as (keyof PartTexts["times"])[];

export function readFilters(params: URLSearchParams): Filters {
  return {
    event: params.get("event"),
    endpoint: params.get("endpoint"),
    status: params.get("status"),
    time: params.get("time"),
    after: params.get("after"),
    before: params.get("before"),
    answer: params.get("response_status"),
    error: params.get("error"),
    key: params.get("ordering_key"),
    sequence: params.get("sequence"),
    fields: [...params].flatMap(([name, value]) =>
      name.startsWith("data.") ? [[name.slice("data.".length), value] as const] : [],
    ),
  };
}

type Range = Readonly<{ after?: string; before?: string }>;

/** Converts a relative time to the times of the API. */
export function rangeOf(
  { time, after, before }: Pick<Filters, "time" | "after" | "before">,
  now: number,
): Range {
  const iso = (at: number) => new Date(at).toISOString();
  const today = startOfDay(now);
  switch (time) {
    case null:
      return { after: after ?? undefined, before: before ?? undefined };
    case "today":
      return { after: iso(today) };
    case "morning":
      return {
        after: iso(new Date(today).setHours(MORNING_HOUR)),
        before: iso(new Date(today).setHours(12)),
      };
    case "yesterday":
      // A day is not always 24 hours long.
      return { after: iso(startOfDay(today - 12 * HOUR)), before: iso(today) };
    default: {
      const span = SPANS[time];
      return span === undefined ? {} : { after: iso(now - span) };
    }
  }
}

/** Returns the parameters of GET /webhooks in its cursor form. */
export function queryOf(filters: Filters, now: number): Record<string, string | undefined> {
  return {
    ...Object.fromEntries(filters.fields.map(([name, value]) => [`data.${name}`, value])),
    event_type: filters.event ?? undefined,
    endpoint_id: filters.endpoint ?? undefined,
    status: filters.status ?? undefined,
    response_status: filters.answer ?? undefined,
    error: filters.error ?? undefined,
    ordering_key: filters.key ?? undefined,
    sequence: filters.sequence ?? undefined,
    ...rangeOf(filters, now),
  };
}

/** Returns the time of a filter in words: `today`, `Mon 09:00 until 10:30`. */
export function timeWords({ time, after, before }: Filters, now: number): string {
  const t = partTexts.value;
  if (time !== null) return t.times[TIMES.find((each) => each === time) ?? "any"];
  const words = (text: string) => moment(Date.parse(text), now, { seconds: false });
  if (after && before) return t.between(words(after), words(before));
  if (after) return t.after(words(after));
  return before ? t.before(words(before)) : t.times.any;
}

export function isFiltered(filters: Filters): boolean {
  const { fields, ...rest } = filters;
  return fields.length > 0 || Object.values(rest).some((value) => value !== null);
}
