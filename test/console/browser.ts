import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import type { components } from "../../src/client/openapi";
import { CHROMIUM } from "./chromium";
import { ADMIN_KEY, type Installation, openInstallation } from "./installation";

setDefaultTimeout(120_000);

/** A test that needs a browser. */
export const browserTest = test.skipIf(CHROMIUM === null);

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM ?? undefined, args: ["--no-sandbox", "--disable-gpu"] });
}

/** A service with receivers, and a browser, for the tests of a file. */
export class Pages {
  hermod!: Installation;
  browser!: Browser;
  private context: BrowserContext | null = null;

  async start(settingsAt?: (url: string) => Promise<Record<string, string>>): Promise<void> {
    if (CHROMIUM === null) return;
    [this.hermod, this.browser] = await Promise.all([openInstallation(settingsAt), launch()]);
  }

  async stop(): Promise<void> {
    await this.browser?.close();
    await this.hermod?.close();
  }

  /** Returns a page of a browser without a session. */
  async fresh(options: Parameters<Browser["newContext"]>[0] = {}): Promise<Page> {
    const size = { viewport: { width: 1440, height: 900 }, baseURL: this.hermod.url };
    return (await this.browser.newContext({ ...size, ...options })).newPage();
  }

  /** Returns a page of the browser that all tests of the file share, signed in as an administrator. */
  async signedIn(): Promise<Page> {
    this.context ??= await this.newSession();
    return this.context.newPage();
  }

  async newSession(): Promise<BrowserContext> {
    const page = await this.fresh({ permissions: ["clipboard-read", "clipboard-write"] });
    await signIn(page);
    const context = page.context();
    await page.close();
    return context;
  }

  /** Returns a link to the portal, of the account with the data and with every capability unless the session says otherwise. */
  async linkFor(session: object): Promise<string> {
    const { url, account } = this.hermod;
    const headers = { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" };
    const body = JSON.stringify({ account: account.id, capabilities: ALL, ...session });
    const answer = await fetch(`${url}/v1/portal-sessions`, { method: "POST", headers, body });
    expect(answer.status).toBe(201);
    return ((await answer.json()) as components["schemas"]["PortalLink"]).url;
  }

  /** Opens a page of the console for the account with the data, in a new tab unless one is given. */
  async opened(path: string, tab?: Page): Promise<Page> {
    const page = tab ?? (await this.signedIn());
    const sign = path.includes("?") ? "&" : "?";
    await page.goto(`${path}${sign}account=${this.hermod.account.id}`);
    await page.locator(".app h1, .app h2").first().waitFor();
    return page;
  }
}

const ALL = ["view", "manage_endpoints", "retry", "view_payloads", "test"];

/** Starts a service with receivers and a browser before the tests of a file, and stops them after. */
export function usePages(settingsAt?: (url: string) => Promise<Record<string, string>>): Pages {
  const pages = new Pages();
  beforeAll(() => pages.start(settingsAt));
  afterAll(() => pages.stop());
  return pages;
}

export async function signIn(page: Page, url = "/console", key = ADMIN_KEY): Promise<void> {
  await page.goto(url);
  await page.getByLabel("API key").fill(key);
  await page.keyboard.press("Enter");
  await page.locator(".app").waitFor();
}
