import type { Database } from "../../db/database";
import type { SchemaGate } from "../../event-types/schema-gate";
import type { FanOutIntake, FanOutResult } from "../../intake/events/fan-out";
import { MAX_DELIVERIES } from "../../intake/sends/sending-request";
import { findTakenEvents } from "../../intake/taken-keys";
import { type Acceptable, earlierOf } from "../accepting";
import { type ApiError, badRequest, overMonthlyLimit } from "../errors";
import { keyConflict } from "../idempotency/idempotency";
import { type EventBody, readEvent } from "../webhooks/send-body";
import { publishedJson } from "./model";

export type PublishingOptions = { fanOuts: FanOutIntake; schemaGate: SchemaGate; db: Database };

/** Adapts the fan-out intake to requests for events. */
export function publishing(options: PublishingOptions): Acceptable<EventBody, FanOutResult> {
  const { fanOuts, schemaGate, db } = options;
  return {
    path: "/v1/events",
    read: readEvent,
    check: (accountId, bodies) => schemaGate.check(accountId, bodies),
    accept: (sender, { event, orderingKey, data }, idempotency) =>
      fanOuts.accept({ ...sender, event, orderingKey, data, idempotency }),
    findEarlier: async (accountId, claims) => {
      const claimed = claims.map((idempotency) => ({ accountId, idempotency }));
      const taken = await db.run((sql) => findTakenEvents(sql, claimed));
      return earlierOf(taken, (event) => ({ kind: "replayed", event }));
    },
    jsonOf,
  };
}

function overRequestLimit(made: number | null): ApiError {
  const most = `One request may make ${MAX_DELIVERIES} deliveries`;
  const found =
    made === null ? "the events before this one leave none" : `with this event it would make ${made}`;
  return badRequest(`${most}, and ${found}: send this event, and those after it, in another request`);
}

function jsonOf(result: FanOutResult): string {
  switch (result.kind) {
    case "accepted":
    case "replayed":
      return publishedJson(result.event);
    case "key_conflict":
      throw keyConflict();
    case "too_many_endpoints":
      throw badRequest(
        `The event matches more than ${result.most} endpoints, the most that one event may go to`,
      );
    case "over_request_limit":
      throw overRequestLimit(result.made);
    case "over_monthly_limit":
      throw overMonthlyLimit(result.limit);
  }
}
