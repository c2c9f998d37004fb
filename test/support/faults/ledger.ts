import type { Ordering } from "../../../src/domain/tuning";

/** The rows in Postgres at the end, with public ids. Times are Unix milliseconds. */
export type Ledger = Readonly<{
  deliveries: readonly DeliveryRow[];
  events: readonly EventRow[];
  /** The last sequence given out, by endpoint; deleted endpoints have none. */
  lastSequences: ReadonlyMap<string, number>;
  limits: ReadonlyMap<string, EndpointLimits>;
  queued: number;
  counters: Figures;
  /** The answer of GET /v1/stats. */
  stats: Omit<Figures, "cancelled"> & { pending: number };
  /** Webhooks counted against the month. */
  used: number;
}>;

/** What an endpoint was set to; deleted ones too. */
export type EndpointLimits = Readonly<{
  rateLimit: number | null;
  ordering: Ordering;
  /** Deliveries in flight at once; 1 where ordered. */
  maxInFlight: number;
}>;

export type Figures = { total: number; delivered: number; failed: number; cancelled: number };

/** An accepted event, whether anybody wanted it or not. */
export type EventRow = Readonly<{ id: string; data: string | null }>;

export type DeliveryRow = Readonly<{
  id: string;
  /** What receivers know it by. */
  webhookId: string;
  /** The event that it is of; null: none. */
  event: string | null;
  endpoint: string;
  orderingKey: string | null;
  /** The first delivery of what this one sends again. */
  replayOf: string | null;
  /** Null when the endpoint's filter kept it out of the order. */
  sequence: number | null;
  /** Its own, or its event's; null once it is erased. */
  data: string | null;
  status: "pending" | "delivered" | "failed" | "cancelled";
  attemptCount: number;
  completedAt: number | null;
  attempts: readonly AttemptRow[];
}>;

export type AttemptRow = Readonly<{
  attempt: number;
  status: number;
  error: string | null;
  errorDetail: string | null;
  startedAt: number;
  durationMs: number;
}>;
