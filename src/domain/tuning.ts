/** Settings of an endpoint besides its URL and filter. */
export type Tuning = {
  /** The account's own notes; Hermod does not use them. */
  metadata: Readonly<Record<string, string>>;
  /** The waits in milliseconds after failed attempts; null for the service's own schedule. */
  retryScheduleMs: readonly number[] | null;
  /** Time limit of an attempt; null for the service's own. */
  timeoutMs: number | null;
  /** Most attempts that may start within any second; null for no limit. */
  rateLimit: number | null;
  ordering: Ordering;
  /** Most attempts in flight. Ignored if the ordering is `ordered`. */
  maxInFlight: number;
  whileInactive: WhileInactive;
  onExhausted: OnExhausted;
  /** HTTP statuses that fail a delivery at once, instead of a retry. */
  permanentStatuses: readonly number[];
  format: BodyFormat;
  /** The body's media type, a kind of JSON. */
  contentType: string;
  /** True if requests of traced deliveries have `traceparent`. */
  traceparent: boolean;
};

/** The deliveries that keep their order: all of the endpoint, those with the same ordering key, or none. */
export const ORDERINGS = ["ordered", "by_key", "unordered"] as const;
export type Ordering = (typeof ORDERINGS)[number];

/** Events for an inactive endpoint wait for it, or make no delivery. */
export const WHILE_INACTIVE = ["hold", "skip"] as const;
export type WhileInactive = (typeof WHILE_INACTIVE)[number];

/** The form of the body: the payload alone, in the envelope of Standard Webhooks, or as a message for people. */
export const BODY_FORMATS = ["payload", "envelope", "slack", "teams", "email"] as const;
export type BodyFormat = (typeof BODY_FORMATS)[number];

/** When a delivery has used up its schedule: it fails and the next one follows, or the endpoint stops at it. */
export const ON_EXHAUSTED = ["skip", "pause"] as const;
export type OnExhausted = (typeof ON_EXHAUSTED)[number];

/** Changes to settings. Absent or undefined settings stay unchanged. */
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
  /** Greatest sum of a schedule's waits. */
  retrySumMs: 604_800_000,
  timeoutMs: { least: 100, most: 60_000 },
  rateLimit: { least: 1, most: 1_000 },
  maxInFlight: { least: 1, most: 100 },
  permanentStatus: { least: 400, most: 499 },
  contentTypeCharacters: 128,
} as const;
