import type { Instruction } from "./http1/answer-head";

/** Why an exchange failed; the closed list that attempts are recorded with. */
export const EXCHANGE_ERRORS = [
  "timeout",
  "invalid_url",
  "https_required",
  "blocked_address",
  "dns",
  "connection_refused",
  "connection_reset",
  "connection_failed",
  "tls",
  "proxy",
  "protocol",
  "response_too_large",
] as const;

export type ExchangeError = (typeof EXCHANGE_ERRORS)[number];

/** What became of one request. */
export type Exchange = Readonly<{
  /**
   * Whether the receiver took the delivery: a whole head of 2xx came, and the kernel took the last byte of the request
   * before the connection was lost. A body that breaks off after that changes nothing.
   */
  acknowledged: boolean;
  /** Status of the answer, 100–999; 0 when no head of an answer came. */
  status: number;
  /** Null when the answer came whole, or its first KiB did. With a status, also of 2xx: what came after the head is cut short. */
  error: ExchangeError | null;
  /**
   * Why, in words of `ERROR_DETAILS` and, of a name with addresses that were dropped, their kinds:
   * `host_unreachable; not permitted: link_local`. Null when nothing more is known.
   */
  errorDetail: string | null;
  /** Where a redirect leads; it is not followed. */
  location: string | null;
  /** When it began, Unix milliseconds. */
  startedAt: number;
  /** From the start of the look-up to the end of the body, whole milliseconds; waiting for a place excluded. */
  durationMs: number;
  /** The first KiB as text without NUL, or what came of it; empty when the body is, null when no head came. */
  responseBody: string | null;
  /** Milliseconds the receiver asked us to stay away, at most an hour; null when it did not. */
  retryAfterMs: number | null;
  instruction: Instruction | null;
}>;
