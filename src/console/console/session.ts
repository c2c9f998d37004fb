import { computed, effect, signal } from "@preact/signals";
import type { Account, Key } from "../../client/types";
import { actingFor, ask, credentials, HermodError, refusals } from "../shared/api";
import { params } from "../shared/location";
import { forgetAll } from "../shared/resource";

export type Permission = Key["permissions"][number];

export type Session = Readonly<{
  csrf_token: string;
  expires_at: string;
  name: string | null;
  role: string | null;
  account: Account;
  permissions: readonly Permission[];
}>;

/** Undefined until the service has said; null without a session. */
export const session = signal<Session | null | undefined>(undefined);
/** Why the service could not say. */
export const sessionError = signal<unknown>(null);

export const isAdmin = computed(() => session.value?.permissions.includes("admin") ?? false);

export function can(permission: Permission): boolean {
  const permissions = session.value?.permissions ?? [];
  return (
    permissions.includes(permission) ||
    (permission === "webhooks:retry" && permissions.includes("webhooks:write"))
  );
}

/** The account whose data the pages show: the one in the URL for administrators, else the session's own. */
export const account = computed(() => {
  const own = session.value?.account.id ?? null;
  return (isAdmin.value && params.value.get("account")) || own;
});

effect(() => {
  const own = session.value?.account.id;
  actingFor.value = account.value === own ? null : account.value;
});

// A 401 in the middle of work: the session has ended, and the page asks to sign in where it is.
effect(() => {
  if (refusals.value > 0) session.value = null;
});

export async function openSession(): Promise<void> {
  sessionError.value = null;
  try {
    enter((await ask("get", "/v1/sessions")) as Session);
  } catch (error) {
    if (error instanceof HermodError && error.status === 401) session.value = null;
    else sessionError.value = error;
  }
}

/** Exchanges a key for a cookie. The key is not kept. */
export async function signIn(key: string): Promise<void> {
  enter((await ask("post", "/v1/sessions", { body: { key } })) as Session);
}

export async function signOut(): Promise<void> {
  await ask("delete", "/v1/sessions").catch(() => null);
  credentials.value = null;
  session.value = null;
  forgetAll();
}

function enter(found: Session): void {
  credentials.value = { kind: "cookie", csrf: found.csrf_token };
  session.value = found;
}
