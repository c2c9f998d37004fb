/** Longest URL of a request, characters. Bun itself refuses 16 KiB of head, or 200 headers, without a body. */
export const MAX_URL_LENGTH = 8_192;
export const MAX_HEADERS = 100;

/** Returns what is wrong with a request's head, or null. */
export function flawOfHead(request: Request): string | null {
  if (request.url.length > MAX_URL_LENGTH) return `The URL is longer than ${MAX_URL_LENGTH} characters`;
  if (request.headers.count > MAX_HEADERS) return `The request has more than ${MAX_HEADERS} headers`;
  return null;
}

/**
 * Tells whether a request has two Host headers, for which RFC 9112, 3.2 asks for a 400: a proxy in front may have followed
 * the other one. Bun joins them with a comma and a blank, which no host name has.
 */
export function hasTwoHosts(request: Request): boolean {
  return request.headers.get("host")?.includes(", ") === true;
}
