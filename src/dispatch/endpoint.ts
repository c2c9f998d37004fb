/** What an attempt needs to know of its endpoint, as of a revision. */
export type EndpointView = Readonly<{
  revision: number;
  url: string;
  /** Signing secrets, the newest first; more than one while a rotated secret overlaps. */
  secrets: readonly string[];
  /** Since when every attempt has failed, Unix milliseconds; null: the last one succeeded. */
  failingSince: number | null;
  /** The wait after each failed attempt, milliseconds; null: the service's own schedule. */
  retryScheduleMs: readonly number[] | null;
  /** Deadline of an attempt, milliseconds; null: the service's own. */
  timeoutMs: number | null;
  /** Attempts that may begin in any one second; null: as many as come. */
  rateLimit: number | null;
}>;
