import { errorResponses } from "./error-responses";
import { HEADERS } from "./headers";
import { namedSchemas } from "./schema";

/** Parameters. Without examples, which Swagger UI would fill in: a second try would then repeat the first answer. */
const parameters = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description:
      "Makes the request safe to repeat. For 24 hours, the same request with the same key gets the first successful answer " +
      "again. A different request with the same key gets a 409. An answer with a secret is repeated only to the API key that got it. " +
      "For example `order-4711-created`.",
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[ -~]+$" },
  },
  LastEventId: {
    name: "Last-Event-ID",
    in: "header",
    required: false,
    description: "The `id` of the last event that was received. Takes precedence over `iterator`.",
    schema: { type: "string", minLength: 1 },
  },
  HermodAccount: {
    name: "Hermod-Account",
    in: "header",
    required: false,
    description:
      "Makes the request on behalf of another account: its id, or its `external_id`, percent-encoded, such as `shop-42`. " +
      "A `~` at the start is ignored if no account has the `external_id` as written. " +
      "Needs the permission `accounts:act` beside the operation's own. The request counts against that account's limits.",
    schema: { type: "string", minLength: 1 },
  },
};

const securitySchemes = {
  apiKey: {
    type: "http",
    scheme: "bearer",
    description: "An API key (`hmd_…`), or a JWT from an issuer that the service is configured to trust.",
  },
  receiverKey: {
    type: "http",
    scheme: "bearer",
    description:
      "The key of an endpoint's receiver (`rcv_…`). It reads the deliveries of this endpoint, and does nothing else.",
  },
};

/** Returns the components to which the document's operations refer by name. */
export function components() {
  return {
    schemas: namedSchemas(),
    responses: errorResponses(),
    headers: HEADERS,
    parameters,
    securitySchemes,
  };
}
