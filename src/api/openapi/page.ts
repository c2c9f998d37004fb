import { fileURLToPath } from "node:url";
import { Elysia } from "elysia";
import { isBinary, shipped } from "../../runtime/shipped";
import { StoredAnswer } from "../edge/stored-answer";

/** The path of the document, in OpenAPI 3.1. */
export const DOCUMENT_PATH = "/swagger/json";
/** The path of the same document in OpenAPI 3.0.3. */
export const DOCUMENT_30_PATH = "/swagger/openapi-3.0.json";

/** Reads a file of Swagger UI from its package, so that the page loads only from this server. */
function ofSwaggerUi(name: string): Promise<string> {
  const inPackage = () => fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`));
  return Bun.file(isBinary ? shipped(`swagger/${name}`) : inPackage()).text();
}

const htmlOf = (basePath: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Hermod</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${basePath}/swagger/ui.css">
</head>
<body>
<div id="ui"><noscript>Without scripts, read <a href="${basePath}${DOCUMENT_PATH}">the document itself</a>.</noscript></div>
<script src="${basePath}/swagger/ui.js"></script>
<script src="${basePath}/swagger/start.js"></script>
</body>
</html>
`;

/** Configures Swagger UI. `validatorUrl` prevents that it sends the document to its makers' validator. */
const CONFIGURATION = {
  dom_id: "#ui",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  validatorUrl: "none",
} as const;

function startOf(basePath: string): string {
  return `SwaggerUIBundle(${JSON.stringify({ url: basePath + DOCUMENT_PATH, ...CONFIGURATION })});\n`;
}

const DAY_SECONDS = 86_400;

/** Forbids all other origins. Allows inline styles and data URLs, which Swagger UI needs. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Makes browsers check each time whether the file has changed. */
const CHECKED = { "cache-control": "no-cache" };
const KEPT = { "cache-control": `public, max-age=${DAY_SECONDS}` };
const SCRIPT = { "content-type": "text/javascript; charset=utf-8" };
const STYLE = { "content-type": "text/css; charset=utf-8" };
const PAGE = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "referrer-policy": "no-referrer",
};

/** The text of the document in each version. */
type Documents = Readonly<Record<"current" | "version30", () => Promise<string>>>;

/** Serves the OpenAPI document, and Swagger UI with its files at /swagger, which browsers reach below the base path. */
export function referencePage({ current, version30 }: Documents, basePath: string) {
  const json = { "content-type": "application/json", ...CHECKED };
  const stored: Record<string, StoredAnswer> = {
    [DOCUMENT_PATH]: new StoredAnswer(current, json),
    [DOCUMENT_30_PATH]: new StoredAnswer(version30, json),
    "/swagger": new StoredAnswer(() => htmlOf(basePath), { ...PAGE, ...CHECKED }),
    "/swagger/start.js": new StoredAnswer(() => startOf(basePath), { ...SCRIPT, ...CHECKED }),
    "/swagger/ui.js": new StoredAnswer(() => ofSwaggerUi("swagger-ui-bundle.js"), { ...SCRIPT, ...KEPT }),
    "/swagger/ui.css": new StoredAnswer(() => ofSwaggerUi("swagger-ui.css"), { ...STYLE, ...KEPT }),
  };
  const app = new Elysia({ name: "reference-page" });
  for (const [path, answer] of Object.entries(stored))
    app.get(path, ({ request, set }) => answer.answer(request, set));
  return app;
}
