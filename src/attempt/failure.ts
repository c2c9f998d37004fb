import { CERTIFICATE_CODES } from "./certificate-codes";
import type { ExchangeError } from "./exchange";
import { TargetError } from "./target-error";

const BY_CODE: Readonly<Record<string, ExchangeError>> = {
  ECONNREFUSED: "connection_refused",
  ECONNRESET: "connection_reset",
  ECONNABORTED: "connection_reset",
  EPIPE: "connection_reset",
  ENOTFOUND: "dns",
  EPROTO: "tls",
};

/** Of TLS itself; those of certificate checks are a list of their own. */
const TLS_CODE = /^ERR_(TLS|SSL|OSSL)/;

/** What came is no answer in HTTP/1, or leaves open where it ends. */
export class UnreadableAnswer extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UnreadableAnswer";
  }
}

/** The head of an answer goes on and on. */
export class HeadTooLarge extends Error {
  constructor() {
    super("the head of the answer is too large");
    this.name = "HeadTooLarge";
  }
}

/** A receiver's certificates go on and on. */
export class HandshakeTooLarge extends Error {
  readonly code = "ERR_TLS_HANDSHAKE_TOO_LARGE";

  constructor() {
    super("the handshake is too large");
    this.name = "HandshakeTooLarge";
  }
}

/** The connection was closed before the answer was there. */
export class ConnectionLost extends Error {
  readonly code = "ECONNRESET";

  constructor() {
    super("the connection was closed");
    this.name = "ConnectionLost";
  }
}

/** The proxy answered in place of the receiver: it wants to be told who we are, or opens no tunnel. */
export class ProxyRefusal extends Error {
  constructor() {
    super("the proxy refused");
    this.name = "ProxyRefusal";
  }
}

/** What a thrown error says about the exchange; `connection_failed` when it says nothing known. */
export function failureOf(error: unknown, isProxied = false): ExchangeError {
  if (error instanceof TargetError) return error.code === "dns_timeout" ? "dns" : error.code;
  if (error instanceof UnreadableAnswer) return "protocol";
  if (error instanceof HeadTooLarge) return "response_too_large";
  // By way of a proxy the only connection of our own is the one to it.
  if (error instanceof ProxyRefusal || (isProxied && neverConnected(error))) return "proxy";
  const code = codeOf(error);
  if (code === null) return "connection_failed";
  const known = BY_CODE[code];
  if (known) return known;
  return TLS_CODE.test(code) || CERTIFICATE_CODES.has(code) ? "tls" : "connection_failed";
}

// Not ETIMEDOUT, which a connection that was made ends with too. Of such a connection, the kernel reports
// unreachable hosts and networks only after a quarter of an hour of retransmissions.
const NO_CONNECTION = new Set(["ECONNREFUSED", "ENETUNREACH", "EHOSTUNREACH", "EADDRNOTAVAIL", "ENOTFOUND"]);

/** True when it is certain that nothing was sent, for there was no connection. */
export function neverConnected(error: unknown): boolean {
  return NO_CONNECTION.has(codeOf(error) ?? "");
}

function codeOf(error: unknown): string | null {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : null;
}
