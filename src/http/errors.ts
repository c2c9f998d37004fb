import type { Allowance } from "../accounts/rate-limit";

/** The codes of error bodies; clients branch on them. */
export const ERROR_CODES = [
  "BAD_REQUEST",
  "UNAUTHORIZED",
  "FORBIDDEN",
  "NOT_FOUND",
  "CONFLICT",
  "PAYLOAD_TOO_LARGE",
  "RATE_LIMIT_EXCEEDED",
  "INTERNAL_ERROR",
  "SERVICE_UNAVAILABLE",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** A refusal as the client is told about it: its message is public. */
export class ApiError extends Error {
  /** What is left of the caller's minute, where the refusal came after that was counted. */
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

export function badRequest(message: string): ApiError {
  return new ApiError(400, "BAD_REQUEST", message);
}

export function unauthorized(message: string): ApiError {
  return new ApiError(401, "UNAUTHORIZED", message, { "www-authenticate": 'Bearer realm="hermod"' });
}

export function forbidden(message: string): ApiError {
  return new ApiError(403, "FORBIDDEN", message);
}

/** The 403 once the month's webhooks are used up. */
export function overMonthlyLimit(limit: number): ApiError {
  return forbidden(`The plan's limit of ${limit} webhooks a month is reached`);
}

export function notFound(message: string): ApiError {
  return new ApiError(404, "NOT_FOUND", message);
}

export function conflict(message: string): ApiError {
  return new ApiError(409, "CONFLICT", message);
}

/** What is left of the body the server reads and drops, so that the client gets to read the answer. */
export function payloadTooLarge(limit: number): ApiError {
  return new ApiError(413, "PAYLOAD_TOO_LARGE", `The request body is larger than ${limit} bytes`);
}

export function tooManyRequests(message: string, retryAfterSeconds: number): ApiError {
  return new ApiError(429, "RATE_LIMIT_EXCEEDED", message, { "retry-after": String(retryAfterSeconds) });
}

export function unavailable(): ApiError {
  const message = "The service is temporarily unavailable; try again shortly";
  return new ApiError(503, "SERVICE_UNAVAILABLE", message, { "retry-after": "1" });
}

/** `requestId`: what the log tells of the failure under; null when it does not. */
export function internalError(requestId: string | null): ApiError {
  const headers: Record<string, string> = requestId === null ? {} : { "x-request-id": requestId };
  return new ApiError(500, "INTERNAL_ERROR", "Something went wrong on our side", headers);
}
