import { HermodError } from "../../client";
import type { Transport } from "../../client/transport";
import type { OperationAccess } from "../document";

/** What a key may call. */
export type KeyRights =
  | Readonly<{ kind: "account"; permissions: ReadonlySet<string> }>
  | Readonly<{ kind: "portal"; permissions: ReadonlySet<string>; capabilities: ReadonlySet<string> }>
  | Readonly<{ kind: "receiver" }>;

const RECEIVER_PREFIX = "rcv_";
const PORTAL_PREFIX = "hmp_";

/** Reads what a key may call. The service is not asked for a receiver's key, which may call nothing that shows its rights. */
export async function readRights(http: Transport, key: string): Promise<KeyRights> {
  if (key.startsWith(RECEIVER_PREFIX)) return { kind: "receiver" };
  const me = await http.call("get", "/v1/me", {});
  const permissions = new Set<string>(me.permissions);
  if (!key.startsWith(PORTAL_PREFIX)) return { kind: "account", permissions };
  const session = await http.call("get", "/v1/portal-sessions", {});
  return { kind: "portal", permissions, capabilities: new Set<string>(session.capabilities) };
}

export function mayCall(rights: KeyRights, access: OperationAccess): boolean {
  switch (rights.kind) {
    case "receiver":
      return access.receivers;
    case "account":
      return access.permissions.every((each) => rights.permissions.has(each));
    case "portal":
      if (access.portal === null) return false;
      return (
        access.portal.every((each) => rights.capabilities.has(each)) &&
        access.permissions.every((each) => rights.permissions.has(each))
      );
  }
}

/** Describes an error of the service for the one who called a tool. */
export function refusalOf(error: unknown): string {
  if (!(error instanceof HermodError)) return error instanceof Error ? error.message : String(error);
  const { status, code, message, requestId } = error;
  return `${status} ${code ?? ""}: ${message}${requestId === null ? "" : ` (x-request-id ${requestId})`}`;
}
