import { arrayOf } from "../db/arrays";
import { isTaken } from "../db/idempotency-key";
import type { Sql } from "../db/pool";
import type { DeliveryId } from "../runtime/ids";
import { lastIdOf, type NumberedFanOut } from "./accept-events";
import type { FanOutResult } from "./fan-out";
import type { AcceptedDelivery, IdempotencyClaim } from "./send";

type Claimed = { accountId: string; idempotency: IdempotencyClaim | null };
type TakenRow = { n: number; eventId: DeliveryId | null; isSame: boolean };

/** What the keys of these fan-outs stand for, by the fan-outs' identifiers; those whose key is free are left out. */
export async function findTakenEvents(
  sql: Sql,
  fanOuts: readonly NumberedFanOut[],
): Promise<Map<DeliveryId, FanOutResult>> {
  const results = new Map<DeliveryId, FanOutResult>();
  for (const { n, eventId, isSame } of await selectTaken(sql, fanOuts)) {
    const fanOut = fanOuts[n - 1];
    if (!fanOut) continue;
    const isOurs = isSame && eventId !== null;
    results.set(
      fanOut.id,
      isOurs
        ? { kind: "replayed", deliveries: await selectDeliveries(sql, eventId) }
        : { kind: "key_conflict" },
    );
  }
  return results;
}

/** The deliveries that the same request with the same key was answered with before, if it was. */
export async function findEarlierEvent(sql: Sql, claimed: Claimed): Promise<AcceptedDelivery[] | null> {
  const [taken] = await selectTaken(sql, [claimed]);
  return taken?.isSame && taken.eventId ? selectDeliveries(sql, taken.eventId) : null;
}

function selectTaken(sql: Sql, claims: readonly Claimed[]): Promise<TakenRow[]> {
  return sql<TakenRow[]>`
    select i.n, k.delivery_id as "eventId", k.fingerprint = i.fingerprint as "isSame"
    from unnest(
      ${arrayOf(claims.map((each) => each.accountId))}::uuid[],
      ${arrayOf(claims.map((each) => each.idempotency?.key ?? null))}::text[],
      ${arrayOf(claims.map((each) => each.idempotency?.fingerprint ?? null))}::bytea[]
    ) with ordinality as i(account_id, key, fingerprint, n)
    join idempotency_keys k on ${isTaken(sql, "i")}
  `;
}

function selectDeliveries(sql: Sql, eventId: DeliveryId): Promise<AcceptedDelivery[]> {
  return sql<AcceptedDelivery[]>`
    select id, endpoint_id as "endpointId", event, sequence from deliveries
    where id > ${eventId} and id <= ${lastIdOf(eventId)}
    order by id
  `;
}
