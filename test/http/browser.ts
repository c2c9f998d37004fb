import { type Answer, answerOf, type Client } from "./client";

/** Sends requests as a page of the service's own origin, and keeps the cookie. */
export class Browser {
  private cookie: string | null = null;
  csrfToken = "";

  constructor(readonly url: string) {}

  /** Exchanges a client's key for a session. */
  static async signedIn({ url, key }: Pick<Client, "url" | "key">): Promise<Browser> {
    const browser = new Browser(url);
    const { status, text, body } = await browser.signIn(key);
    if (status !== 201) throw new Error(`the sign-in was answered ${status} ${text}`);
    browser.csrfToken = body.csrf_token;
    return browser;
  }

  /** Returns a browser with the same session, at another address. */
  at(url: string): Browser {
    const other = new Browser(url);
    other.cookie = `hermod-${new URL(url).port}=${this.token}`;
    other.csrfToken = this.csrfToken;
    return other;
  }

  signIn(key: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.ask("POST", "/sessions", undefined, { authorization: `Bearer ${key}`, ...headers });
  }

  get(path: string, headers?: Record<string, string>): Promise<Answer> {
    return this.ask("GET", path, undefined, headers);
  }

  /** An empty text among the headers removes that header. */
  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const all = {
      "content-type": "application/json",
      "sec-fetch-site": "same-origin",
      cookie: this.cookie ?? "",
      "x-hermod-csrf": method === "GET" ? "" : this.csrfToken,
      ...headers,
    };
    const given = Object.entries(all).filter(([, value]) => value !== "");
    const response = await fetch(`${this.url}/v1${path}`, {
      method,
      headers: Object.fromEntries(given),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    this.keep(response.headers.getSetCookie());
    return answerOf(response);
  }

  /** The session's token, which a page can't read. */
  get token(): string {
    return this.cookie?.split("=")[1] ?? "";
  }

  private keep(setCookies: readonly string[]): void {
    for (const each of setCookies)
      this.cookie = /Max-Age=0;/.test(each) ? null : (each.split(";")[0] ?? null);
  }
}
