import { computed, effect, signal } from "@preact/signals";
import type { components, operations } from "../../client/openapi";
import type { AnswerOf } from "../../client/operation";
import { CAPABILITIES } from "../../domain/portal";
import { type Ability, access } from "../shared/access";
import { actingFor, askedCell, call, credentials, exchangeToken, HermodError, refusals } from "../shared/api";
import { BASE_PATH } from "../shared/base-path";
import { params, url } from "../shared/location";
import { forgetAll } from "../shared/resource";
import { serverNow } from "../shared/server-clock";

export type Permission = components["schemas"]["Permission"];

type Me = AnswerOf<operations["getMe"]>;

/** The account, the key or person, and the permissions of the session. */
export type Session = Me;

/** Undefined until the service has answered; null without a session. */
export const session = signal<Session | null | undefined>(undefined);
/** The error if the service did not answer. */
export const sessionError = signal<unknown>(null);

export const isAdmin = computed(() => session.value?.permissions.includes("admin") ?? false);

export function can(permission: Permission): boolean {
  const permissions = session.value?.permissions ?? [];
  return (
    permissions.includes(permission) ||
    (permission === "webhooks:retry" && permissions.includes("webhooks:write"))
  );
}

/** The account whose data the pages show: the one in the URL for sessions that see all accounts, else their own. */
export const account = computed(() => {
  const own = session.value?.account.id ?? null;
  return (can("accounts:act") && params.value.get("account")) || own;
});

/** The cell that the pages show; null for all cells. Another one needs a new load of the page. */
export const cell = params.peek().get("cell");

effect(() => {
  const own = session.value?.account.id;
  // In another cell than the session's, even the own account must be named: each has the account `default`.
  actingFor.value = account.value === own && cell === null ? null : account.value;
  askedCell.value = own === undefined ? null : cell;
});

effect(() => {
  access.value = { base: "/console", can: isAble, account: account.value, eventTypes: null };
});

function isAble(ability: Ability): boolean {
  if (ability === "operate") return true;
  if (ability === "add_endpoints") return can("endpoints:write");
  return CAPABILITIES[ability].every(can);
}

/** When a person's session ends, in milliseconds; null for a key's. */
let personUntil: number | null = null;
/** True once the page goes to the provider. A second sign-in would replace the cookie that the first one comes back with. */
let isLeaving = false;
/** The page's estimate of the service's time may differ by this much. */
const CLOCK_TOLERANCE_MS = 2_000;

// A 401 in the middle of work: the session has ended. After its whole time a person comes back from the provider, with
// the role of that moment; otherwise nobody may have been there, and the page asks to sign in where it is.
effect(() => {
  if (refusals.value === 0 || isLeaving) return;
  isLeaving = personUntil !== null && serverNow() >= personUntil - CLOCK_TOLERANCE_MS;
  if (isLeaving) location.assign(BASE_PATH + signOnUrl());
  else session.value = null;
});

/** The path that signs a person in and leads back to this page. */
export function signOnUrl(): string {
  return `/console/oidc/start?return=${encodeURIComponent(url.value.pathname + url.value.search)}`;
}

export async function openSession(): Promise<void> {
  sessionError.value = null;
  try {
    await enter(await call("get", "/v1/sessions", {}));
  } catch (error) {
    if (error instanceof HermodError && error.status === 401) session.value = null;
    else sessionError.value = error;
  }
}

/** Asks for a new sign-in in place of a session that can't be opened. */
export function leaveSession(): void {
  sessionError.value = null;
  session.value = null;
}

/** Exchanges a key for a cookie. The key is not stored. */
export async function signIn(key: string): Promise<void> {
  await enter((await exchangeToken("/v1/sessions", key)) as Opened);
}

type Opened = Readonly<{ csrf_token: string; expires_at: string }>;

async function enter({ csrf_token: csrf, expires_at }: Opened): Promise<void> {
  credentials.value = { kind: "cookie", csrf };
  const me = await call("get", "/v1/me", {});
  personUntil = me.key_id === null ? Date.parse(expires_at) : null;
  session.value = me;
}

export async function signOut(): Promise<void> {
  await call("delete", "/v1/sessions", {}).catch(() => null);
  credentials.value = null;
  personUntil = null;
  session.value = null;
  forgetAll();
}
