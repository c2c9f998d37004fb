/** Settings of an endpoint besides its URL and filter. */
export type Tuning = {
  /** The account's own notes; Hermod does not use them. */
  metadata: Readonly<Record<string, string>>;
  /** The wait after each failed attempt, in milliseconds; null: the service's own schedule. */
  retryScheduleMs: readonly number[] | null;
  /** Deadline of an attempt, in milliseconds; null: the service's own. */
  timeoutMs: number | null;
  /** Attempts that may start within any second; null: unlimited. */
  rateLimit: number | null;
  ordering: Ordering;
  /** Attempts in flight at once, unless `ordered`. */
  maxInFlight: number;
  whileInactive: WhileInactive;
  onExhausted: OnExhausted;
  /** HTTP statuses that fail a delivery at once, instead of a retry. */
  permanentStatuses: readonly number[];
  format: BodyFormat;
  /** The body's media type, a kind of JSON. */
  contentType: string;
  /** True if requests carry `traceparent`, where their delivery is traced. */
  traceparent: boolean;
};

/** Which deliveries keep their order: all of the endpoint, the ones with the same ordering key, or none. */
export const ORDERINGS = ["ordered", "by_key", "unordered"] as const;
export type Ordering = (typeof ORDERINGS)[number];

/** Whether an inactive endpoint's events wait for it, or make no delivery. */
export const WHILE_INACTIVE = ["hold", "skip"] as const;
export type WhileInactive = (typeof WHILE_INACTIVE)[number];

/** The form of the body: the payload alone, in the envelope of Standard Webhooks, or as a message for people. */
export const BODY_FORMATS = ["payload", "envelope", "slack", "teams"] as const;
export type BodyFormat = (typeof BODY_FORMATS)[number];

/** Whether the endpoint goes on after a delivery that used up its schedule, or is set inactive. */
export const ON_EXHAUSTED = ["skip", "pause"] as const;
export type OnExhausted = (typeof ON_EXHAUSTED)[number];

/** Absent or undefined settings stay as they are. */
export type TuningPatch = { [Name in keyof Tuning]?: Tuning[Name] | undefined };

export const JSON_TYPE = "application/json";
/** JSON, or a kind of it with a structured syntax suffix (RFC 6839, 3.1). */
export const CONTENT_TYPE = "^application/(json|[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*\\+json)$";

export const TUNING_LIMITS = {
  metadataEntries: 50,
  metadataKeyCharacters: 64,
  metadataValueCharacters: 512,
  retries: 20,
  retryMs: { least: 100, most: 86_400_000 },
  /** Sum of a whole schedule, in milliseconds. */
  retrySumMs: 604_800_000,
  timeoutMs: { least: 100, most: 60_000 },
  rateLimit: { least: 1, most: 1_000 },
  maxInFlight: { least: 1, most: 100 },
  permanentStatus: { least: 400, most: 499 },
  contentTypeCharacters: 128,
} as const;
