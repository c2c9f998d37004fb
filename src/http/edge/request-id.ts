/** Visible ASCII: the id goes into a header and into log lines. */
const SANE = /^[\x21-\x7e]{1,128}$/;

/** The made ids. An answer and the log lines of its request must agree. */
const made = new WeakMap<Request, string>();

/** Returns the id of a request: the client's `x-request-id` if it is sane, else one made for the request. */
export function requestIdOf(request: Request): string {
  const given = request.headers.get("x-request-id");
  if (given !== null && SANE.test(given)) return given;
  const known = made.get(request);
  if (known !== undefined) return known;
  const id = crypto.randomUUID();
  made.set(request, id);
  return id;
}
