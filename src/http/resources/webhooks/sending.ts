import type { Database } from "../../../db/database";
import { newId, timeOf, toText } from "../../../domain/ids";
import type { PayloadGate } from "../../../event-types/payload-gate";
import type { AcceptedDelivery, Intake, SendResult } from "../../../intake/sends/send";
import { findTakenSends } from "../../../intake/taken-keys";
import type { Config } from "../../../service/config";
import { type Acceptable, earlierOf } from "../../accepting";
import { badRequest, overMonthlyLimit } from "../../errors";
import { keyConflict } from "../../idempotency/idempotency";
import { unknownEndpoint } from "../../ids";
import { formatInstant } from "../../lists/instant";
import { readSend, type SendBody } from "./send-body";

export type SendingOptions = {
  intake: Intake;
  payloadGate: PayloadGate;
  db: Database;
  config: Pick<Config, "retentionMs">;
};

/** Adapts the send intake to requests for webhooks. */
export function sending({
  intake,
  payloadGate,
  db,
  config,
}: SendingOptions): Acceptable<SendBody, SendResult> {
  return {
    path: "/v1/webhooks",
    read: (json, path) => readSend(json, config.retentionMs, path),
    check: (accountId, bodies) => payloadGate.check(accountId, bodies),
    accept: ({ hops, ...sender }, body, idempotency, refusedBy) => {
      const id = newId("wh", hops, sender.traceparent !== null);
      return intake.accept({ id, ...sender, ...body, idempotency, isRefused: refusedBy.length > 0 });
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

/**
 * Writes the JSON text of an accepted delivery. By hand, because it answers every webhook. Ids and timestamps need no escaping.
 */
export function acceptedJson(delivery: AcceptedDelivery): string {
  const { id, endpointId, event, orderingKey, sequence, dueAt } = delivery;
  const key = orderingKey === null ? "" : `"ordering_key":${JSON.stringify(orderingKey)},`;
  const isExcluded = sequence === null && dueAt === null;
  const state = isExcluded ? '"status":"cancelled","cancel_reason":"event_filter"' : '"status":"pending"';
  const due = dueAt === null ? "" : `"deliver_after":"${formatInstant(dueAt)}",`;
  return (
    `{"id":"${toText("wh", id)}","endpoint_id":"${toText("ep", endpointId)}",` +
    `"event":${event === null ? "null" : JSON.stringify(event)},${key}${state},"attempt_count":0,${due}` +
    `"created_at":"${formatInstant(timeOf(id))}"}`
  );
}
