import { type AddressPolicy, familyOf } from "./address";
import type { NameResolution } from "./resolver";

export type TargetCheck = { ok: true; url: string } | { ok: false; reason: string };

export type TargetOptions = {
  /** Refuses http. */
  requireHttps?: boolean;
  /** Defaults to `hermod`. */
  egressResolve?: NameResolution;
};

/** Most characters of a target's URL, as written and as normalized. */
export const MAX_URL_LENGTH = 2_048;

// Parsers drop some of these silently; a URL that has them is not the one its author sees. Joiners and the tags of emoji
// are none of them: in a host the parser takes joiners only where they belong (RFC 5892, A.1 and A.2), and no tags.
const UNPRINTABLE = /[[\p{Cc}\p{Cf}\p{Z}\p{Cs}\u{FFFD}]--[\u{200C}\u{200D}\u{E0020}-\u{E007F}]]/v;
// RFC 1123, 2.1, and the underscore that many systems take as well.
const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/**
 * Checks the URL of a target at registration, and returns the form that is used: the host in ASCII, an address in its usual
 * spelling, no default port, no fragment (it would never be sent). Every attempt checks a name's addresses;
 * only names for this machine are refused here.
 */
export function checkTargetUrl(
  text: string,
  policy: AddressPolicy,
  options: TargetOptions = {},
): TargetCheck {
  if (text.length > MAX_URL_LENGTH) return refuse(`url must have at most ${MAX_URL_LENGTH} characters`);
  if (UNPRINTABLE.test(text)) return refuse("url must not contain spaces or control characters");
  if (!/^https?:\/\/[^/\\]/i.test(text)) return refuse("url must begin with http:// or https://");
  const url = URL.parse(text);
  if (!url) return refuse("url is not a valid URL");
  if (options.requireHttps && url.protocol !== "https:") return refuse("url must begin with https://");
  if (hasCredentials(text)) return refuse("url must not contain a user name or password");
  if (url.port === "0") return refuse("url must have a port from 1 to 65535");
  const reason = checkHost(url.hostname, policy, options);
  if (reason) return refuse(reason);
  url.hash = "";
  return url.href.length > MAX_URL_LENGTH
    ? refuse(`url must have at most ${MAX_URL_LENGTH} characters once encoded`)
    : { ok: true, url: url.href };
}

// Read from the text, because the parser forgets an empty user name ("http://@host").
function hasCredentials(text: string): boolean {
  const authority = /^https?:\/\/([^/\\?#]*)/i.exec(text)?.[1] ?? "";
  return authority.includes("@");
}

/** Returns why the host can't be a target, or null. */
function checkHost(hostname: string, policy: AddressPolicy, options: TargetOptions): string | null {
  const bare = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  if (familyOf(bare) !== null)
    return policy.permits(bare)
      ? null
      : "url must not point to a private or reserved address, or to this machine";
  const name = bare.endsWith(".") ? bare.slice(0, -1) : bare;
  const labels = name.split(".");
  if (name.length > 253 || !labels.every((label) => LABEL.test(label)))
    return "url must have a valid host name";
  if (options.egressResolve === "proxy" && !policy.permitsName(name))
    return "url must not point to an internal name";
  if (labels.at(-1) !== "localhost") return null;
  // RFC 6761, 6.3: localhost and all below it are this machine. One address of it is enough.
  const permitted = policy.permits("127.0.0.1") || policy.permits("::1");
  return permitted ? null : "url must not point to this machine";
}

function refuse(reason: string): TargetCheck {
  return { ok: false, reason };
}
