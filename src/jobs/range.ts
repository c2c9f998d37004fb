import type { AnySql, Fragment } from "../db/pool";
import { deliveryById, isOfEvent } from "../db/sql/planner";
import { type EndpointQueue, idsOfEndpoint } from "../deliveries/lists/endpoint-ids";
import { queueOf, readEndpointSize } from "../deliveries/lists/endpoint-size";
import { within } from "../deliveries/lists/id-range";
import { literal } from "../deliveries/lists/row-limit";
import { type AccountId, type DeliveryId, leastIdAt } from "../domain/ids";
import type { JobPosition, Task } from "./job";

/** Deliveries of an account from a position on. */
type RangeScope = Pick<Task, "endpointId" | "event" | "createdBefore"> & {
  accountId: AccountId;
  position: JobPosition;
};

/** A scope, and the queue of its endpoint's pending deliveries; null if the scope has no endpoint. */
export type JobRange = RangeScope & { queue: EndpointQueue | null };

export async function rangeOf(sql: AnySql, scope: RangeScope): Promise<JobRange> {
  const { accountId, endpointId } = scope;
  if (endpointId === null) return { ...scope, queue: null };
  const size = await readEndpointSize(sql, accountId, endpointId);
  return { ...scope, queue: size ? queueOf(size) : { endpointId, shortIn: null } };
}

/**
 * Selects columns of the next deliveries `i` of a job, at most `rows`, in the order of ids. Reads the indexes of the
 * job's endpoint if it has one, else of the event type, else of the account. The caller checks the rest of the scope.
 */
export function selectRange(sql: AnySql, range: JobRange, columns: Fragment, rows: number): Fragment {
  const { accountId, queue, event, position, createdBefore } = range;
  const ahead = { after: position, before: leastIdAt(createdBefore) };
  const end = sql`order by id limit ${literal(sql, rows)}`;
  if (queue !== null) {
    return sql`
      select ${columns}
      from (${idsOfEndpoint(sql, accountId, queue, ahead, { order: "oldest", rows })} ${end}) as c
      cross join lateral ${deliveryById(sql, accountId, sql`c.id`)} i
      order by i.id
    `;
  }
  return sql`
    select ${columns} from deliveries i
    where i.account_id = ${accountId} ${event === null ? sql`` : sql`and ${isOfEvent(sql, "i", event)}`}
      ${within(sql, ahead, "i.id")}
    ${end}
  `;
}

/** Selects columns of the next events `i` of a job, at most `rows`, in the order of ids. */
export function selectEvents(sql: AnySql, range: RangeScope, columns: Fragment, rows: number): Fragment {
  const { accountId, event, position, createdBefore } = range;
  return sql`
    select ${columns} from events i
    where i.account_id = ${accountId} ${event === null ? sql`` : sql`and ${isOfEvent(sql, "i", event)}`}
      ${within(sql, { after: position, before: leastIdAt(createdBefore) }, "i.id")}
    order by i.id limit ${literal(sql, rows)}
  `;
}

/** A delivery or an event in a job's range. */
export type JobCandidate<Id extends JobPosition = DeliveryId> = { id: Id; isWanted: boolean; size: number };
