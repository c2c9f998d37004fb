import type { components } from "../../client/openapi";

export type AuditEntry = components["schemas"]["AuditEntry"];

/** Past forms of verbs in operations' names that do not just add a `d`. */
const PAST: Readonly<Record<string, string>> = {
  update: "changed",
  put: "set",
  retry: "retried",
  resend: "resent",
  replay: "replayed",
  cancel: "cancelled",
  test: "tested",
  send: "sent",
  publish: "sent",
  import: "imported",
};

/** Returns an operation's name in words: `updateEndpoint` is `changed endpoint`. */
export function operationWords(operation: string): string {
  const [verb = "", ...rest] = operation
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(" ");
  return [PAST[verb] ?? `${verb}d`, ...rest].join(" ");
}

/** Names who made a change: the person or the key. The name of a portal's key says nothing of the customer. */
export function actorWords({ actor }: Pick<AuditEntry, "actor">): string {
  if (actor.kind === "portal") return "A customer in the portal";
  return actor.name ?? actor.id ?? (actor.kind === "jwt" ? "The holder of a JWT" : "Somebody");
}
