import { sql as expression } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import { attempts, endpoints, mailboxes, queue, seriesPositions } from "../db/schema";
import { MOST_PENDING } from "../deliveries/backlog";
import type { DisabledReason, FilterErrors, HealthState, LastFailure } from "../domain/health";
import type { DeliveryId } from "../domain/ids";

/** An endpoint's stored health. Times are Unix milliseconds. */
export type Health = {
  state: HealthState;
  inactiveSince: number | null;
  disabledReason: DisabledReason | null;
  failingSince: number | null;
  blockedSince: number | null;
  blockedBy: BlockingDelivery | null;
  lastSuccessAt: number | null;
  /** The last request of a receiver that reads; null if it is pushed. */
  lastReadAt: number | null;
  lastFailure: LastFailure | null;
  filterErrors: FilterErrors | null;
  backlog: { pending: number; oldest: DeliveryId | null; completeUpTo: number };
};

/** The delivery that holds back its order in a blocked endpoint, with the answer to its last attempt. */
export type BlockingDelivery = {
  id: DeliveryId;
  sequence: number;
  orderingKey: string | null;
  attemptCount: number;
  lastAttempt: LastFailure | null;
};

const { isActive, disabledReason, failingSince, blockedSince, inactiveSince, lastFailure, lastSuccessAt } =
  endpoints;
const { filterErrors, lastReadAt } = endpoints;

/**
 * SQL: the backlog of an endpoint, and the number up to which nothing is pending. Reads only the queue, and at most
 * `MOST_PENDING` rows. The queue and the last sequence come from one snapshot.
 */
const backlog = expression<Health["backlog"]>`(
  select json_build_object(
    'pending', count(*), 'oldest', (array_agg(w.delivery_id order by w.sequence))[1],
    'completeUpTo', coalesce(
      min(w.sequence) - 1, (select m.last_sequence from ${mailboxes} m where m.endpoint_id = ${endpoints.id}), 0
    )
  )
  from (
    select q.delivery_id, q.sequence
    from ${mailboxes} m join ${queue} q on q.partition = m.partition and q.endpoint_id = m.endpoint_id
    where m.endpoint_id = ${endpoints.id}
    order by q.sequence limit ${expression.raw(String(MOST_PENDING))}
  ) w
)`;

/** SQL: the last success: either a recovery, which is in the endpoint's row, or a success in the folded tallies. */
const lastSuccess = expression<number | null>`(
  extract(epoch from greatest(
    ${lastSuccessAt}, (select p.last_success_at from ${seriesPositions} p where p.endpoint_id = ${endpoints.id})
  )) * 1000
)::float8`;

/** SQL: the delivery that `findBlocked` has found, as a row of the queue, if it still holds back its order. */
const blocking = expression`
  from ${queue} q
  where q.account_id = ${endpoints.accountId} and q.delivery_id = ${endpoints.blockedBy} and ${endpoints.ordering} <> 'unordered'
`;

const isBlocked = expression`exists (select ${blocking})`;

/** SQL: the delivery that holds back its order; null unless the endpoint's state is `blocked`. */
const blockedBy = expression<BlockingDelivery | null>`(
  select json_build_object(
    'id', q.delivery_id, 'sequence', q.sequence, 'orderingKey', q.ordering_key, 'attemptCount', q.attempt_count,
    'lastAttempt', (
      select json_build_object(
        'at', floor(extract(epoch from a.started_at) * 1000) + a.duration_ms, 'status', a.status, 'error', a.error,
        'errorDetail', a.error_detail
      )
      from ${attempts} a where a.delivery_id = q.delivery_id and a.attempt = q.attempt_count
    )
  )
  ${blocking} and ${isActive}
)`;

/** SQL: the state of an endpoint. */
export const healthState = expression<HealthState>`
  case
    when not ${isActive} then case when ${disabledReason} is null then 'paused' else 'disabled' end
    when ${isBlocked} then 'blocked'
    when ${failingSince} is null then 'healthy'
    else 'failing'
  end
`;

/** The columns of `Health`. */
export const HEALTH_COLUMNS = {
  state: healthState,
  inactiveSince,
  disabledReason,
  failingSince,
  blockedSince,
  blockedBy,
  lastSuccessAt: lastSuccess,
  lastReadAt,
  lastFailure,
  filterErrors,
  backlog,
};

/**
 * Returns the assignments for an activation or deactivation by the account. Activation ends a failure. After a deactivation the
 * reason is the account's, not Hermod's.
 */
export function activation(activates: boolean): PgUpdateSetSource<typeof endpoints> {
  if (!activates)
    return {
      isActive: false,
      inactiveSince: expression`case when ${isActive} then now() else ${inactiveSince} end`,
      disabledReason: null,
    };
  return {
    isActive: true,
    inactiveSince: null,
    disabledReason: null,
    failingSince: expression`case when ${isActive} then ${failingSince} end`,
    failedDeliveries: expression`case when ${isActive} then ${endpoints.failedDeliveries} else 0 end`,
    goneSince: expression`case when ${isActive} then ${endpoints.goneSince} end`,
    isWarned: expression`${isActive} and ${endpoints.isWarned}`,
  };
}
