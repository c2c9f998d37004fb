import { type ApiError, methodNotAllowed, notFound } from "./errors";

type Route = Readonly<{ method: string; path: string }>;
type KnownPath = Readonly<{ pattern: RegExp; methods: readonly string[] }>;

/** The order in which `Allow` names methods. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

/** Tells a wrong method from a wrong path. */
export class KnownPaths {
  private known: readonly KnownPath[] | null = null;

  /** `routes` is called once the service has all of them. */
  constructor(private readonly routes: () => readonly Route[]) {}

  /** Returns the refusal of a request that no route takes: 405 for a path with other methods, else 404. */
  refusalOf(method: string, path: string): ApiError {
    this.known ??= knownPathsOf(this.routes());
    const methods = new Set(
      this.known.flatMap(({ pattern, methods }) => (pattern.test(path) ? methods : [])),
    );
    if (methods.size === 0) return notFound("There is nothing at this path");
    return methodNotAllowed(
      method,
      METHODS.filter((each) => methods.has(each)),
    );
  }
}

/** A GET is answered to HEAD too, without a body. */
function knownPathsOf(routes: readonly Route[]): KnownPath[] {
  return routes
    .filter(({ method }) => METHODS.includes(method))
    .map(({ method, path }) => ({
      pattern: patternOf(path),
      methods: method === "GET" ? ["GET", "HEAD"] : [method],
    }));
}

/** The router takes a slash at the end as well. */
function patternOf(path: string): RegExp {
  const segments = path
    .split("/")
    .map((segment) => (segment.startsWith(":") ? "[^/]+" : RegExp.escape(segment)));
  return new RegExp(`^${segments.join("/")}/?$`);
}
