import type { Instruction } from "../domain/outcome";
import type { Clock } from "../runtime/clock";

/** The body of a request. */
export type Body = string | StoredBody;

/** A large body, which is read only when it may be sent, because thousands may wait. */
export type StoredBody = Readonly<{
  bytes: number;
  /** Resolves to null if the body was erased or can't be read now. Never rejects. */
  read(): Promise<string | null>;
}>;

/** A POST to be made to an endpoint's receiver, or an e-mail to send. */
export type SendRequest<Content extends Body = Body> = {
  /** The order of waiting requests depends on it. `isFailing`: the endpoint's last attempt failed. */
  owner: Readonly<{ account: string; endpoint: string; isFailing: boolean }>;
  url: string;
  /**
   * Makes the headers, with names in lower case, when the request is sent. That may be long after the call of `send`, and
   * receivers refuse old signatures. The `Exchanger` adds `host` and `user-agent`.
   */
  headers(body: string): Record<string, string>;
  body: Content;
  /** Called once the kernel has taken a large body. */
  onSent?(): void;
  /** Null: the deadline of the `Sender`. */
  timeoutMs: number | null;
  guard: SendGuard;
};

/** Decides whether a request may still be sent. It may become unwanted between the call of `send` and the connection. */
export type SendGuard = {
  /** Called while the request waits for a slot. False ends the wait. */
  stillWanted(): boolean;
  /** Called when a connection is ready. After true the request is sent at once. */
  tryStart(): boolean;
};

/** A resource that this machine may lack for a connection: open files, memory for sockets, local ports. */
export type Shortage = "files" | "memory" | "ports";

/** The result of a `SendRequest`. */
export type ExchangeResult =
  | Readonly<{ kind: "exchanged"; exchange: Exchange }>
  /** Nothing was sent, because the guard said no or the body could not be read. */
  | Readonly<{ kind: "unsent" }>
  /** This machine lacks a resource for a connection. The receiver is not at fault. */
  | Readonly<{ kind: "own_failure"; shortage: Shortage }>;

/** Codes for a failed exchange. Attempts are recorded with them. */
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
  "mail_server",
  "protocol",
  "response_too_large",
] as const;

export type ExchangeError = (typeof EXCHANGE_ERRORS)[number];

/** A request that was written to a connection, wholly or in part. */
export type SentRequest = Readonly<{
  host: string;
  userAgent: string;
  /** The headers of the `SendRequest`, with names in lower case. */
  headers: Readonly<Record<string, string>>;
  contentLength: number;
}>;

/** One request and its answer. */
export type Exchange = Readonly<{
  /**
   * True if the receiver took the delivery: the whole head of a 2xx arrived, and the kernel took the last byte of the
   * request before the connection was lost. The body of the answer may break off after that.
   */
  acknowledged: boolean;
  /** Status of the answer, from 100 to 999; 0 if no head arrived. */
  status: number;
  /**
   * Null if the answer is complete, or if all that Hermod keeps of it arrived. With a status, even a 2xx: the exchange
   * failed after the head.
   */
  error: ExchangeError | null;
  /**
   * The reason for the error, a word of `ERROR_DETAILS`, then the kinds of addresses that are not permitted:
   * `host_unreachable; not permitted: link_local`. Null if nothing more is known.
   */
  errorDetail: string | null;
  /** Target of a redirect, which Hermod does not follow. */
  location: string | null;
  /** Start, in Unix milliseconds. */
  startedAt: number;
  /** From the look-up to the end of the body, in whole milliseconds, without the wait for a slot. */
  durationMs: number;
  /** The beginning of the body, or the part that arrived, as text without NUL. Null if no head arrived. */
  responseBody: string | null;
  /** The header lines of the answer, see `AnswerHead`. Null if no head arrived. */
  responseHeaders: string | null;
  /** Address and port of the connection, or of the last try to connect. Null without an address. */
  address: string | null;
  timing: Timing;
  /** Null if nothing was written. */
  request: SentRequest | null;
  /** Milliseconds of `Retry-After`, at most an hour; null without one. */
  retryAfterMs: number | null;
  instruction: Instruction | null;
}>;

/** Duration of each step of an exchange, in whole milliseconds. Null: the step was not needed, or did not end. */
export type Timing = Readonly<{
  lookupMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  /** From the first byte of the request to the first byte of the answer. */
  firstByteMs: number | null;
}>;

/** Measures the steps of an exchange, and notes its address and its request. */
export class ExchangeTrace {
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** Monotonic milliseconds. */
  readonly began: number;
  /** Address and port of the last try. */
  address: string | null = null;
  /** Null until it is written. */
  request: SentRequest | null = null;
  private lookupMs: number | null = null;
  private connectMs: number | null = null;
  private tlsMs: number | null = null;
  private sentAt: number | null = null;
  private answeredAt: number | null = null;

  constructor(private readonly clock: Pick<Clock, "now" | "monotonic">) {
    this.startedAt = clock.now();
    this.began = clock.monotonic();
  }

  get durationMs(): number {
    return Math.round(this.clock.monotonic() - this.began);
  }

  lookedUp(sinceMs: number): void {
    this.lookupMs = this.clock.monotonic() - sinceMs;
  }

  /** `tlsMs`: duration of the TLS handshake; null without TLS. */
  connected(sinceMs: number, tlsMs: number | null): void {
    this.connectMs = this.clock.monotonic() - sinceMs - (tlsMs ?? 0);
    this.tlsMs = tlsMs;
  }

  sending(request: SentRequest): void {
    this.request = request;
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
