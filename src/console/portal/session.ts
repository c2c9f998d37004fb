import { effect, signal } from "@preact/signals";
import { ask, credentials, exchangeToken, HermodError, refusals } from "../shared/api";
import { setLocale } from "../shared/format";
import { isEmbedded, notify } from "./embedding";
import { type Texts, textsFor } from "./texts";
import { applyTheme, parseTheme } from "./theme";

export type Capability = "view" | "manage_endpoints" | "retry" | "view_payloads" | "test";

export type PortalSession = Readonly<{
  token: string | null;
  csrf_token: string | null;
  expires_at: string;
  capabilities: readonly Capability[];
  endpoint_ids: readonly string[] | null;
  locale: string | null;
  product_name: string | null;
  theme: Readonly<Record<string, string>> | null;
}>;

/** The session; undefined until it is known, null if it has ended. */
export const session = signal<PortalSession | null | undefined>(undefined);
export const texts = signal<Texts>(textsFor(navigator.languages).texts);

/** Marks every request as the portal's, since the console may have a cookie in the same browser. */
const HEADERS = { "x-hermod-portal": "1" };

export function may(capability: Capability): boolean {
  return session.value?.capabilities.includes(capability) ?? false;
}

/** Opens the session of the link, or continues the browser's session. */
export async function openSession(link: string = location.href): Promise<void> {
  const token = new URL(link, location.href).hash.match(/^#token=(.+)$/)?.[1];
  // Removes the token, which works once, from the history.
  if (location.hash !== "") history.replaceState(null, "", location.pathname + location.search);
  try {
    if (token !== undefined) {
      const body = { embedded: isEmbedded };
      enter((await exchangeToken("/v1/portal-sessions/exchange", token, body)) as PortalSession);
    } else {
      credentials.value = { kind: "cookie", csrf: "", headers: HEADERS };
      enter((await ask("get", "/v1/portal-sessions")) as PortalSession);
    }
  } catch (error) {
    if (!(error instanceof HermodError)) throw error;
    end();
  }
}

function enter(opened: PortalSession): void {
  credentials.value =
    opened.token === null
      ? { kind: "cookie", csrf: opened.csrf_token ?? "", headers: HEADERS }
      : { kind: "bearer", token: opened.token, headers: HEADERS };
  const found = textsFor([...(opened.locale ? [opened.locale] : []), ...navigator.languages]);
  texts.value = found.texts;
  document.documentElement.lang = found.language;
  document.title = found.texts.title;
  setLocale(opened.locale ?? found.language);
  applyTheme(parseTheme(opened.theme));
  session.value = opened;
  notify({ type: "hermod:ready" });
}

function end(): void {
  session.value = null;
  notify({ type: "hermod:session-expired" });
}

effect(() => {
  if (refusals.value > 0) end();
});
