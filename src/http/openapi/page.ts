import { fileURLToPath } from "node:url";
import { Elysia } from "elysia";

/** Where the page finds the document. */
export const DOCUMENT_PATH = "/swagger/json";

/** One file of Swagger UI as its package brings it, so that the page needs no server but this one. */
function ofSwaggerUi(name: string): Bun.BunFile {
  return Bun.file(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)));
}

const HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Hermod</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/swagger/ui.css">
</head>
<body>
<div id="ui"><noscript>Without scripts, read <a href="${DOCUMENT_PATH}">the document itself</a>.</noscript></div>
<script src="/swagger/ui.js"></script>
<script src="/swagger/start.js"></script>
</body>
</html>
`;

/** `validatorUrl`: otherwise it would show the document to a service of its makers. */
const CONFIGURATION = {
  url: DOCUMENT_PATH,
  dom_id: "#ui",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  validatorUrl: "none",
} as const;

const START = `SwaggerUIBundle(${JSON.stringify(CONFIGURATION)});\n`;

const DAY_SECONDS = 86_400;

/** Nothing from anywhere else. Swagger UI writes styles into its elements and brings its icons along as data. */
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

const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "referrer-policy": "no-referrer",
};
const SCRIPT_HEADERS = { "content-type": "text/javascript; charset=utf-8" };
const KEPT = { "cache-control": `public, max-age=${DAY_SECONDS}` };

/** GET /swagger, a page to read the OpenAPI document in and to try it out, with all that it loads. */
export function referencePage() {
  const [script, style] = [ofSwaggerUi("swagger-ui-bundle.js"), ofSwaggerUi("swagger-ui.css")];
  const hidden = { detail: { hide: true } };
  return new Elysia({ name: "reference-page" })
    .get("/swagger", () => new Response(HTML, { headers: PAGE_HEADERS }), hidden)
    .get("/swagger/start.js", () => new Response(START, { headers: SCRIPT_HEADERS }), hidden)
    .get("/swagger/ui.js", () => new Response(script, { headers: KEPT }), hidden)
    .get("/swagger/ui.css", () => new Response(style, { headers: KEPT }), hidden);
}
