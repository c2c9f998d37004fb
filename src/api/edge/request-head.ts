/** Longest URL of a request, in characters. Bun itself refuses heads of 16 KiB and more, or 200 headers. */
export const MAX_URL_LENGTH = 8_192;
export const MAX_HEADERS = 100;
/** Longest value of one header, in characters. The longest in use is a JWT of 8,192 characters with its scheme. */
export const MAX_HEADER_LENGTH = 10_240;

/** Returns the problem of a request's head; null if there is none. */
export function headProblem(request: Request): string | null {
  if (request.url.length > MAX_URL_LENGTH) return `The URL is longer than ${MAX_URL_LENGTH} characters`;
  if (request.headers.count > MAX_HEADERS) return `The request has more than ${MAX_HEADERS} headers`;
  for (const [name, { length }] of request.headers) {
    if (length > MAX_HEADER_LENGTH)
      return `The header ${name} is longer than ${MAX_HEADER_LENGTH} characters`;
  }
  return null;
}

/** Returns the problem of a GET that announces a body; null if there is none. The server drops a GET's body unread. */
export function bodyProblem({ method, headers }: Request): string | null {
  const hasContent = headers.has("transfer-encoding") || Number(headers.get("content-length") ?? 0) > 0;
  return method === "GET" && hasContent
    ? "A GET takes no body: put what you ask for into query parameters"
    : null;
}

/** Characters that a Host can't have, though a URL with them behind its host is valid. */
const NEVER_IN_HOST = /[^!-~]|[/?#@\\]/;

/** Returns the problem of a request's Host; null if there is none. A request may lack it, or leave it empty (RFC 9112, 3.2). */
export function hostProblem(request: Request): string | null {
  const host = request.headers.get("host");
  if (host === null || host === "") return null;
  if (hasTwoHosts(host)) return "The request has more than one Host header";
  const isHost = !NEVER_IN_HOST.test(host) && URL.canParse(`http://${host}`);
  return isHost ? null : "The Host header must be the name or the address of a host, with or without a port";
}

/**
 * True if a request has two Host headers. RFC 9112, 3.2 requires a 400, since a proxy in front may have used the other one. Bun
 * joins them with a comma and a blank, which no host name contains.
 */
function hasTwoHosts(host: string): boolean {
  return host.includes(", ");
}

/** Matches visible ASCII, since the id goes into a header and into log lines. */
const SANE = /^[\x21-\x7e]{1,128}$/;

/** The ids made here. An answer and the log lines of its request must have the same id. */
const made = new WeakMap<Request, string>();

/** Returns the id of a request: the client's `x-request-id` if it is valid, else a new id. */
export function requestIdOf(request: Request): string {
  const given = request.headers.get("x-request-id");
  if (given !== null && SANE.test(given)) return given;
  const known = made.get(request);
  if (known !== undefined) return known;
  const id = crypto.randomUUID();
  made.set(request, id);
  return id;
}
