import type { Database } from "../db/database";
import type { Sql } from "../db/pool";
import { arrayOf } from "../db/sql/arrays";
import { eventIdFrom, numberedIdSql } from "../db/sql/event-key";
import { wasTaken } from "../db/sql/idempotency-key";
import { unixMs } from "../db/sql/time";
import type { AccountId, DeliveryId, EndpointId, EventId } from "../domain/ids";
import type { AcceptedEvent } from "./events/fan-out";
import type { Accepted, IdempotencyClaim } from "./new-delivery";

/** A send or event that was to take its key, if it has one. */
export type Claimed = { accountId: string; idempotency: IdempotencyClaim | null };

/** A taken key. */
type Taken = {
  /** Position of its claim, from 1. */
  n: number;
  accountId: AccountId;
  /** True if the same request took it. */
  isSame: boolean;
  /** The delivery or event that was accepted with the key; null if another kind of request took it. */
  acceptedId: DeliveryId | null;
  endpointId: EndpointId | null;
  event: string | null;
  orderingKey: string | null;
  sequence: number | null;
  dueAt: number | null;
};

/** The answer that the key's first request got; null if that was a different request. Claims whose key is free are missing. */
type Answers<Claim, Answer> = ReadonlyMap<Claim, Answer | null>;

export async function findTakenSends<Claim extends Claimed>(
  sql: Sql,
  claims: readonly Claim[],
): Promise<Answers<Claim, Accepted>> {
  return answersOf(claims, await selectTaken(sql, claims), deliveryOf);
}

export async function findTakenEvents<Claim extends Claimed>(
  sql: Sql,
  claims: readonly Claim[],
): Promise<Answers<Claim, AcceptedEvent>> {
  const taken = await selectTaken(sql, claims);
  const wanted = taken.flatMap(({ accountId, acceptedId, isSame }) =>
    isSame && acceptedId !== null ? [{ accountId, id: eventIdFrom(acceptedId) }] : [],
  );
  const events = await readAcceptedEvents(sql, wanted);
  return answersOf(
    claims,
    taken,
    ({ acceptedId }) => (acceptedId && events.get(eventIdFrom(acceptedId))) ?? null,
  );
}

/**
 * Finds the results of the claims that a commit left without an answer, because their keys are taken. If the lookup fails, only
 * these claims fail: the others of the commit have their answers.
 */
export async function settleTaken<Claim extends Claimed, Answer, Result>(
  db: Database,
  unanswered: readonly Claim[],
  find: (sql: Sql, claims: readonly Claim[]) => Promise<Answers<Claim, Answer>>,
  resultOf: (answer: Answer | null) => Result,
): Promise<ReadonlyMap<Claim, Result | Promise<Result>>> {
  if (unanswered.length === 0) return new Map();
  try {
    const taken = await db.run((sql) => find(sql, unanswered));
    return new Map([...taken].map(([claim, answer]) => [claim, resultOf(answer)]));
  } catch (error) {
    return new Map(unanswered.map((claim) => [claim, Promise.reject<Result>(error)]));
  }
}

function answersOf<Claim, Answer>(
  claims: readonly Claim[],
  taken: readonly Taken[],
  answerOf: (taken: Taken) => Answer | null,
): Answers<Claim, Answer> {
  return new Map(
    taken.flatMap((each) => {
      const claim = claims[each.n - 1];
      return claim === undefined ? [] : [[claim, each.isSame ? answerOf(each) : null] as const];
    }),
  );
}

function deliveryOf(taken: Taken): Accepted | null {
  const { acceptedId: id, endpointId, event, orderingKey, sequence, dueAt } = taken;
  return id && endpointId ? { id, endpointId, event, orderingKey, sequence, dueAt } : null;
}

function selectTaken(sql: Sql, claims: readonly Claimed[]): Promise<Taken[]> {
  return sql<Taken[]>`
    select i.n, k.account_id as "accountId", k.fingerprint = i.fingerprint as "isSame", k.delivery_id as "acceptedId",
      d.endpoint_id as "endpointId", d.event, d.ordering_key as "orderingKey", d.sequence,
      ${unixMs(sql, "d.due_at")} as "dueAt"
    from unnest(
      ${arrayOf(claims.map((each) => each.accountId))}::uuid[],
      ${arrayOf(claims.map((each) => each.idempotency?.key ?? null))}::text[],
      ${arrayOf(claims.map((each) => each.idempotency?.fingerprint ?? null))}::bytea[]
    ) with ordinality as i(account_id, key, fingerprint, n)
    join idempotency_keys k on ${wasTaken(sql, "i")}
    left join lateral (
      select a.endpoint_id, a.event, a.ordering_key, a.sequence, a.due_at from deliveries a
      where a.account_id = k.account_id and a.id = k.delivery_id limit 1
    ) d on true
  `;
}

type TakenEventRow = Omit<AcceptedEvent, "deliveries" | "held" | "skipped"> & {
  inactive: readonly EndpointId[] | null;
  deliveryId: DeliveryId | null;
  endpointId: EndpointId;
  sequence: number | null;
  dueAt: number | null;
};

/** Reads events as they were accepted, without deliveries that a replay added later. */
async function readAcceptedEvents(
  sql: Sql,
  events: readonly { accountId: AccountId; id: EventId }[],
): Promise<ReadonlyMap<EventId, AcceptedEvent>> {
  if (events.length === 0) return new Map();
  const rows = await sql<TakenEventRow[]>`
    select e.id, e.event, e.ordering_key as "orderingKey", e.external_id as "externalId", e.inactive,
      d.id as "deliveryId", d.endpoint_id as "endpointId", d.sequence,
      ${unixMs(sql, "d.due_at")} as "dueAt"
    from unnest(
      ${arrayOf(events.map((each) => each.accountId))}::uuid[],
      ${arrayOf(events.map((each) => each.id))}::uuid[]
    ) as i(account_id, event_id)
    cross join lateral (
      select * from events a where a.account_id = i.account_id and a.id = i.event_id limit 1
    ) e
    left join lateral (
      select a.id, a.endpoint_id, a.sequence, a.due_at from deliveries a
      where a.account_id = i.account_id and a.id > e.id and a.id <= ${sql.unsafe(numberedIdSql("e.id", "e.delivery_count"))}
      order by a.id
    ) d on true
    order by e.id, d.id
  `;
  return new Map([...Map.groupBy(rows, ({ id }) => id)].map(([id, ofEvent]) => [id, acceptedOf(ofEvent)]));
}

function acceptedOf(rows: readonly TakenEventRow[]): AcceptedEvent {
  const [first] = rows;
  if (!first) throw new Error("an event has no rows");
  const { id, event, orderingKey, externalId } = first;
  const inactive = new Set(first.inactive);
  const deliveries = rows.flatMap(({ deliveryId, endpointId, sequence, dueAt }) =>
    deliveryId === null ? [] : [{ id: deliveryId, endpointId, event, orderingKey, sequence, dueAt }],
  );
  const getting = new Set(deliveries.map(({ endpointId }) => endpointId));
  return {
    id,
    event,
    orderingKey,
    externalId,
    deliveries,
    held: deliveries.filter(({ endpointId }) => inactive.has(endpointId)).map((each) => each.id),
    skipped: [...inactive].filter((endpointId) => !getting.has(endpointId)),
  };
}
