import { swagger } from "@elysiajs/swagger";
import { type DocumentDecoration, Elysia } from "elysia";
import { VERSION } from "../../runtime/version";
import { MAX_HEADER_LENGTH, MAX_HEADERS, MAX_URL_LENGTH } from "../edge/request-head";
import { MAX_DEPTH } from "../json/json-text";
import { BODY_LIMIT } from "../json/request-body";
import { errorResponses } from "./error-responses";
import { HEADERS } from "./headers";
import { specOf } from "./operation";
import { detailOf } from "./operation-detail";
import { DOCUMENT_30_PATH, DOCUMENT_PATH, referencePage } from "./page";
import { isRecord, type Json, type JsonRecord, namedSchemas, written } from "./schema";
import { toVersion30 } from "./version-3-0";

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
  receiver: {
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

const DESCRIPTION = `
Hermod takes events over REST and delivers them to registered endpoints: signed, in order, through every failure.

- An unknown field in a request body, or an unknown query parameter, is refused with 400. The message suggests the name
  that you probably meant.
- Tools that don't read OpenAPI 3.1 can use the same document as 3.0.3, at \`${DOCUMENT_30_PATH}\`.
- Timestamps in answers are ISO 8601 in UTC with milliseconds. Timestamps in requests may have any offset, a blank for the
  \`T\`, or no dashes and colons (\`20260131T120000Z\`). Without an offset a timestamp is in UTC, and a date means its first moment.
- Lists are newest first; plans are listed by name.
- All errors have the same shape: an \`error\` with a \`code\` for programs and a \`message\` for people.
- Request bodies are JSON of at most 1 MiB (${written(BODY_LIMIT)} bytes); a webhook's \`data\` is nested at most
  ${MAX_DEPTH} levels deep.
- A request has at most ${MAX_HEADERS} headers with ${written(MAX_HEADER_LENGTH)} characters each, and its URL at most
  ${written(MAX_URL_LENGTH)} characters.
`.trim();

const LICENSE = { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" };

/** The sections of the document. `x-hermod-sdk` is the clients' name of a section; if it is empty, they have its methods themselves. */
const tags = [
  { name: "Endpoints", description: "The receivers of webhooks." },
  { name: "Webhooks", description: "Send webhooks, and see how their delivery went." },
  {
    name: "Events",
    description: "Send events to every endpoint that wants them, and see who got them and who did not.",
  },
  {
    name: "Jobs",
    description:
      "Replay or erase many deliveries in the background. Jobs show their progress and survive restarts.",
  },
  { name: "Event types", description: "The event types in use, and the schemas their payloads must match." },
  { name: "Account", "x-hermod-sdk": "", description: "Statistics, usage and keys of the account." },
  { name: "Health", description: "For load balancers and orchestrators; needs no key." },
  {
    name: "Administration",
    "x-hermod-sdk": "admin",
    description:
      "Accounts, plans, and lists over all accounts. Needs `accounts:act` or `admin`, as each operation says.",
  },
];

type DocumentedRoute = Readonly<{ method: string; path: string; hooks?: { detail?: DocumentDecoration } }>;

/**
 * Builds the OpenAPI document of the routes with a description. The plugin reads an app's routes and builds the document again
 * for each request. So it gets an app with descriptions only, and is called once.
 */
async function documentOf(routes: readonly DocumentedRoute[], basePath: string): Promise<JsonRecord> {
  const app = new Elysia().use(
    swagger({
      specPath: DOCUMENT_PATH,
      documentation: {
        info: { title: "Hermod", version: VERSION, description: DESCRIPTION, license: LICENSE },
        servers: [{ url: basePath || "/" }],
        tags,
        ...({ components: components() } as object),
      },
    }),
  );
  for (const { method, path, hooks } of routes) {
    const spec = specOf(hooks?.detail);
    const detail = spec ? detailOf(method, spec) : hooks?.detail;
    if (detail?.operationId !== undefined) app.route(method, path, () => null, { detail });
  }
  const document = await app.handle(new Request(`http://localhost${DOCUMENT_PATH}`));
  return withWebhooks({ ...((await document.json()) as JsonRecord), openapi: "3.1.0" });
}

/** Moves the requests to receivers from the operation that registers an endpoint to the document's `webhooks`. */
function withWebhooks(document: JsonRecord): JsonRecord {
  const webhooks: JsonRecord = {};
  const operation = (described: Json): Json => {
    if (!isRecord(described)) return described;
    const { callbacks = {}, ...rest } = described;
    for (const [name, byUrl] of Object.entries(callbacks as JsonRecord))
      for (const item of Object.values(byUrl as JsonRecord)) webhooks[name] = item;
    return rest;
  };
  const path = (operations: Json) => mapped(operations, operation);
  return { ...document, paths: mapped(document.paths ?? {}, path), webhooks };
}

function mapped(record: Json, change: (value: Json) => Json): JsonRecord {
  const entries = Object.entries(isRecord(record) ? record : {});
  return Object.fromEntries(entries.map(([name, value]) => [name, change(value)]));
}

/** Serves the document in both versions, and its page. `routes` is called at the first request, when all routes exist. */
export function documentation(routes: () => readonly DocumentedRoute[], basePath: string) {
  let document: Promise<JsonRecord> | null = null;
  const built = () => {
    document ??= documentOf(routes(), basePath);
    return document;
  };
  return referencePage(
    {
      current: async () => JSON.stringify(await built()),
      version30: async () => JSON.stringify(toVersion30(await built())),
    },
    basePath,
  );
}
