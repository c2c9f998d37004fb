import { effect, signal } from "@preact/signals";
import type { Capability } from "../../domain/portal";
import { type Ability, access } from "../shared/access";
import { ask, credentials, exchangeToken, HermodError, refusals } from "../shared/api";
import { sessionAppearance, startWith, texts } from "./appearance";
import { isEmbedded, notify } from "./embedding";
import { parseTheme } from "./theme";

export { texts };

export type PortalSession = Readonly<{
  token: string | null;
  csrf_token: string | null;
  expires_at: string;
  capabilities: readonly Capability[];
  endpoint_ids: readonly string[] | null;
  event_types: readonly string[] | null;
  locale: string | null;
  product_name: string | null;
  theme: Readonly<Record<string, string>> | null;
}>;

/** The session; undefined until it is known, null if it has ended. */
export const session = signal<PortalSession | null | undefined>(undefined);

/** Marks every request as the portal's, since the console may have a cookie in the same browser. */
const HEADERS = { "x-hermod-portal": "1" };

effect(() => {
  const { capabilities = [], endpoint_ids: endpoints, event_types: eventTypes = null } = session.value ?? {};
  const has = (ability: Ability) => capabilities.some((each) => each === ability);
  // A new endpoint's receiver gets payloads.
  const mayAdd = has("manage_endpoints") && has("view_payloads") && endpoints === null;
  access.value = {
    base: "/portal",
    can: (ability) => (ability === "add_endpoints" ? mayAdd : has(ability)),
    account: null,
    eventTypes,
  };
});

/** Opens the session of the link, or continues the browser's session. */
export async function openSession(link: string = location.href): Promise<void> {
  const given = new URLSearchParams(new URL(link, location.href).hash.slice(1));
  const token = given.get("token");
  startWith(given.get("lang"), given.get("theme"));
  // The token works once; it need not stay in the history.
  if (location.hash !== "") history.replaceState(null, "", location.pathname + location.search);
  try {
    if (token !== null) {
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
  sessionAppearance.value = { lang: opened.locale, theme: parseTheme(opened.theme) };
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
