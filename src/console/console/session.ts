import { computed, effect, signal } from "@preact/signals";
import type { operations } from "../../client/openapi";
import type { AnswerOf } from "../../client/operation";
import type { Key } from "../../client/types";
import { actingFor, call, credentials, exchangeToken, HermodError, refusals } from "../shared/api";
import { params } from "../shared/location";
import { forgetAll } from "../shared/resource";

export type Permission = Key["permissions"][number];

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

effect(() => {
  const own = session.value?.account.id;
  actingFor.value = account.value === own ? null : account.value;
});

// After a 401 the session has ended: asks to sign in on the same page.
effect(() => {
  if (refusals.value > 0) session.value = null;
});

export async function openSession(): Promise<void> {
  sessionError.value = null;
  try {
    await enter((await call("get", "/v1/sessions", {})).csrf_token);
  } catch (error) {
    if (error instanceof HermodError && error.status === 401) session.value = null;
    else sessionError.value = error;
  }
}

/** Exchanges a key for a cookie. The key is not stored. */
export async function signIn(key: string): Promise<void> {
  const opened = (await exchangeToken("/v1/sessions", key)) as { csrf_token: string };
  await enter(opened.csrf_token);
}

async function enter(csrf: string): Promise<void> {
  credentials.value = { kind: "cookie", csrf };
  session.value = await call("get", "/v1/me", {});
}

export async function signOut(): Promise<void> {
  await call("delete", "/v1/sessions", {}).catch(() => null);
  credentials.value = null;
  session.value = null;
  forgetAll();
}
