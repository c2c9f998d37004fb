import { type Static, Type } from "@sinclair/typebox";
import { formatMaybe } from "../../api/lists/instant";
import { mapOf, named, nullable, timestamp } from "../../api/openapi/schema";
import type { ListCounts } from "../../deliveries/lists/counting";

const StatusCounts = named(
  "StatusCounts",
  Type.Object({
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
    complete: counts.isComplete,
  };
}

export const SUMMARY_EXAMPLE = {
  total: 1_336,
  statuses: { pending: 37, delivered: 1_299, failed: 0, cancelled: 0 },
  answers: { "200": 1_299, "503": 1 },
  newest_at: "2026-01-31T12:00:00.000Z",
  oldest_at: "2026-01-31T06:00:00.000Z",
  complete: true,
} satisfies Static<typeof SummaryModel>;
