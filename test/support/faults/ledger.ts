import type { Ordering } from "../../../src/domain/tuning";

/** What Postgres says at the end, in the public form of identifiers. Times are Unix milliseconds. */
export type Ledger = Readonly<{
  deliveries: readonly DeliveryRow[];
  /** The last sequence given out, by endpoint; deleted endpoints have none. */
  lastSequences: ReadonlyMap<string, number>;
  limits: ReadonlyMap<string, EndpointLimits>;
  queued: number;
  counters: Figures;
  /** What GET /v1/stats answered. */
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

export type DeliveryRow = Readonly<{
  id: string;
  endpoint: string;
  orderingKey: string | null;
  /** The first delivery of what this one sends again, whose id receivers get. */
  replayOf: string | null;
  /** Null when the endpoint's filter kept it out of the order. */
  sequence: number | null;
  /** Null once it is erased. */
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
