import { type Static, Type } from "@sinclair/typebox";
import { formatMaybe } from "../../api/lists/instant";
import { named, nullable, timestamp } from "../../api/openapi/schema";
import { type EndpointStats, MAX_SEARCHED, PENDING_COUNTED, RECENT_DELIVERIES } from "../../endpoints/stats";

const latency = (share: string) =>
  nullable(
    Type.Integer({ description: `${share} of the attempts took at most this long; null without attempts.` }),
  );

const accepted = named(
  "AcceptedCounts",
  Type.Object(
    { last_minute: Type.Integer(), last_hour: Type.Integer(), last_day: Type.Integer() },
    { description: "Deliveries accepted for the endpoint." },
  ),
);
const latencies = named(
  "Latencies",
  Type.Object({ p50: latency("Half"), p90: latency("90 %"), p99: latency("99 %") }),
);
const recent = named(
  "RecentAttempts",
  Type.Object(
    {
      deliveries: Type.Integer(),
      delivered: Type.Integer(),
      failed: Type.Integer(),
      success_rate: Type.Number({
        description: "delivered / (delivered + failed) × 100; 0 if nothing was delivered or failed.",
      }),
      attempts: Type.Integer(),
      attempts_per_second: Type.Number({ description: "From the first of these attempts until now." }),
      latency_ms: latencies,
    },
    {
      description:
        `Attempts of the last hour, of the ${RECENT_DELIVERIES} most recently attempted deliveries. Only the last ` +
        `${MAX_SEARCHED} ended deliveries and the deliveries that wait for a retry are searched, so there may be fewer.`,
    },
  ),
);

export const EndpointStatsModel = named(
  "EndpointStats",
  Type.Object({
    pending: Type.Integer({
      description: `Pending deliveries. Exact below ${PENDING_COUNTED}; ${PENDING_COUNTED} means that many or more.`,
    }),
    oldest_pending_at: nullable(timestamp("When the oldest pending delivery was accepted.")),
    accepted,
    recent,
  }),
);

type EndpointStatsView = Static<typeof EndpointStatsModel>;

export function viewOfEndpointStats(stats: EndpointStats, now: number): EndpointStatsView {
  const { pending, oldestPendingAt, accepted, recent } = stats;
  const { deliveries, delivered, failed, attempts, since, p50, p90, p99 } = recent;
  return {
    pending,
    oldest_pending_at: formatMaybe(oldestPendingAt),
    accepted: {
      last_minute: accepted.lastMinute,
      last_hour: accepted.lastHour,
      last_day: accepted.lastDay,
    },
    recent: {
      deliveries,
      delivered,
      failed,
      success_rate: ratio(100 * delivered, delivered + failed),
      attempts,
      // Divides by at least one second, since a shorter time gives no meaningful rate.
      attempts_per_second: ratio(attempts, since === null ? 0 : Math.max(now - since, 1_000) / 1_000),
      latency_ms: { p50, p90, p99 },
    },
  };
}

/** Divides and rounds to two decimals; 0 if `whole` is 0. */
function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((100 * part) / whole) / 100;
}

export const ENDPOINT_STATS_EXAMPLE = {
  pending: 3,
  oldest_pending_at: "2026-01-31T11:59:58.120Z",
  accepted: { last_minute: 60, last_hour: 3_600, last_day: 81_210 },
  recent: {
    deliveries: 1_000,
    delivered: 991,
    failed: 6,
    success_rate: 99.4,
    attempts: 1_012,
    attempts_per_second: 1.02,
    latency_ms: { p50: 41, p90: 88, p99: 310 },
  },
} satisfies EndpointStatsView;
