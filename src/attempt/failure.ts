import { CERTIFICATE_CODES, detailOfCode, type ERROR_DETAILS, type ErrorDetail } from "./error-detail";
import type { ExchangeError } from "./exchange";

const BY_CODE: ReadonlyMap<string, ExchangeError> = new Map([
  ["ECONNREFUSED", "connection_refused"],
  ["ECONNRESET", "connection_reset"],
  ["ECONNABORTED", "connection_reset"],
  ["EPIPE", "connection_reset"],
  ["ENOTFOUND", "dns"],
  ["EPROTO", "tls"],
]);

/** Codes of TLS itself. Codes of certificate checks are in `CERTIFICATE_CODES`. */
const TLS_CODE = /^ERR_(TLS|SSL|OSSL)/;

/** The answer is not HTTP/1, or its end is not certain. */
export class UnreadableAnswer extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UnreadableAnswer";
  }
}

/** The head of the answer exceeds its limit. */
export class HeadTooLarge extends Error {
  constructor() {
    super("the head of the answer is too large");
    this.name = "HeadTooLarge";
  }
}

/** The receiver's certificates are too large. */
export class HandshakeTooLarge extends Error {
  readonly code = "ERR_TLS_HANDSHAKE_TOO_LARGE";

  constructor() {
    super("the handshake is too large");
    this.name = "HandshakeTooLarge";
  }
}

/** The connection was closed before the answer was whole. */
export class ConnectionLost extends Error {
  readonly code = "ECONNRESET";

  constructor() {
    super("the connection was closed");
    this.name = "ConnectionLost";
  }
}

/** Our own proxy opened no tunnel, so nothing was sent to the receiver. */
export class ProxyFailure extends Error {
  readonly detail: string;
  /** The status of the proxy's answer; null if there was none. */
  readonly status: number | null;

  constructor(
    readonly reason: (typeof ERROR_DETAILS.proxy)[number],
    { status, cause }: { status?: number; cause?: unknown } = {},
  ) {
    const detail = status === undefined ? reason : `${reason} ${status}`;
    super(`the proxy failed: ${detail}`, { cause });
    this.name = "ProxyFailure";
    this.detail = detail;
    this.status = status ?? null;
  }
}

/** The error of an exchange. `detail` is null if nothing more is known. */
export type Failure = Readonly<{ error: ExchangeError; detail: string | null }>;

/** Classifies a thrown error; `connection_failed` if its code is unknown. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof TargetError) return { error: thrown.code, detail: thrown.detail };
  if (thrown instanceof UnreadableAnswer) return { error: "protocol", detail: null };
  if (thrown instanceof HeadTooLarge) return { error: "response_too_large", detail: null };
  if (thrown instanceof ProxyFailure) return { error: "proxy", detail: thrown.detail };
  return { error: errorOf(codeOf(thrown)), detail: detailOf(thrown) };
}

/** Returns the reason in a thrown error's code; null if the code is unknown. */
export function detailOf(thrown: unknown): ErrorDetail | null {
  return detailOfCode(codeOf(thrown));
}

function errorOf(code: string | null): ExchangeError {
  if (code === null) return "connection_failed";
  const isOfTls = TLS_CODE.test(code) || CERTIFICATE_CODES.has(code);
  return BY_CODE.get(code) ?? (isOfTls ? "tls" : "connection_failed");
}

// Without ETIMEDOUT, which ends established connections too. For these the kernel reports unreachable hosts and networks
// only after a quarter of an hour of retransmissions.
const NO_CONNECTION = new Set(["ECONNREFUSED", "ENETUNREACH", "EHOSTUNREACH", "EADDRNOTAVAIL", "ENOTFOUND"]);

/** True if no connection was made: nothing was sent, and another address may work. */
export function neverConnected(error: unknown): boolean {
  if (error instanceof ProxyFailure) return error.reason === "tunnel_refused";
  return NO_CONNECTION.has(codeOf(error) ?? "");
}

function codeOf(error: unknown): string | null {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : null;
}

export type TargetErrorCode = Extract<
  ExchangeError,
  "invalid_url" | "https_required" | "blocked_address" | "dns"
>;

/** Thrown for a target that Hermod must not or can't connect to. */
export class TargetError extends Error {
  constructor(
    readonly code: TargetErrorCode,
    /** The reason, for `error_detail`. */
    readonly detail: string | null,
  ) {
    super(detail === null ? code : `${code}: ${detail}`);
    this.name = "TargetError";
  }
}
