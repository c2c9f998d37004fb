import { Type } from "@sinclair/typebox";
import { ERROR_CODES, type ErrorCode } from "../errors";
import { ERROR_HEADERS, headerRefs } from "./headers";
import { type JsonRecord, named, ref, words } from "./schema";

export const ErrorDetailModel = named(
  "ErrorDetail",
  Type.Object({
    code: words("ErrorCode", ERROR_CODES),
    message: Type.String({ description: "Explains the error to people. Don't parse it: it may change." }),
  }),
);

export const ErrorModel = named("ErrorAnswer", Type.Object({ error: ref("ErrorDetail") }));

type ErrorResponse = {
  /** The response's name in the document. */
  name: string;
  code: ErrorCode;
  message: string;
  description: string;
};

const RESPONSES = {
  400: {
    name: "BadRequest",
    code: "BAD_REQUEST",
    message: "url is required",
    description: "The request is invalid. The message names the field and says what would be valid.",
  },
  401: {
    name: "Unauthorized",
    code: "UNAUTHORIZED",
    message: "A valid API key is required, as Authorization: Bearer <API_KEY>",
    description: "The key or token is missing, unknown, inactive, revoked or expired.",
  },
  403: {
    name: "Forbidden",
    code: "FORBIDDEN",
    message: "This needs the permission webhooks:write",
    description:
      "The key lacks a permission that the request needs. Or the request would create, enable, disable or revoke a key with " +
      "more permissions than its own. Or the account has reached its plan's webhooks per month, or its number of schemas.",
  },
  404: {
    name: "NotFound",
    code: "NOT_FOUND",
    message: "There is no such endpoint",
    description: "There is nothing with this id or name, or it belongs to another account.",
  },
  405: {
    name: "MethodNotAllowed",
    code: "METHOD_NOT_ALLOWED",
    message: "This path does not support PUT; use GET, HEAD, POST",
    description:
      "The path does not support this method. The header `Allow` lists the methods that it supports.",
  },
  409: {
    name: "Conflict",
    code: "CONFLICT",
    message: "This Idempotency-Key was used for a different request",
    description:
      "The Idempotency-Key was used for a different request, or the request conflicts with the current state. The message " +
      "says which.",
  },
  413: {
    name: "PayloadTooLarge",
    code: "PAYLOAD_TOO_LARGE",
    message: "The request body is larger than 1048576 bytes",
    description: "The request body is larger than 1 MiB.",
  },
  415: {
    name: "UnsupportedMediaType",
    code: "UNSUPPORTED_MEDIA_TYPE",
    message: "Content-Encoding is not supported: send the body uncompressed, without this header",
    description: "The request body is compressed; send it uncompressed.",
  },
  421: {
    name: "Misdirected",
    code: "MISDIRECTED",
    message: "The account lives in the cell us-1: send the request to https://us-1.example.com",
    description:
      "Another cell has the account. The header `Hermod-Cell` names it. A router follows it by itself.",
  },
  429: {
    name: "TooManyRequests",
    code: "RATE_LIMIT_EXCEEDED",
    message: "Rate limit exceeded; try again in 12 seconds",
    description: "The account sent too many requests, or one address failed to authenticate too often.",
  },
  500: {
    name: "InternalError",
    code: "INTERNAL_ERROR",
    message: "Internal error. The service's log has the cause under this request's x-request-id.",
    description: "The service failed unexpectedly. Its log has the details, with the same X-Request-Id.",
  },
  503: {
    name: "Unavailable",
    code: "SERVICE_UNAVAILABLE",
    message: "The service is temporarily unavailable; try again shortly",
    description:
      "The service can't reach its database, or too many sends are waiting to be accepted. Try again.",
  },
} satisfies Record<number, ErrorResponse>;

export type ErrorStatus = keyof typeof RESPONSES;

/** Returns the named error responses. */
export function errorResponses(): JsonRecord {
  return Object.fromEntries(Object.values(RESPONSES).map((each) => [each.name, response(each)]));
}

/** Refers to the response with a status. */
export function errorRef(status: ErrorStatus): JsonRecord {
  return { $ref: `#/components/responses/${RESPONSES[status].name}` };
}

function response({ code, message, description }: ErrorResponse): JsonRecord {
  return {
    description,
    headers: headerRefs(ERROR_HEADERS),
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/ErrorAnswer" },
        example: { error: { code, message } },
      },
    },
  };
}
