import type { Ordering } from "../../../src/domain/tuning";

/** The rows in Postgres at the end, with public ids. Times are Unix milliseconds. */
export type Ledger = Readonly<{
  deliveries: readonly DeliveryRow[];
  events: readonly EventRow[];
  /** The last sequence of each endpoint. Deleted endpoints have none. */
  lastSequences: ReadonlyMap<string, number>;
  limits: ReadonlyMap<string, EndpointLimits>;
  queued: number;
  counters: Figures;
  /** The answer of GET /v1/stats. */
  stats: Omit<Figures, "cancelled"> & { pending: number };
  /** Webhooks counted against the month. */
  used: number;
}>;

/** An endpoint's settings, also a deleted one's. */
export type EndpointLimits = Readonly<{
  rateLimit: number | null;
  ordering: Ordering;
  /** Deliveries in flight at once: 1 where ordered. */
  maxInFlight: number;
}>;

export type Figures = { total: number; delivered: number; failed: number; cancelled: number };

/** An accepted event, whether an endpoint wants it or not. */
export type EventRow = Readonly<{ id: string; data: string | null }>;

export type DeliveryRow = Readonly<{
  id: string;
  /** The id that receivers see. */
  webhookId: string;
  /** The event that it delivers, if it came from one. */
  event: string | null;
  endpoint: string;
  orderingKey: string | null;
  /** The first delivery, if this one is a replay. */
  replayOf: string | null;
  /** Null if the endpoint's filter excluded it. */
  sequence: number | null;
  /** Its own payload, or its event's. Null once it is erased. */
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
