import { CERTIFICATE_CODES } from "./connections/certificate-codes";
import type { ExchangeError } from "./exchange";

/** The words that say why an exchange failed, by its error. An error that is not here has none. */
export const ERROR_DETAILS = {
  blocked_address: ["internal_name"],
  timeout: ["not_connected", "no_response", "request_not_taken", "answer_cut_short"],
  connection_reset: ["request_not_taken", "answer_cut_short"],
  dns: [
    "name_not_found",
    "no_answer",
    "server_failure",
    "query_refused",
    "unreadable_answer",
    "too_many_lookups",
  ],
  connection_failed: ["network_unreachable", "host_unreachable", "connection_timed_out"],
  tls: [
    "certificate_expired",
    "certificate_not_yet_valid",
    "certificate_wrong_name",
    "certificate_self_signed",
    "certificate_unknown_authority",
    "certificate_chain_incomplete",
    "certificate_invalid",
    "client_certificate_required",
    "tls_version",
    "http2_only",
    "not_tls",
    "unknown_name",
    "handshake_refused",
    "handshake_too_large",
    "renegotiation",
  ],
  proxy: ["proxy_unreachable", "proxy_credentials", "proxy_timeout", "tunnel_refused"],
} as const satisfies Partial<Record<ExchangeError, readonly string[]>>;

export type ErrorDetail = (typeof ERROR_DETAILS)[keyof typeof ERROR_DETAILS][number];

/** Codes of c-ares, of the kernel and of BoringSSL, whose alerts are those of RFC 8446, 6. */
const BY_CODE: ReadonlyMap<string, ErrorDetail> = new Map([
  ["DNS_ENOTFOUND", "name_not_found"],
  ["DNS_ENODATA", "name_not_found"],
  ["DNS_ESERVFAIL", "server_failure"],
  ["DNS_EREFUSED", "query_refused"],
  ["DNS_ETIMEOUT", "no_answer"],
  ["DNS_ECONNREFUSED", "no_answer"],
  ["DNS_EBADRESP", "unreadable_answer"],
  ["DNS_EFORMERR", "unreadable_answer"],
  ["ENETUNREACH", "network_unreachable"],
  ["EHOSTUNREACH", "host_unreachable"],
  ["ETIMEDOUT", "connection_timed_out"],
  ["CERT_HAS_EXPIRED", "certificate_expired"],
  ["CERT_NOT_YET_VALID", "certificate_not_yet_valid"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "certificate_wrong_name"],
  ["HOSTNAME_MISMATCH", "certificate_wrong_name"],
  ["IP_ADDRESS_MISMATCH", "certificate_wrong_name"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "certificate_self_signed"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "certificate_unknown_authority"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "certificate_chain_incomplete"],
  ["UNABLE_TO_GET_ISSUER_CERT", "certificate_chain_incomplete"],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "certificate_chain_incomplete"],
  ["ERR_SSL_TLSV1_ALERT_CERTIFICATE_REQUIRED", "client_certificate_required"],
  ["ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION", "tls_version"],
  ["ERR_SSL_UNSUPPORTED_PROTOCOL", "tls_version"],
  ["ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL", "http2_only"],
  ["ERR_SSL_WRONG_VERSION_NUMBER", "not_tls"],
  ["ERR_SSL_TLSV1_ALERT_UNRECOGNIZED_NAME", "unknown_name"],
  ["ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE", "handshake_refused"],
  ["ERR_SSL_TLSV1_ALERT_INSUFFICIENT_SECURITY", "handshake_refused"],
  ["ERR_SSL_NO_RENEGOTIATION", "renegotiation"],
  ["ERR_TLS_HANDSHAKE_TOO_LARGE", "handshake_too_large"],
]);

/** What the code of a thrown error says; null when nothing that is known. */
export function detailOfCode(code: string | null): ErrorDetail | null {
  if (code === null) return null;
  return BY_CODE.get(code) ?? (CERTIFICATE_CODES.has(code) ? "certificate_invalid" : null);
}
