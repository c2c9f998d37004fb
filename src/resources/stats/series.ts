import { type Static, Type } from "@sinclair/typebox";
import { badRequest } from "../../api/errors";
import { formatInstant } from "../../api/lists/instant";
import { Query } from "../../api/lists/query";
import { moment, named, nullable, timestamp } from "../../api/openapi/schema";
import { parseDuration } from "../../runtime/text/duration";
import type { Percentiles } from "../../series/figures";
import type { SeriesRange, StepFigures } from "../../series/series";
import { MINUTES_KEPT_MS } from "../../series/upkeep";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Most points of an answer. */
export const MAX_POINTS = 1_500;
/** Steps from which one is chosen if none is given. Each choice makes at most `CHOSEN_POINTS`. */
const STEPS_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, DAY_MS];
const CHOSEN_POINTS = 200;

export const SERIES_PARAMETERS = {
  from: moment("The beginning; a day before `to` by default. It is lowered to a multiple of the step."),
  to: moment("The end; now by default. It is raised to a multiple of the step."),
  step: Type.String({
    description:
      "The length of a step, counted from midnight UTC: minutes or hours that divide a day, such as `5m`, `1h` or `6h`, or whole " +
      "days such as `7d`. By default a " +
      `length that makes at most ${CHOSEN_POINTS} points. Before the last 48 hours there are no steps within an hour.`,
    example: "1h",
  }),
};
const NAMES = ["from", "to", "step"] as const;

const PercentilesModel = named(
  "Percentiles",
  nullable(
    Type.Object(
      { p50: Type.Integer(), p95: Type.Integer(), p99: Type.Integer() },
      { description: "Milliseconds, right to within a tenth; null if there were none." },
    ),
  ),
);

const AttemptCounts = named(
  "AttemptCounts",
  Type.Object(
    {
      none: Type.Integer(),
      "1xx": Type.Integer(),
      "2xx": Type.Integer(),
      "3xx": Type.Integer(),
      "4xx": Type.Integer(),
      "5xx": Type.Integer(),
      other: Type.Integer(),
    },
    { description: "Attempts by the class of their answer; `none`: there was no HTTP response." },
  ),
);

const PointModel = named(
  "SeriesPoint",
  Type.Object({
    at: timestamp("The beginning of the step."),
    accepted: Type.Integer({
      description: "Deliveries that got a sequence. Counted once a minute, by the time of the count.",
    }),
    delivered: Type.Integer(),
    delivered_first: Type.Integer({ description: "Delivered by the first attempt." }),
    failed: Type.Integer(),
    cancelled: Type.Integer({ description: "Cancelled while they were pending." }),
    backlog: Type.Integer({
      description: "Pending at the end of the step, without deliveries scheduled for later.",
    }),
    attempts: AttemptCounts,
    delivery_ms: PercentilesModel,
    receiver_ms: PercentilesModel,
  }),
);

export const SeriesModel = named(
  "Series",
  Type.Object({
    from: timestamp(),
    to: timestamp(),
    step_seconds: Type.Integer(),
    points: Type.Array(PointModel, { description: `One for each step, at most ${MAX_POINTS}.` }),
  }),
);
type SeriesView = Static<typeof SeriesModel>;

export const SERIES_DESCRIPTION =
  "Exact, however long the history is, and including the present minute. Kept for HERMOD_RETENTION. `delivery_ms` is the time from " +
  "acceptance to delivery, `receiver_ms` the duration of attempts with an answer.";

/** Reads the range of a series, aligned to its step. Throws 400. */
export function readRange(url: string, now: number): SeriesRange {
  const query = new Query(url, NAMES);
  const to = query.instant("to") ?? now;
  const from = query.instant("from") ?? to - DAY_MS;
  if (from >= to) throw badRequest("from must be before to");
  const stepMs = stepOf(query.text("step")) ?? chosenStep(from, to, now);
  const fromMs = Math.floor(from / stepMs) * stepMs;
  const toMs = Math.ceil(to / stepMs) * stepMs;
  if ((toMs - fromMs) / stepMs > MAX_POINTS) {
    throw badRequest(
      `step must be larger, or the time range shorter: an answer has at most ${MAX_POINTS} points`,
    );
  }
  if (stepMs % HOUR_MS > 0 && from < now - MINUTES_KEPT_MS) {
    throw badRequest("step must be whole hours for times before the last 48 hours");
  }
  return { fromMs, toMs, stepMs };
}

function stepOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = parseDuration(text) ?? 0;
  const isWhole = ms >= MINUTE_MS && ms % MINUTE_MS === 0 && ms <= 365 * DAY_MS;
  // Steps of another length would not begin at midnight each day.
  if (isWhole && (DAY_MS % ms === 0 || ms % DAY_MS === 0)) return ms;
  throw badRequest(
    "step must be minutes or hours that divide a day, such as 5m, 1h or 6h, or whole days such as 7d",
  );
}

function chosenStep(from: number, to: number, now: number): number {
  const least = from < now - MINUTES_KEPT_MS ? HOUR_MS : MINUTE_MS;
  return (
    STEPS_MS.find((each) => each >= least && (to - from) / each <= CHOSEN_POINTS) ?? chosenDays(to - from)
  );
}

function chosenDays(ms: number): number {
  return Math.ceil(ms / CHOSEN_POINTS / DAY_MS) * DAY_MS;
}

export function viewOfSeries(
  { fromMs, toMs, stepMs }: SeriesRange,
  points: readonly StepFigures[],
): SeriesView {
  return {
    from: formatInstant(fromMs),
    to: formatInstant(toMs),
    step_seconds: stepMs / 1_000,
    points: points.map(viewOfPoint),
  };
}

function viewOfPoint(point: StepFigures): SeriesView["points"][number] {
  return {
    at: formatInstant(point.atMs),
    accepted: point.accepted,
    delivered: point.delivered,
    delivered_first: point.deliveredFirst,
    failed: point.failed,
    cancelled: point.cancelled,
    backlog: point.backlog,
    attempts: point.attempts,
    delivery_ms: point.deliveryMs,
    receiver_ms: point.receiverMs,
  };
}

const times: NonNullable<Percentiles> = { p50: 31, p95: 64, p99: 160 };

export const SERIES_EXAMPLE = {
  from: "2026-01-31T12:00:00.000Z",
  to: "2026-01-31T13:00:00.000Z",
  step_seconds: 3_600,
  points: [
    {
      at: "2026-01-31T12:00:00.000Z",
      accepted: 1_250,
      delivered: 1_198,
      delivered_first: 1_140,
      failed: 27,
      cancelled: 0,
      backlog: 25,
      attempts: { none: 12, "1xx": 0, "2xx": 1_198, "3xx": 0, "4xx": 30, "5xx": 96, other: 0 },
      delivery_ms: times,
      receiver_ms: times,
    },
  ],
} satisfies SeriesView;
