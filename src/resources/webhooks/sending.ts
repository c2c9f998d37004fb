import { type Acceptable, earlierOf } from "../../api/accepting";
import { badRequest, overMonthlyLimit } from "../../api/errors";
import { keyConflict } from "../../api/idempotency/idempotency";
import { unknownEndpoint } from "../../api/ids";
import type { Database } from "../../db/database";
import { newId } from "../../domain/ids";
import type { FilterErrorCounts } from "../../event-types/filter/error-counts";
import type { PayloadGate } from "../../event-types/payload-gate";
import type { Intake, SendResult } from "../../intake/new-delivery";
import { findTakenSends } from "../../intake/taken-keys";
import { acceptedJson } from "./accepted";
import { readSend } from "./send-body";

export type SendingOptions = {
  intake: Intake;
  payloadGate: PayloadGate;
  filterErrors: Pick<FilterErrorCounts, "note">;
  db: Database;
  config: Readonly<{ retentionMs: number }>;
};

/** Adapts the send intake to requests for webhooks. */
export function sending({
  intake,
  payloadGate,
  filterErrors,
  db,
  config,
}: SendingOptions): Acceptable<ReturnType<typeof readSend>, SendResult> {
  return {
    path: "/v1/webhooks",
    read: (json, path) => readSend(json, config.retentionMs, path),
    check: (accountId, bodies) => payloadGate.check(accountId, bodies),
    accept: async ({ hops, ...sender }, body, idempotency, { refusedBy, failed }) => {
      const id = newId("wh", hops, sender.traceparent !== null);
      const isRefused = refusedBy.length > 0;
      const result = await intake.accept({ id, ...sender, ...body, idempotency, isRefused });
      if (failed.length > 0 && result.kind === "accepted")
        filterErrors.note(failed, { eventId: null, deliveryId: id });
      return result;
    },
    findEarlier: async (accountId, claims) => {
      const claimed = claims.map((idempotency) => ({ accountId, idempotency }));
      const taken = await db.run((sql) => findTakenSends(sql, claimed));
      return earlierOf(taken, (delivery) => ({ kind: "replayed", delivery }));
    },
    jsonOf,
  };
}

function jsonOf(result: SendResult): string {
  switch (result.kind) {
    case "accepted":
    case "replayed":
      return acceptedJson(result.delivery);
    case "key_conflict":
      throw keyConflict();
    case "unknown_endpoint":
      throw unknownEndpoint();
    case "feed_endpoint":
      throw badRequest("endpoint_id is an endpoint with feed: true, which gets only Hermod's own reports");
    case "over_monthly_limit":
      throw overMonthlyLimit(result.limit);
  }
}
