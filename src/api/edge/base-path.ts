/** First segments of the service's own paths, with which a base path can't begin. */
const OWN = ["v1", "console", "portal", "swagger", "health", "metrics"];

/** A segment of a URL's path, of unreserved characters (RFC 3986, 2.3). */
const PLAIN_SEGMENT = /^[\w.~-]+$/;

/** Returns the problem of a base path, such as `/hermod`; null if there is none. */
export function basePathProblem(path: string): string | null {
  const [root, ...segments] = path.split("/");
  if (root !== "" || !segments.every((segment) => PLAIN_SEGMENT.test(segment)))
    return "must have a path of letters, digits and -._~ only";
  const [first = ""] = segments;
  return OWN.includes(first)
    ? `must not have a path that begins with /${first}, which is a path of Hermod's own`
    : null;
}

/**
 * Removes the path below which a proxy publishes the service, unless the proxy has removed it already. So both kinds of proxies
 * work, and so do requests that come directly.
 */
export class BasePath {
  /** The requests as they came, which the server knows. */
  private readonly originals = new WeakMap<Request, Request>();

  /** `path` is empty at the root of the host. */
  constructor(readonly path: string) {}

  /** Returns the request without the path. */
  strip(request: Request): Request {
    if (this.path === "") return request;
    const { url } = request;
    const start = url.indexOf("/", url.indexOf("//") + 2);
    const end = start + this.path.length;
    if (!url.startsWith(this.path, start) || !["", "/", "?"].includes(url.charAt(end))) return request;
    const rest = url.charAt(end) === "/" ? url.slice(end) : `/${url.slice(end)}`;
    const stripped = new Request(url.slice(0, start) + rest, request);
    this.originals.set(stripped, request);
    return stripped;
  }

  /** Returns the request as it came. */
  original(request: Request): Request {
    return this.originals.get(request) ?? request;
  }
}
