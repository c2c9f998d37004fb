import type { Allowance } from "../accounts/rate-limit";

/** The codes of error bodies; clients branch on them. */
export const ERROR_CODES = [
  "BAD_REQUEST",
  "UNAUTHORIZED",
  "FORBIDDEN",
  "NOT_FOUND",
  "METHOD_NOT_ALLOWED",
  "CONFLICT",
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
  "MISDIRECTED",
  "RATE_LIMIT_EXCEEDED",
  "INTERNAL_ERROR",
  "SERVICE_UNAVAILABLE",
  "CELL_UNAVAILABLE",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** An error answer. The client gets its message. */
export class ApiError extends Error {
  /** The state of the rate limit, if the request was counted before it was refused. */
  allowance: Allowance | null = null;

  constructor(
    readonly status: number,
    readonly errorCode: ErrorCode,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = "ApiError";
  }

  withAllowance(allowance: Allowance): this {
    this.allowance = allowance;
    return this;
  }
}

/** The refusal of a request for an account that this installation does not have. Another cell may have it. */
export class UnknownAccount extends ApiError {
  constructor(
    status: number,
    errorCode: ErrorCode,
    message: string,
    /** What named the account; null if the path did. */
    readonly reference: string | null,
  ) {
    super(status, errorCode, message);
  }
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, "BAD_REQUEST", message);
}

export function unauthorized(message: string): ApiError {
  return new ApiError(401, "UNAUTHORIZED", message, { "www-authenticate": 'Bearer realm="hermod"' });
}

/** Returns the 401 for a request without a token, or with an unknown one. */
export function keyRequired(): ApiError {
  return unauthorized("A valid API key is required, as Authorization: Bearer <API_KEY>");
}

export function forbidden(message: string): ApiError {
  return new ApiError(403, "FORBIDDEN", message);
}

/** Returns the 403 for an account that has used up its month's webhooks. */
export function overMonthlyLimit(limit: number): ApiError {
  return forbidden(`The plan's limit of ${limit} webhooks a month is reached`);
}

export function notFound(message: string): ApiError {
  return new ApiError(404, "NOT_FOUND", message);
}

export function unknownPath(): ApiError {
  return notFound("There is nothing at this path");
}

/** Returns the 405 for a path with the methods `known`. */
export function methodNotAllowed(method: string, known: readonly string[]): ApiError {
  const allow = known.join(", ");
  return new ApiError(405, "METHOD_NOT_ALLOWED", `This path does not support ${method}; use ${allow}`, {
    allow,
  });
}

export function conflict(message: string): ApiError {
  return new ApiError(409, "CONFLICT", message);
}

/** Returns the 413. The server reads and drops the rest of the body, so that the client can read the answer. */
export function payloadTooLarge(limit: number): ApiError {
  return new ApiError(413, "PAYLOAD_TOO_LARGE", `The request body is larger than ${limit} bytes`);
}

/** Returns the 415 for a compressed body; no content coding is supported (RFC 9110, 15.5.16). */
export function unsupportedCoding(): ApiError {
  const message = "Content-Encoding is not supported: send the body uncompressed, without this header";
  return new ApiError(415, "UNSUPPORTED_MEDIA_TYPE", message, { "accept-encoding": "identity" });
}

/** The header of a 421 with the name of the account's cell, and of a request for a cell by its name. */
export const CELL_HEADER = "hermod-cell";
/** The value by which a router says that it has chosen any cell, so that what every cell has is not meant. */
export const ANY_CELL = "*";

/** Returns the 421 for an account that lives in another cell. */
export function misdirected({ name, url }: Readonly<{ name: string; url: string }>): ApiError {
  const message = `The account lives in the cell ${name}: send the request to ${url}`;
  return new ApiError(421, "MISDIRECTED", message, { [CELL_HEADER]: name });
}

export function tooManyRequests(message: string, retryAfterSeconds: number): ApiError {
  return new ApiError(429, "RATE_LIMIT_EXCEEDED", message, { "retry-after": String(retryAfterSeconds) });
}

export function unavailable(): ApiError {
  const message = "The service is temporarily unavailable; try again shortly";
  return new ApiError(503, "SERVICE_UNAVAILABLE", message, { "retry-after": "1" });
}

/** Returns a router's 503 for a cell that does not answer. */
export function cellUnavailable(cell: string): ApiError {
  const message = `The cell ${cell} does not answer; try again shortly`;
  return new ApiError(503, "CELL_UNAVAILABLE", message, { "retry-after": "1" });
}

export function rulesSuspended(retryAfterMs: number): ApiError {
  const seconds = String(Math.ceil(retryAfterMs / 1_000));
  const message = `A schema or filter of the account took too long to evaluate; its schemas and filters are evaluated again in ${seconds} s`;
  return new ApiError(503, "SERVICE_UNAVAILABLE", message, { "retry-after": seconds });
}

export function internalError(): ApiError {
  return new ApiError(
    500,
    "INTERNAL_ERROR",
    "Internal error. The service's log has the cause under this request's x-request-id.",
  );
}
