import { signal } from "@preact/signals";
import type { Capability } from "../../domain/portal";
import { type Changes, linkTo } from "./location";

/** The capabilities that a page asks for. `operate`: work of the sender's own people, such as setting limits. */
export type Ability = Capability | "add_endpoints" | "operate";

/** The capabilities of the session. The console and the portal each set them. */
export type Access = Readonly<{
  /** Where the paths of its pages begin. */
  base: string;
  can(ability: Ability): boolean;
  /** The account that the pages show; null for the session's own. */
  account: string | null;
  /** The event types that an endpoint may get at most, as patterns; null for all. */
  eventTypes: readonly string[] | null;
}>;

export const access = signal<Access>({ base: "", can: () => false, account: null, eventTypes: null });

export function can(ability: Ability): boolean {
  return access.value.can(ability);
}

/** Returns the URL of another page of the same shell. */
export function linkToPage(path: string, query: Changes = {}): string {
  return linkTo(access.value.base + path, query);
}

/** Prefixes a key with the account, since the answers of accounts differ. */
export function keyed(...parts: readonly (string | number | null | undefined)[]): string {
  return [...parts, access.value.account].join(" ");
}
