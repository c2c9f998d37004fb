import type { AnySql, Fragment } from "../db/pool";
import { type AccountId, type DeliveryId, leastIdAt } from "../runtime/ids";
import type { JobScope } from "./job";

export type Range = JobScope & { accountId: AccountId; position: DeliveryId };

/**
 * Selects columns of the deliveries `i` that lie ahead of a job, in the order of their identifiers: read from the
 * index of the endpoint if the job has one, else of the event type, else of the account. What else the scope says is
 * left to be looked at.
 */
export function selectRange(sql: AnySql, range: Range, columns: Fragment): Fragment {
  const { accountId, endpointId, event, position, createdBefore } = range;
  const owner =
    endpointId !== null
      ? sql`i.endpoint_id = ${endpointId}`
      : event !== null
        ? sql`i.account_id = ${accountId} and i.event = ${event}`
        : sql`i.account_id = ${accountId}`;
  return sql`
    select ${columns} from deliveries i
    where ${owner} and i.id > ${position} and i.id < ${leastIdAt(createdBefore)}
    order by i.id
  `;
}
