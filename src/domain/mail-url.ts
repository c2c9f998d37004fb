/** The scheme of an endpoint that gets e-mail. */
const SCHEME = "mailto:";

/** True for the target of an e-mail. */
export function isMailUrl(url: string): boolean {
  return url.startsWith(SCHEME);
}

/** Returns what follows the scheme: the recipient, in a checked URL. */
export function recipientIn(url: string): string {
  return url.slice(SCHEME.length);
}

/** Returns the URL of an address that gets e-mail. */
export function mailUrlOf(address: string): string {
  return SCHEME + address;
}
