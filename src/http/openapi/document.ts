import { swagger } from "@elysiajs/swagger";
import { Elysia } from "elysia";
import { VERSION } from "../../version";
import { MAX_DEPTH } from "../nesting";
import { components } from "./components";

/**
 * The reference page's script: one file of a package that a CDN serves as it was published, and its digest, so
 * that browsers run this or nothing. The package itself brings a hundred others for that file.
 */
const SCRIPT = "https://cdn.jsdelivr.net/npm/@scalar/api-reference@1.72.1/dist/browser/standalone.js";
const SCRIPT_INTEGRITY = "sha384-U11tb2XnKvmwt8RlTvnwUnYgrN+ur4Xyh9htLhjajWNR/Oyl5AX5DEz00qRmlrmK";

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `script-src ${SCRIPT}`,
  "style-src 'unsafe-inline'",
  "font-src data:",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Without what leads to its makers' own services: its policy keeps it from reaching them. */
const PAGE_CONFIGURATION = {
  spec: { url: "/swagger/json" },
  authentication: { preferredSecurityScheme: "apiKey" },
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: "never",
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
} as const;

// The page puts this into an attribute as it is: no double quotes.
const DESCRIPTION = `
Hermod takes events over REST and delivers them to registered endpoints: signed, in order, over every failure.

- Fields of a request body and query parameters that are not described here are ignored.
- Timestamps are ISO 8601 in UTC with milliseconds. Lists are newest first, those of event types and plans by name.
- Errors have one shape, an \`error\` with a \`code\` to branch on and a \`message\` to read.
- Request bodies are JSON, at most 1 MB (1,048,576 bytes), nested at most ${MAX_DEPTH} levels deep; a
  webhook's \`data\` may have as many of its own.
- A request has at most 100 headers, and its URL at most 8,192 characters.
`.trim();

const LICENSE = { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" };

const tags = [
  { name: "Endpoints", description: "Where webhooks go." },
  { name: "Webhooks", description: "Sending, and what became of it." },
  { name: "Jobs", description: "Work on many deliveries, with progress; it survives restarts." },
  { name: "Event types", description: "What was sent, and the schemas payloads must match." },
  { name: "Account", description: "Figures, usage and keys of the account." },
  { name: "Health", description: "For load balancers and orchestrators; needs no key." },
  { name: "Administration", description: "Accounts and plans; needs the permission `admin`." },
];

/** GET /swagger, a page to read, and GET /swagger/json, the OpenAPI document behind it. */
export function documentation() {
  return new Elysia({ name: "documentation" })
    .onAfterHandle(({ set }) => {
      set.headers["x-content-type-options"] = "nosniff";
      set.headers["referrer-policy"] = "no-referrer";
      set.headers["content-security-policy"] = CONTENT_SECURITY_POLICY;
    })
    .use(
      swagger({
        // Written into the script's src as it is, and so able to bring a second attribute.
        scalarCDN: `${SCRIPT}" integrity="${SCRIPT_INTEGRITY}`,
        scalarConfig: PAGE_CONFIGURATION,
        documentation: {
          info: { title: "Hermod", version: VERSION, description: DESCRIPTION, license: LICENSE },
          servers: [{ url: "/" }],
          tags,
          ...({ components: components() } as object),
        },
      }),
    );
}
