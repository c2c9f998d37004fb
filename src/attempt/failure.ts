import { closeSync, openSync } from "node:fs";
import { isIPv4 } from "node:net";
import { getSystemErrorName } from "node:util";
import { CERTIFICATE_CODES, detailOfCode, type ERROR_DETAILS, type ErrorDetail } from "./error-detail";
import type { ExchangeError, Shortage } from "./exchange";

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
  constructor(readonly detail: (typeof ERROR_DETAILS.protocol)[number]) {
    super(`the answer can't be read: ${detail}`);
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
  if (thrown instanceof UnreadableAnswer) return { error: "protocol", detail: thrown.detail };
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

/** Thrown if this machine can't make or use a connection. The receiver is not at fault. */
export class OwnFailure extends Error {
  constructor(readonly shortage: Shortage) {
    super(`this machine lacks ${shortage} for a connection`);
    this.name = "OwnFailure";
  }
}

/** Replaces an error by an `OwnFailure` if its code means that this machine lacks a resource. */
export function orOwnFailure(error: unknown): unknown {
  const shortage = error instanceof OwnFailure ? null : shortageIn(error);
  return shortage === null ? error : new OwnFailure(shortage);
}

/**
 * Does the same as `orOwnFailure` for an error of connecting or looking up. Bun reports a socket that it can't make as
 * `ECONNREFUSED`, and c-ares as a failure of DNS, so this opens a file to see whether the process can.
 */
export function orOwnFailureToConnect(error: unknown, canOpenFile = opensFile): unknown {
  const known = orOwnFailure(error);
  return known instanceof OwnFailure || canOpenFile() ? known : new OwnFailure("files");
}

/** Returns the resource that this machine lacked, if that is why an error was thrown. */
export function shortageIn(error: unknown): Shortage | null {
  if (error instanceof OwnFailure) return error.shortage;
  const { address } = (error ?? {}) as { address?: unknown };
  const code = systemCodeOf(error);
  if (code === "EMFILE" || code === "ENFILE") return "files";
  if (code === "ENOBUFS" || code === "ENOMEM") return "memory";
  // Over IPv6 the code also means that this machine has no IPv6 address, so another address of the name may work.
  return code === "EADDRNOTAVAIL" && isIPv4(String(address)) ? "ports" : null;
}

/** An `ERR_SYSTEM_ERROR`, thrown when the interfaces are read, has its code only as a number. */
function systemCodeOf(error: unknown): unknown {
  const { code, errno } = (error ?? {}) as { code?: unknown; errno?: unknown };
  return code === "ERR_SYSTEM_ERROR" ? getSystemErrorName(-Math.abs(Number(errno))) : code;
}

function opensFile(): boolean {
  try {
    closeSync(openSync("/dev/null", "r"));
    return true;
  } catch (error) {
    return shortageIn(error) === null;
  }
}
