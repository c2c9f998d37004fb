import type { AnySql, TransactionSql } from "../db/pool";
import { arrayOf } from "../db/sql/arrays";
import { filterMatchesSql } from "../db/sql/event-filter";
import { isAtOrigin } from "../db/sql/origin";
import { deliveryById } from "../db/sql/planner";
import type { AccountId, DeliveryId, EndpointId } from "../domain/ids";

/** Facts that decide whether a delivery can be sent again. */
export type Resendable = {
  event: string | null;
  isPending: boolean;
  isErased: boolean;
  /** False if the endpoint's URL has moved to another origin since, or its filter excluded the delivery. */
  isAtOrigin: boolean;
};

/** Resolves to null if the account has no delivery with this id. */
export async function findResendable(
  sql: TransactionSql,
  accountId: AccountId,
  id: DeliveryId,
): Promise<Resendable | null> {
  const [row] = await sql<Resendable[]>`
    select d.event, d.data is not distinct from '' as "isErased", ${isAtOrigin(sql, "d")} as "isAtOrigin",
      exists (select from queue q where q.account_id = d.account_id and q.delivery_id = d.id) as "isPending"
    from deliveries d
    left join mailboxes m on m.endpoint_id = d.endpoint_id
    where d.id = ${id} and d.account_id = ${accountId}
  `;
  return row ?? null;
}

/** The deliveries that a job may resend, their endpoints, and the unknown ids. */
export type ResendChoice = { ids: DeliveryId[]; endpoints: ReadonlySet<EndpointId>; unknown: DeliveryId[] };

type ResendCandidate = {
  id: DeliveryId;
  endpointId: EndpointId | null;
  event: string | null;
  isResendable: boolean;
};

/** Limits the deliveries that a job may resend. */
export type ResendScope = Readonly<{
  /** Also deliveries that are replays themselves. */
  withReplays: boolean;
  /** None that is older than the last change of its endpoint's origin. */
  atOriginOnly: boolean;
  isInReach(event: string | null): boolean;
}>;

/**
 * Keeps the deliveries that can be resent now: ended, with their payload, of an endpoint that exists and whose filter matches
 * them.
 */
export async function chooseResendable(
  sql: AnySql,
  accountId: AccountId,
  ids: readonly DeliveryId[],
  { withReplays, atOriginOnly, isInReach }: ResendScope,
): Promise<ResendChoice> {
  const rows = await sql<ResendCandidate[]>`
    select r.id, i.endpoint_id as "endpointId", i.event, (
      m.endpoint_id is not null and i.data is distinct from '' and (${withReplays} or i.replay_of is null)
      and ${sql.unsafe(filterMatchesSql)} and (not ${atOriginOnly} or ${isAtOrigin(sql, "i")})
      and exists (select from results x where x.endpoint_id = i.endpoint_id and x.delivery_id = i.id)
    ) is true as "isResendable"
    from (select distinct id from unnest(${arrayOf(ids)}::uuid[]) n(id)) r
    left join lateral ${deliveryById(sql, accountId, sql`r.id`)} i on true
    left join mailboxes m on m.endpoint_id = i.endpoint_id
    left join endpoints e on e.id = m.endpoint_id
    order by r.id
  `;
  const chosen = rows.filter(({ isResendable, event }) => isResendable && isInReach(event));
  return {
    ids: chosen.map(({ id }) => id),
    endpoints: new Set(chosen.flatMap(({ endpointId }) => endpointId ?? [])),
    unknown: rows.filter(({ endpointId }) => endpointId === null).map(({ id }) => id),
  };
}

/** Joins the choices from several places. An id is unknown if all of them lack it. */
export function joinChoices(choices: readonly ResendChoice[]): ResendChoice {
  const [first, ...others] = choices.map(({ unknown }) => new Set(unknown));
  return {
    ids: [...new Set(choices.flatMap(({ ids }) => ids))].sort(),
    endpoints: new Set(choices.flatMap(({ endpoints }) => [...endpoints])),
    unknown: [...(first ?? [])].filter((id) => others.every((each) => each.has(id))),
  };
}
