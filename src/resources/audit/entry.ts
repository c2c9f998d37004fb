import { type Static, Type } from "@sinclair/typebox";
import { cursorPageOf } from "../../api/lists/cursor-model";
import { formatInstant } from "../../api/lists/instant";
import { mapOf, named, nullable, timestamp, words } from "../../api/openapi/schema";
import { ACTOR_KINDS, type AuditEntry, type Facts } from "../../domain/audit-entry";
import { timeOf, toText } from "../../domain/ids";

const facts = (description: string) => nullable(mapOf(Type.Unknown(), description));

export const AuditActorModel = named(
  "AuditActor",
  Type.Object({
    kind: words("ActorKind", ACTOR_KINDS),
    id: nullable(Type.String({ description: "The key's id." })),
    name: nullable(Type.String({ description: "The key's name at the time, or the person." })),
    session_id: nullable(Type.String({ description: "The session in a browser, if it was one." })),
  }),
);

export const AuditEntryModel = named(
  "AuditEntry",
  Type.Object({
    id: Type.String({ description: "Begins with `aud_`." }),
    at: timestamp(),
    account_id: Type.String({ description: "The account that the change is about." }),
    operation: Type.String({ description: "The `operationId` of the request." }),
    target: nullable(Type.String({ description: "The id or the name of the changed or created resource." })),
    actor: AuditActorModel,
    request_id: Type.String({ description: "The request's `x-request-id`." }),
    before: facts("The values of the changed fields before, where they are known and small."),
    after: facts("The fields of the request. `…` replaces values that may be secret, or are large."),
  }),
);

export const AuditPageModel = named("AuditPage", cursorPageOf("AuditEntry"));

export type AuditEntryView = Static<typeof AuditEntryModel>;

export function viewOfEntry(entry: AuditEntry): AuditEntryView {
  const { actorKind, actorName, keyId, sessionId, before, after } = entry;
  return {
    id: toText("aud", entry.id),
    at: formatInstant(timeOf(entry.id)),
    account_id: toText("acc", entry.accountId),
    operation: entry.operation,
    target: entry.target,
    actor: {
      kind: actorKind,
      id: keyId && toText("key", keyId),
      name: actorName,
      session_id: sessionId && toText("ses", sessionId),
    },
    request_id: entry.requestId,
    before: before as Record<string, Facts> | null,
    after: after as Record<string, Facts> | null,
  };
}

export const AUDIT_EXAMPLE = {
  id: "aud_01k9x3t1m4e6bt7m9n2p4r6s8w",
  at: "2026-01-31T12:00:00.000Z",
  account_id: "acc_01k9x3s0k2c4bt6m8n1p3r5s7x",
  operation: "updateEndpoint",
  target: "ep_01k9x3v5q8e7bt2m4n6p8r0s2t",
  actor: { kind: "key", id: "key_01k9x3t1m4e6bt7m9n2p4r6s8w", name: "Support", session_id: null },
  request_id: "5b1f0c52-8d1b-4f0e-9a53-0d1f6f2a7c11",
  before: { is_active: true },
  after: { is_active: false },
} satisfies AuditEntryView;
