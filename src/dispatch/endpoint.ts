import type { BodyFormat, Ordering } from "../domain/tuning";

/** The endpoint's settings that an attempt needs, as of a revision. */
export type EndpointView = Readonly<{
  revision: number;
  url: string;
  /** The newest signing secret, which does not expire. */
  secrets: readonly string[];
  /** Replaced secrets that still sign, newest first. */
  expiringSecrets: readonly ExpiringSecret[];
  /** Headers that the account adds, with names in lower case; null: none. */
  headers: Readonly<Record<string, string>> | null;
  /** The names of those headers whose values are secret. */
  secretHeaders: readonly string[];
  /** Time since which every attempt has failed, in Unix milliseconds; null: the last attempt succeeded. */
  failingSince: number | null;
  /** True after the receiver asked for a rest, until the next success. Then attempts are made one at a time. */
  probes: boolean;
  /** The wait in milliseconds after each failed attempt; null: the service's own schedule. */
  retryScheduleMs: readonly number[] | null;
  format: BodyFormat;
  /** True if requests carry `traceparent`. */
  traceparent: boolean;
  /** HTTP statuses that fail a delivery at once. */
  permanentStatuses: readonly number[];
  /** True if a delivery that used up its schedule stays first and sets the endpoint inactive. */
  stopsWhenExhausted: boolean;
  /** Deadline of an attempt in milliseconds; null: the service's own. */
  timeoutMs: number | null;
  /** Attempts that may begin within any second; null: unlimited. */
  rateLimit: number | null;
  ordering: Ordering;
  /** Attempts in flight at once; 1 where ordered, and while it probes. */
  maxInFlight: number;
}>;

/** The settings of an ordinary endpoint: defaults, and no failure. */
export const PLAIN: Omit<EndpointView, "revision" | "url" | "secrets"> = {
  expiringSecrets: [],
  headers: null,
  secretHeaders: [],
  failingSince: null,
  probes: false,
  retryScheduleMs: null,
  format: "payload",
  traceparent: false,
  permanentStatuses: [],
  stopsWhenExhausted: false,
  timeoutMs: null,
  rateLimit: null,
  ordering: "ordered",
  maxInFlight: 1,
};

/** True when the next success is to be written to the endpoint. */
export function isTroubled({ failingSince, probes }: Pick<EndpointView, "failingSince" | "probes">): boolean {
  return failingSince !== null || probes;
}

/** A replaced secret, which signs until a time in Unix milliseconds. */
export type ExpiringSecret = Readonly<{ secret: string; until: number }>;

/** Returns the secrets that sign at a moment, newest first. A secret expires without a message. */
export function secretsAt({ secrets, expiringSecrets }: EndpointView, now: number): readonly string[] {
  if (expiringSecrets.length === 0) return secrets;
  const lasting = expiringSecrets.filter(({ until }) => now < until);
  return [...secrets, ...lasting.map(({ secret }) => secret)];
}
