import { Elysia } from "elysia";
import { StoredAnswer } from "../edge/stored-answer";
import { notFound } from "../errors";
import { basePathOf } from "../own-url";
import type { ApiSettings } from "../settings";
import { type Bundle, loadBundle } from "./bundle";

/** The theme in the page's own cookie. Without one the browser's preference applies. */
export type ColourTheme = "light" | "dark" | null;

const THEME_COOKIE = /(?:^|;\s*)hermod-theme=(light|dark)(?:;|$)/;

/** Reads the theme. A script would set it after the first paint, and the content policy forbids an inline script. */
export function themeOf({ headers }: Request): ColourTheme {
  return (THEME_COOKIE.exec(headers.get("cookie") ?? "")?.[1] as "light" | "dark" | undefined) ?? null;
}

export type ShellPage = Readonly<{
  name: "console" | "portal";
  title: string;
  /** True if people can sign in with an identity provider. */
  hasOidc: boolean;
  /** The path below which browsers reach the service; empty at the root. */
  basePath: string;
}>;

/** Returns the page's HTML, which its program fills. */
export function htmlOf(
  { entries }: Bundle,
  { name, title, hasOidc, basePath }: ShellPage,
  theme: ColourTheme,
): string {
  const asset = (file: string) => `${basePath}/${name}/assets/${file}`;
  const fonts =
    name === "console"
      ? `<link rel="preload" href="${asset("inter-v4.woff2")}" as="font" type="font/woff2" crossorigin>\n`
      : "";
  return `<!doctype html>
<html lang="en"${theme === null ? "" : ` data-theme="${theme}"`}${hasOidc ? " data-oidc" : ""}${basePath === "" ? "" : ` data-base="${basePath}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${asset("icon-v1.svg")}" type="image/svg+xml">
${fonts}<link rel="stylesheet" href="${asset(entries[`${name}.css`])}">
<script type="module" src="${asset(entries[`${name}.js`])}"></script>
</head>
<body>
<div id="app"><noscript>This page needs JavaScript.</noscript></div>
</body>
</html>
`;
}

/** Makes browsers check each time whether the page has changed. */
const CHECKED = { "cache-control": "no-cache" };
/** For files whose name changes with their content. */
const KEPT = { "cache-control": "public, max-age=31536000, immutable" };

const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  woff2: "font/woff2",
  svg: "image/svg+xml",
};

/** The path of the element that embeds the portal in a customer's page. */
const ELEMENT_PATH = "/portal/element.js";

/** Serves the console at /console and the portal at /portal. Builds or reads their files at the first request. */
export function consolePages(
  config: Pick<ApiSettings, "console" | "portal" | "portalOrigins" | "oidc" | "publicUrl">,
) {
  const app = new Elysia({ name: "console" });
  const files = new PageFiles();
  const basePath = basePathOf(config);
  if (config.console)
    servePage(app, files, { name: "console", title: "Hermod", hasOidc: config.oidc !== null, basePath }, []);
  if (config.portal) {
    servePage(
      app,
      files,
      { name: "portal", title: "Webhooks", hasOidc: false, basePath },
      config.portalOrigins,
    );
    app.get(ELEMENT_PATH, ({ request, set }) => files.element.answer(request, set));
  }
  return app;
}

function servePage(app: Elysia, files: PageFiles, page: ShellPage, frameAncestors: readonly string[]): void {
  const headers = headersOf(frameAncestors);
  const documents = new Map<ColourTheme, StoredAnswer>();
  for (const theme of [null, "light", "dark"] as const)
    documents.set(theme, new StoredAnswer(async () => htmlOf(await files.bundle(), page, theme), headers));
  type Asked = { request: Request; set: Parameters<StoredAnswer["answer"]>[1] };
  const answer = ({ request, set }: Asked) => {
    set.headers.vary = [set.headers.vary, "cookie"].filter(Boolean).join(", ");
    return documents.get(themeOf(request))?.answer(request, set);
  };
  app
    .get(`/${page.name}/assets/:name`, async ({ request, set, params }) =>
      (await files.asset(params.name)).answer(request, set),
    )
    .get(`/${page.name}`, answer)
    .get(`/${page.name}/*`, answer);
}

class PageFiles {
  private loading: Promise<Bundle> | null = null;
  private readonly assets = new Map<string, StoredAnswer>();

  readonly element = new StoredAnswer(() => this.bytesOf("hermod-portal.js"), {
    "content-type": TYPES.js ?? "",
    // A page of another origin embeds the portal, and loads this file as a module.
    "access-control-allow-origin": "*",
    ...CHECKED,
  });

  bundle(): Promise<Bundle> {
    this.loading ??= loadBundle().catch((error) => {
      this.loading = null;
      throw error;
    });
    return this.loading;
  }

  async asset(name: string): Promise<StoredAnswer> {
    const kept = this.assets.get(name);
    if (kept) return kept;
    const bytes = (await this.bundle()).files.get(name);
    if (bytes === undefined) throw notFound("There is no such file");
    const type = TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream";
    const answer = new StoredAnswer(() => bytes, { "content-type": type, ...KEPT });
    this.assets.set(name, answer);
    return answer;
  }

  private async bytesOf(entry: "hermod-portal.js") {
    const { files, entries } = await this.bundle();
    return files.get(entries[entry]) ?? new Uint8Array();
  }
}

/** Returns the headers of a page. They forbid inline code, other origins, and turning text into scripts. */
function headersOf(frameAncestors: readonly string[]) {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(" ")}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy.join("; "),
    "referrer-policy": "no-referrer",
    ...CHECKED,
  };
}
