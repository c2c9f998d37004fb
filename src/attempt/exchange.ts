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

/** What became of one request. Delivered means: `error` is null and `status` is 2xx. */
export type Exchange = Readonly<{
  /** Status of the answer, 100–999; 0 when no head of an answer came. */
  status: number;
  /** Null when the answer came whole, or its first KiB did. May go with a status: the body broke off. */
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
  /** The first KiB as text without NUL; empty when the body is, null when the exchange failed. */
  responseBody: string | null;
  /** Milliseconds the receiver asked us to stay away, at most an hour; null when it did not. */
  retryAfterMs: number | null;
}>;

/** True when the receiver took the delivery. A 2xx whose body broke off or ran out of time does not count. */
export function succeeded({ status, error }: Pick<Exchange, "status" | "error">): boolean {
  return error === null && status >= 200 && status < 300;
}
