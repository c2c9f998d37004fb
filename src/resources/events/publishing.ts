import { type Acceptable, earlierOf } from "../../api/accepting";
import { type ApiError, badRequest, conflict, overMonthlyLimit } from "../../api/errors";
import { keyConflict } from "../../api/idempotency/idempotency";
import type { Database } from "../../db/database";
import { eventIdFrom } from "../../db/sql/event-key";
import { newId } from "../../domain/ids";
import type { FilterErrorCounts } from "../../event-types/filter/error-counts";
import type { PayloadGate } from "../../event-types/payload-gate";
import type { FanOutIntake, FanOutResult } from "../../intake/events/fan-out";
import type { IdempotencyClaim } from "../../intake/new-delivery";
import { MAX_DELIVERIES } from "../../intake/new-delivery";
import { findTakenEvents } from "../../intake/taken-keys";
import { type EventBody, readEvent } from "./event-body";
import { publishedJson } from "./published";

export type PublishingOptions = {
  fanOuts: FanOutIntake;
  payloadGate: PayloadGate;
  filterErrors: Pick<FilterErrorCounts, "note">;
  db: Database;
  config: Readonly<{ retentionMs: number }>;
};

/** Adapts the fan-out intake to requests for events. */
export function publishing(options: PublishingOptions): Acceptable<EventBody, FanOutResult> {
  const { fanOuts, payloadGate, filterErrors, db, config } = options;
  return {
    path: "/v1/events",
    read: (body, path) => readEvent(body, config.retentionMs, path),
    check: (accountId, bodies) => payloadGate.check(accountId, bodies),
    claimOf,
    accept: async ({ hops, ...sender }, body, idempotency, { refusedBy, failed }) => {
      const id = eventIdFrom(newId("wh", hops, sender.traceparent !== null));
      const result = await fanOuts.accept({ id, ...sender, ...body, idempotency, refusedBy });
      if (result.kind === "key_conflict" && body.externalId !== null)
        throw conflict("This event_id was used for a different event");
      if (failed.length > 0 && result.kind === "accepted")
        filterErrors.note(failed, { eventId: id, deliveryId: null });
      return result;
    },
    findEarlier: async (accountId, claims) => {
      const claimed = claims.map((idempotency) => ({ accountId, idempotency }));
      const taken = await db.run((sql) => findTakenEvents(sql, claimed));
      return earlierOf(taken, (event) => ({ kind: "replayed", event }));
    },
    jsonOf,
  };
}

/** Prefix of the keys of events' own ids. An Idempotency-Key has no control characters, so no key is equal to one. */
const OWN_ID = "\u0002";

/** Returns the claim of an event with an `event_id`. Its fingerprint is the content, alone or in any batch. */
function claimOf({ externalId, event, orderingKey, data, deliverAfter }: EventBody): IdempotencyClaim | null {
  if (externalId === null) return null;
  const content = JSON.stringify([event, orderingKey, data, deliverAfter]);
  return {
    key: `${OWN_ID}${externalId}`,
    fingerprint: new Bun.CryptoHasher("sha256").update(content).digest(),
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
