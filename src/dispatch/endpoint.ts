import type { Ordering } from "../domain/tuning";

/** What an attempt needs to know of its endpoint, as of a revision. */
export type EndpointView = Readonly<{
  revision: number;
  url: string;
  /** The signing secret that is in force for good. */
  secrets: readonly string[];
  /** Those it replaced, the newest first. */
  expiringSecrets: readonly ExpiringSecret[];
  /** What the account adds to its requests, names in lower case; null is nothing. */
  headers: Readonly<Record<string, string>> | null;
  /** The names of those headers whose values are secret. */
  secretHeaders: readonly string[];
  /** Since when every attempt has failed, Unix milliseconds; null: the last one succeeded. */
  failingSince: number | null;
  /** True from when the receiver asked to be left alone until the next success: attempts are made one at a time. */
  probes: boolean;
  /** The wait after each failed attempt, milliseconds; null: the service's own schedule. */
  retryScheduleMs: readonly number[] | null;
  /** True if the body is an envelope around the payload. */
  envelope: boolean;
  /** True if requests carry `traceparent`. */
  traceparent: boolean;
  /** HTTP statuses that fail a delivery at once. */
  permanentStatuses: readonly number[];
  /** Deadline of an attempt, milliseconds; null: the service's own. */
  timeoutMs: number | null;
  /** Attempts that may begin in any one second; null: as many as come. */
  rateLimit: number | null;
  ordering: Ordering;
  /** Attempts in flight at once; 1 where ordered, and while it probes. */
  maxInFlight: number;
}>;

/** What most endpoints are like: they ask for nothing of their own, and nothing is wrong. One for all, for it is compared. */
export const PLAIN: Omit<EndpointView, "revision" | "url" | "secrets"> = {
  expiringSecrets: [],
  headers: null,
  secretHeaders: [],
  failingSince: null,
  probes: false,
  retryScheduleMs: null,
  envelope: false,
  traceparent: false,
  permanentStatuses: [],
  timeoutMs: null,
  rateLimit: null,
  ordering: "ordered",
  maxInFlight: 1,
};

/** True when the next success is to be written to the endpoint. */
export function isTroubled({ failingSince, probes }: Pick<EndpointView, "failingSince" | "probes">): boolean {
  return failingSince !== null || probes;
}

/** Signs until its time, Unix milliseconds. */
export type ExpiringSecret = Readonly<{ secret: string; until: number }>;

/** The secrets that sign at a moment, the newest first. No news is needed for one to end. */
export function secretsAt({ secrets, expiringSecrets }: EndpointView, now: number): readonly string[] {
  if (expiringSecrets.length === 0) return secrets;
  const lasting = expiringSecrets.filter(({ until }) => now < until);
  return [...secrets, ...lasting.map(({ secret }) => secret)];
}
