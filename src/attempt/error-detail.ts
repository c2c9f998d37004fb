import type { ExchangeError } from "./exchange";

/** Words for `error_detail`, by error. An error without an entry has none. */
export const ERROR_DETAILS = {
  blocked_address: ["internal_name", "recipient_not_permitted"],
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
  protocol: [
    "not_http",
    "switched_protocol",
    "status_invalid",
    "length_invalid",
    "chunks_invalid",
    "too_many_fields",
  ],
  proxy: ["proxy_unreachable", "proxy_credentials", "proxy_timeout", "tunnel_refused"],
  mail_server: [
    "mail_server_not_set",
    "mail_server_unreachable",
    "mail_server_tls",
    "mail_server_credentials",
    "mail_server_refused",
    "mail_server_timeout",
    "mail_server_closed",
  ],
} as const satisfies Partial<Record<ExchangeError, readonly string[]>>;

export type ErrorDetail = (typeof ERROR_DETAILS)[keyof typeof ERROR_DETAILS][number];

/** Details by the codes of c-ares, the kernel and BoringSSL (alerts: RFC 8446, 6). */
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

/** Returns the detail for the code of a thrown error; null if the code is unknown. */
export function detailOfCode(code: string | null): ErrorDetail | null {
  if (code === null) return null;
  return BY_CODE.get(code) ?? (CERTIFICATE_CODES.has(code) ? "certificate_invalid" : null);
}

/** Codes of refused certificates: `X509_V_ERR_*` without the prefix, and Bun's own. Bun reports most faults as the first. */
export const CERTIFICATE_CODES: ReadonlySet<string> = new Set(
  `
  UNSPECIFIED UNKNOWN_CERTIFICATE_VERIFICATION_ERROR APPLICATION_VERIFICATION INVALID_CALL OUT_OF_MEM STORE_LOOKUP
  CERT_CHAIN_TOO_LONG CERT_HAS_EXPIRED CERT_NOT_YET_VALID CERT_REJECTED CERT_REVOKED CERT_SIGNATURE_FAILURE CERT_UNTRUSTED
  DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN INVALID_CA INVALID_NON_CA INVALID_PURPOSE PATH_LENGTH_EXCEEDED
  UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_GET_ISSUER_CERT_LOCALLY UNABLE_TO_VERIFY_LEAF_SIGNATURE
  UNABLE_TO_DECRYPT_CERT_SIGNATURE UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY ERROR_IN_CERT_NOT_BEFORE_FIELD
  ERROR_IN_CERT_NOT_AFTER_FIELD SUBJECT_ISSUER_MISMATCH AKID_SKID_MISMATCH AKID_ISSUER_SERIAL_MISMATCH
  HOSTNAME_MISMATCH EMAIL_MISMATCH IP_ADDRESS_MISMATCH NAME_CONSTRAINTS_WITHOUT_SANS
  PERMITTED_VIOLATION EXCLUDED_VIOLATION SUBTREE_MINMAX UNSUPPORTED_CONSTRAINT_TYPE UNSUPPORTED_CONSTRAINT_SYNTAX
  UNSUPPORTED_NAME_SYNTAX UNSUPPORTED_EXTENSION_FEATURE UNHANDLED_CRITICAL_EXTENSION INVALID_EXTENSION
  INVALID_POLICY_EXTENSION NO_EXPLICIT_POLICY UNNESTED_RESOURCE KEYUSAGE_NO_CERTSIGN KEYUSAGE_NO_CRL_SIGN
  KEYUSAGE_NO_DIGITAL_SIGNATURE PROXY_CERTIFICATES_NOT_ALLOWED PROXY_PATH_LENGTH_EXCEEDED
  UNABLE_TO_GET_CRL UNABLE_TO_GET_CRL_ISSUER UNABLE_TO_DECRYPT_CRL_SIGNATURE CRL_SIGNATURE_FAILURE CRL_NOT_YET_VALID
  CRL_HAS_EXPIRED CRL_PATH_VALIDATION_ERROR DIFFERENT_CRL_SCOPE ERROR_IN_CRL_LAST_UPDATE_FIELD
  ERROR_IN_CRL_NEXT_UPDATE_FIELD UNHANDLED_CRITICAL_CRL_EXTENSION
  SUITE_B_INVALID_VERSION SUITE_B_INVALID_ALGORITHM SUITE_B_INVALID_CURVE SUITE_B_INVALID_SIGNATURE_ALGORITHM
  SUITE_B_LOS_NOT_ALLOWED SUITE_B_CANNOT_SIGN_P_384_WITH_P_256
  `
    .trim()
    .split(/\s+/),
);
