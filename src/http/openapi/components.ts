import { errorResponses } from "./error-responses";
import { HEADERS } from "./headers";
import { namedSchemas } from "./schema";

const parameters = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description:
      "Makes the request safe to repeat: within 24 hours the same key with the same request gets the first " +
      "successful answer again, and with a different request 409.",
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[ -~]+$" },
    example: "order-4711-created",
  },
  Account: {
    name: "Hermod-Account",
    in: "header",
    required: false,
    description:
      "Acts for another account: its id, or its `external_id`, percent-encoded. Needs the permission `admin` beside that of the " +
      "operation. All of the request is that account's, its limits as well.",
    schema: { type: "string", minLength: 1 },
    example: "shop-42",
  },
};

const securitySchemes = {
  apiKey: {
    type: "http",
    scheme: "bearer",
    description: "An API key, `hmd_…`, or a JWT that the service is configured to trust.",
  },
};

/** Collects everything that the document's operations refer to by name. */
export function components() {
  return {
    schemas: namedSchemas(),
    responses: errorResponses(),
    headers: HEADERS,
    parameters,
    securitySchemes,
  };
}
