import { type Static, Type } from "@sinclair/typebox";
import { formatInstant, formatMaybe } from "../../api/lists/instant";
import { mapOf, named, nullable, timestamp } from "../../api/openapi/schema";
import type { ListCounts } from "../../deliveries/lists/counting";
import { type Bar, MOST_BARS } from "../../deliveries/lists/histogram";

const StatusCounts = named(
  "StatusCounts",
  Type.Object({
    pending: Type.Integer(),
    delivered: Type.Integer(),
    failed: Type.Integer(),
    cancelled: Type.Integer(),
  }),
);

const HistogramBar = named(
  "HistogramBar",
  Type.Object({
    at: timestamp("The beginning of the bar."),
    pending: Type.Integer(),
    delivered: Type.Integer(),
    failed: Type.Integer(),
    cancelled: Type.Integer(),
  }),
);

export const SummaryModel = named(
  "WebhookSummary",
  Type.Object({
    total: Type.Integer(),
    statuses: StatusCounts,
    answers: mapOf(
      Type.Integer(),
      "The number of deliveries by their last HTTP status; `0` for no HTTP response. Without deliveries that were never attempted.",
    ),
    newest_at: nullable(timestamp("When the newest counted delivery was accepted.")),
    oldest_at: nullable(timestamp("When the oldest counted delivery was accepted.")),
    bar_seconds: Type.Integer({ description: "The length of a bar." }),
    bars: Type.Array(HistogramBar, {
      description:
        `The counted deliveries by the time at which they were accepted, oldest first, without gaps. The bars are as short as ${MOST_BARS} ` +
        "of them allow.",
    }),
    complete: Type.Boolean({
      description: "False if the second was over too early: older deliveries are not counted.",
    }),
  }),
);

export function viewOfSummary(counts: ListCounts): Static<typeof SummaryModel> {
  const answers = [...counts.answers].sort(([a], [b]) => a - b);
  return {
    total: counts.total,
    statuses: counts.statuses,
    answers: Object.fromEntries(answers),
    newest_at: formatMaybe(counts.newestAt),
    oldest_at: formatMaybe(counts.oldestAt),
    bar_seconds: counts.histogram.barMs / 1_000,
    bars: counts.histogram.bars().map(viewOfBar),
    complete: counts.isComplete,
  };
}

function viewOfBar({ atMs, ...counts }: Bar): Static<typeof HistogramBar> {
  return { at: formatInstant(atMs), ...counts };
}

export const SUMMARY_EXAMPLE = {
  total: 1_336,
  statuses: { pending: 37, delivered: 1_299, failed: 0, cancelled: 0 },
  answers: { "200": 1_299, "503": 1 },
  newest_at: "2026-01-31T12:00:00.000Z",
  oldest_at: "2026-01-31T06:00:00.000Z",
  bar_seconds: 21_600,
  bars: [
    { at: "2026-01-31T06:00:00.000Z", pending: 0, delivered: 1_299, failed: 0, cancelled: 0 },
    { at: "2026-01-31T12:00:00.000Z", pending: 37, delivered: 0, failed: 0, cancelled: 0 },
  ],
  complete: true,
} satisfies Static<typeof SummaryModel>;
