import { expect, test } from "bun:test";
import { ERROR_DETAILS } from "../../src/attempt/error-detail";
import {
  ConnectionLost,
  detailOf,
  failureOf,
  HeadTooLarge,
  neverConnected,
  ProxyFailure,
  TargetError,
  UnreadableAnswer,
} from "../../src/attempt/failure";

const withCode = (code: unknown) => Object.assign(new TypeError("fetch failed"), { code });

test.each([
  ["connection_refused", "ECONNREFUSED"],
  ["connection_reset", "ECONNRESET EPIPE ECONNABORTED"],
  ["connection_failed", "ENETUNREACH EHOSTUNREACH ETIMEDOUT EADDRNOTAVAIL EMFILE EACCES ENOBUFS"],
  ["dns", "ENOTFOUND"],
  [
    "tls",
    "EPROTO CERT_HAS_EXPIRED CERT_NOT_YET_VALID CERT_REVOKED CERT_UNTRUSTED DEPTH_ZERO_SELF_SIGNED_CERT",
  ],
  ["tls", "SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_GET_ISSUER_CERT_LOCALLY UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
  [
    "tls",
    "ERR_TLS_CERT_ALTNAME_INVALID ERR_SSL_WRONG_VERSION_NUMBER HOSTNAME_MISMATCH INVALID_CA INVALID_PURPOSE",
  ],
  [
    "tls",
    "CERT_SIGNATURE_FAILURE SUBJECT_ISSUER_MISMATCH PATH_LENGTH_EXCEEDED CERT_CHAIN_TOO_LONG CRL_HAS_EXPIRED",
  ],
  [
    "tls",
    "UNSPECIFIED PERMITTED_VIOLATION EXCLUDED_VIOLATION SUBTREE_MINMAX UNSUPPORTED_NAME_SYNTAX UNSUPPORTED_CONSTRAINT_TYPE",
  ],
  [
    "tls",
    "UNHANDLED_CRITICAL_EXTENSION INVALID_EXTENSION NO_EXPLICIT_POLICY KEYUSAGE_NO_CERTSIGN INVALID_NON_CA",
  ],
])("%s: %s", (error, codes) => {
  for (const code of codes.split(" "))
    expect([code, failureOf(withCode(code)).error as string]).toEqual([code, error]);
});

test("an unknown failure is a failure of the connection", () => {
  const odd = [
    undefined,
    null,
    "",
    "text",
    20,
    new Error("odd"),
    withCode(20),
    withCode(""),
    withCode("odd"),
  ];
  for (const thrown of odd) expect(failureOf(thrown)).toEqual({ error: "connection_failed", detail: null });
});

test("failures of the target keep their names and details", () => {
  const named = (...[code, detail]: ConstructorParameters<typeof TargetError>) =>
    expect(failureOf(new TargetError(code, detail))).toEqual({ error: code, detail });
  named("blocked_address", null);
  named("invalid_url", null);
  named("dns", "no_answer");
});

test("failures of the answer and of the proxy keep theirs too", () => {
  const detail = null;
  for (const each of ERROR_DETAILS.protocol)
    expect(failureOf(new UnreadableAnswer(each))).toEqual({ error: "protocol", detail: each });
  expect(failureOf(new HeadTooLarge())).toEqual({ error: "response_too_large", detail });
  expect(failureOf(new ConnectionLost())).toEqual({ error: "connection_reset", detail });
  for (const reason of ERROR_DETAILS.proxy)
    expect(failureOf(new ProxyFailure(reason))).toEqual({ error: "proxy", detail: reason });
  const refusal = new ProxyFailure("tunnel_refused", { status: 403 });
  expect(failureOf(refusal)).toEqual({ error: "proxy", detail: "tunnel_refused 403" });
});

test.each([
  ["certificate_wrong_name", "ERR_TLS_CERT_ALTNAME_INVALID HOSTNAME_MISMATCH"],
  ["certificate_chain_incomplete", "UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_GET_ISSUER_CERT_LOCALLY"],
  ["certificate_invalid", "UNSPECIFIED INVALID_CA PERMITTED_VIOLATION"],
  ["host_unreachable", "EHOSTUNREACH"],
  ["network_unreachable", "ENETUNREACH"],
])("%s: %s", (detail, codes) => {
  for (const code of codes.split(" "))
    expect(detailOf(withCode(code))).toBe(detail as ReturnType<typeof detailOf>);
});

test("only a refused tunnel allows another address, not a failing proxy", () => {
  for (const reason of ERROR_DETAILS.proxy)
    expect(neverConnected(new ProxyFailure(reason))).toBe(reason === "tunnel_refused");
});

test("only a failure before there is a connection is known to have sent nothing", () => {
  for (const code of ["ECONNREFUSED", "ENETUNREACH", "EHOSTUNREACH", "EADDRNOTAVAIL", "ENOTFOUND"])
    expect(neverConnected(withCode(code))).toBe(true);
  for (const code of ["ECONNRESET", "EPIPE", "ETIMEDOUT", "EPROTO"])
    expect(neverConnected(withCode(code))).toBe(false);
  expect(neverConnected(null)).toBe(false);
});
