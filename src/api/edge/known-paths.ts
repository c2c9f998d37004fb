import { type ApiError, methodNotAllowed, unknownPath } from "../errors";

type DeclaredRoute = Readonly<{ method: string; path: string }>;
type KnownPath = Readonly<{ pattern: RegExp; isFixed: boolean; methods: readonly string[] }>;

/** The order in which `Allow` names methods. */
export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

/** Distinguishes a wrong method from a wrong path. */
export class KnownPaths {
  private all: readonly KnownPath[] | null = null;

  /** `routes` is called when the service has all routes. */
  constructor(private readonly routes: () => readonly DeclaredRoute[]) {}

  /** Returns the error of a request without a route: 405 for a path with other methods, else 404. */
  refusalOf(method: string, path: string): ApiError {
    const found = this.known.filter(({ pattern }) => pattern.test(path));
    const fixed = found.filter(({ isFixed }) => isFixed);
    const methods = new Set((fixed.length > 0 ? fixed : found).flatMap((each) => each.methods));
    if (methods.size === 0) return unknownPath();
    return methodNotAllowed(
      method,
      METHODS.filter((each) => methods.has(each)),
    );
  }

  /**
   * True for a path without parameters, such as `/v1/webhooks/batch`. For a method that it lacks, the router falls back to
   * `/v1/webhooks/:id`.
   */
  isFixed(path: string): boolean {
    return this.known.some(({ pattern, isFixed }) => isFixed && pattern.test(path));
  }

  private get known(): readonly KnownPath[] {
    this.all ??= knownPathsOf(this.routes());
    return this.all;
  }
}

/** Lists the paths with their methods. A GET route answers HEAD too, without a body. */
function knownPathsOf(routes: readonly DeclaredRoute[]): KnownPath[] {
  return routes
    .filter(({ method }) => METHODS.includes(method))
    .map(({ method, path }) => ({
      pattern: patternOf(path),
      isFixed: !path.includes("/:"),
      methods: method === "GET" ? ["GET", "HEAD"] : [method],
    }));
}

/** Builds the pattern of a path. The router accepts a trailing slash as well. */
function patternOf(path: string): RegExp {
  const segments = path
    .split("/")
    .map((segment) => (segment.startsWith(":") ? "[^/]+" : RegExp.escape(segment)));
  return new RegExp(`^${segments.join("/")}/?$`);
}
