import { Elysia } from "elysia";
import { StoredAnswer } from "../edge/stored-answer";
import { notFound } from "../errors";
import type { ApiSettings } from "../settings";
import { type Bundle, loadBundle } from "./bundle";
import { type ColourTheme, htmlOf, type ShellPage, themeOf } from "./html";

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

const PORTAL: ShellPage = { name: "portal", title: "Webhooks", hasOidc: false };

/** The path of the element that embeds the portal in a customer's page. */
const ELEMENT_PATH = "/portal/element.js";

/** Serves the console at /console and the portal at /portal. Builds or reads their files at the first request. */
export function consolePages(config: Pick<ApiSettings, "console" | "portal" | "portalOrigins" | "oidc">) {
  const app = new Elysia({ name: "console" });
  const files = new PageFiles();
  if (config.console)
    servePage(app, files, { name: "console", title: "Hermod", hasOidc: config.oidc !== null }, []);
  if (config.portal) {
    servePage(app, files, PORTAL, config.portalOrigins);
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
