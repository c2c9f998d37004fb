import type { Instruction } from "../domain/outcome";
import type { Clock } from "../runtime/clock";

/** Why an exchange failed. Attempts are recorded with these codes alone. */
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

/** A request that was written to a connection, at least in part. */
export type SentRequest = Readonly<{
  host: string;
  userAgent: string;
  /** As the sender was given them, names in lower case. */
  headers: Readonly<Record<string, string>>;
  contentLength: number;
}>;

/** What became of one request. */
export type Exchange = Readonly<{
  /**
   * Whether the receiver took the delivery: the whole head of a 2xx arrived, and the kernel took the last byte of the
   * request before the connection was lost. An answer whose body breaks off after that counts all the same.
   */
  acknowledged: boolean;
  /** Status of the answer, 100–999; 0 if no head arrived. */
  status: number;
  /** Null if the answer is whole, or as much of it as is kept arrived. Beside a status, also of 2xx: the rest of the exchange failed. */
  error: ExchangeError | null;
  /**
   * The reason, a word of `ERROR_DETAILS`, followed by the kinds of the name's addresses that are not permitted:
   * `host_unreachable; not permitted: link_local`. Null if nothing more is known.
   */
  errorDetail: string | null;
  /** Where a redirect leads; it is not followed. */
  location: string | null;
  /** When it began, Unix milliseconds. */
  startedAt: number;
  /** Whole milliseconds from the look-up to the end of the body, without the wait for a slot. */
  durationMs: number;
  /** The beginning of the body, or the part that arrived, as text without NUL. Null if no head arrived. */
  responseBody: string | null;
  /** The header lines of the answer, see `AnswerHead`. Null if no head arrived. */
  responseHeaders: string | null;
  /** Address and port that the connection went to, or should have. Null if there was none. */
  address: string | null;
  timing: Timing;
  /** Null if nothing was written. */
  request: SentRequest | null;
  /** Milliseconds of `Retry-After`, at most an hour; null without one. */
  retryAfterMs: number | null;
  instruction: Instruction | null;
}>;

/** Where the time of an exchange went, in whole milliseconds. Null: the step was not needed, or did not end. */
export type Timing = Readonly<{
  lookupMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  /** From the first byte of the request to the first byte of the answer. */
  firstByteMs: number | null;
}>;

/** Notes how an exchange goes: the address, and when each step ended. */
export class ExchangeTrace {
  /** Address and port, the last one tried. */
  address: string | null = null;
  private lookupMs: number | null = null;
  private connectMs: number | null = null;
  private tlsMs: number | null = null;
  private sentAt: number | null = null;
  private answeredAt: number | null = null;

  constructor(private readonly clock: Pick<Clock, "monotonic">) {}

  lookedUp(sinceMs: number): void {
    this.lookupMs = this.clock.monotonic() - sinceMs;
  }

  /** `tlsMs`: the part that the handshake took; null without TLS. */
  connected(sinceMs: number, tlsMs: number | null): void {
    this.connectMs = this.clock.monotonic() - sinceMs - (tlsMs ?? 0);
    this.tlsMs = tlsMs;
  }

  /** The request is about to be written. */
  sending(): void {
    this.sentAt = this.clock.monotonic();
  }

  /** Bytes of the answer arrived. */
  answering(): void {
    this.answeredAt ??= this.clock.monotonic();
  }

  get timing(): Timing {
    const { sentAt, answeredAt } = this;
    return {
      lookupMs: rounded(this.lookupMs),
      connectMs: rounded(this.connectMs),
      tlsMs: rounded(this.tlsMs),
      firstByteMs: sentAt === null || answeredAt === null ? null : Math.round(answeredAt - sentAt),
    };
  }
}

function rounded(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms);
}
