import { CLOUD_EVENT_HEADERS } from "../attempt/cloud-event";
import { isSameOrigin } from "../domain/origin";
import type { StoredHeaders } from "../domain/tuning";
import type { SecretVault } from "../vault/vault";

/** A header that an account adds to the requests to its endpoint. */
export type RequestHeader = Readonly<{ name: string; value: string; isSecret: boolean }>;

/** Most headers of an endpoint. */
export const MAX_HEADERS = 20;
/** Most characters of a header's name. */
export const MAX_HEADER_NAME = 128;
export const MAX_HEADER_VALUE = 4_096;
/** Most characters of all names and values. Together with Hermod's own headers they stay below the common limit of 8 KiB. */
export const MAX_HEADERS_LENGTH = 6_144;

/** A token (RFC 9110, 5.6.2). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** A field value (RFC 9110, 5.5) without tabs and non-ASCII characters, which clients read differently. */
export const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * Reserved headers: Hermod's own, headers that frame the message, and headers of one connection (RFC 9110, 7.6.1). `proxy`
 * becomes HTTP_PROXY at a receiver behind CGI, and would redirect the receiver's own requests.
 */
const RESERVED_NAMES = new Set([
  "accept-encoding",
  ...CLOUD_EVENT_HEADERS,
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
]);
const RESERVED_PREFIXES = ["proxy-", "webhook-"];
/** A name that has a special meaning as an object's property. */
const UNUSABLE_NAME = "__proto__";

/**
 * Normalizes a name as receivers may compare it. CGI and its successors (RFC 3875, 4.1.18; WSGI, Rack, PHP) make an environment
 * variable of a name, so `content_length` and `content.length` look like `content-length`.
 */
function comparableName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "-");
}

/** Returns the reason for which headers can't be sent, with the name of the bad header; null if they can. Shows no value. */
export function headersProblem(headers: readonly RequestHeader[]): string | null {
  if (headers.length > MAX_HEADERS) return `headers must not be more than ${MAX_HEADERS}`;
  const names = new Map<string, string>();
  let length = 0;
  for (const { name, value } of headers) {
    const problem = nameProblem(name) ?? valueProblem(name, value);
    if (problem !== null) return problem;
    const comparable = comparableName(name);
    const same = names.get(comparable);
    if (same !== undefined) {
      return `headers.${name} is the same as headers.${same}: names are compared without case, and _ or . counts as -`;
    }
    names.set(comparable, name);
    length += name.length + value.length;
  }
  return length > MAX_HEADERS_LENGTH
    ? `headers must have at most ${MAX_HEADERS_LENGTH} characters together, names and values`
    : null;
}

function nameProblem(name: string): string | null {
  if (name.length > MAX_HEADER_NAME || !TOKEN.test(name)) {
    return `headers must have names of 1 to ${MAX_HEADER_NAME} letters, digits and !#$%&'*+-.^_\`|~`;
  }
  const comparable = comparableName(name);
  const isReserved =
    RESERVED_NAMES.has(comparable) || RESERVED_PREFIXES.some((prefix) => comparable.startsWith(prefix));
  if (!isReserved && name !== UNUSABLE_NAME) return null;
  const isReadAsAnother = comparable !== name.toLowerCase();
  return `headers.${name} can't be set${isReadAsAnother ? `: many servers read it as ${comparable}` : ""}`;
}

function valueProblem(name: string, value: string): string | null {
  if (value.length <= MAX_HEADER_VALUE && HEADER_VALUE.test(value)) return null;
  return `headers.${name} must be 1 to ${MAX_HEADER_VALUE} printable ASCII characters, not beginning or ending with a space`;
}

/** A change would expose or lose secret headers. The message is public. */
export class SecretHeadersNeeded extends Error {
  override readonly name = "SecretHeadersNeeded";

  /** The URL would move to another origin while the headers stay. */
  static atNewOrigin(names: readonly string[]): SecretHeadersNeeded {
    return new SecretHeadersNeeded(
      `url has another origin than before, where secret headers would be sent: give headers again in the same request ` +
        `(with ${names.join(", ")}), or {} to remove them`,
    );
  }

  /** The request replaces headers, and may not know of the secret ones, since answers don't show them. */
  static amongReplaced(names: readonly string[]): SecretHeadersNeeded {
    return new SecretHeadersNeeded(
      `headers replaces all headers, the sensitive ${names.join(", ")} too: give sensitive_headers as well, with the names of ` +
        "those that you give again, or [] for none",
    );
  }
}

/**
 * Names the secret headers that a change of the URL would send to another origin (scheme, host and port). Otherwise a
 * key with `endpoints:write` could read them, by a URL of its own and a test event.
 */
export function secretsTakenAlong(stored: StoredHeaders | null, from: string | null, to: string): string[] {
  return isSameOrigin(from, to) ? [] : secretNames(stored);
}

/** Names the secret headers. */
export function secretNames(stored: StoredHeaders | null): string[] {
  return Object.entries(stored ?? {}).flatMap(([name, header]) => ("sealed" in header ? [name] : []));
}

/** The context in which a header's value is sealed. */
export function headerContext(accountId: string, endpointId: string, name: string): string {
  return `${accountId}/${endpointId}/headers/${name}`;
}

/** Seals headers for storing; null for none. They must have no problem. */
export function sealHeaders(
  headers: readonly RequestHeader[],
  vault: Pick<SecretVault, "seal">,
  accountId: string,
  endpointId: string,
): StoredHeaders | null {
  if (headers.length === 0) return null;
  const stored = headers.map(({ name, value, isSecret }) => {
    const lower = name.toLowerCase();
    const context = headerContext(accountId, endpointId, lower);
    return [lower, isSecret ? { sealed: vault.seal(value, context) } : { value }];
  });
  return Object.fromEntries(stored);
}

/** Opens headers for sending; null for none. Throws if one can't be opened. */
export function openHeaders(
  stored: StoredHeaders | null,
  open: SecretVault["open"],
  accountId: string,
  endpointId: string,
): Readonly<Record<string, string>> | null {
  if (stored === null) return null;
  const headers = Object.entries(stored).map(([name, header]) => [
    name,
    "value" in header ? header.value : open(header.sealed, headerContext(accountId, endpointId, name)),
  ]);
  return Object.fromEntries(headers);
}
