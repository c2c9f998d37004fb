import type { AnySql, Fragment } from "../db/pool";
import { idsOfEndpoint } from "../deliveries/endpoint-ids";
import { within } from "../deliveries/id-range";
import { literal } from "../deliveries/row-limit";
import { type AccountId, type DeliveryId, leastIdAt } from "../runtime/ids";
import type { Task } from "./job";

/** Deliveries of an account from a position on. */
export type Range = Pick<Task, "endpointId" | "event" | "createdBefore"> & {
  accountId: AccountId;
  position: DeliveryId;
};

/**
 * Selects columns of the next deliveries `i` that lie ahead of a job, no more than `rows`, in the order of their
 * identifiers: read from the indexes of the endpoint if the job has one, else of the event type, else of the account.
 * What else the scope says is left to be looked at.
 */
export function selectRange(sql: AnySql, range: Range, columns: Fragment, rows: number): Fragment {
  const { accountId, endpointId, event, position, createdBefore } = range;
  const ahead = { after: position, before: leastIdAt(createdBefore) };
  const end = sql`order by id limit ${literal(sql, rows)}`;
  if (endpointId !== null) {
    const queue = { endpointId, shortIn: null };
    return sql`
      select ${columns}
      from (${idsOfEndpoint(sql, accountId, queue, ahead, { order: "oldest", rows })} ${end}) as c
      join deliveries i on i.id = c.id
      order by i.id
    `;
  }
  return sql`
    select ${columns} from deliveries i
    where i.account_id = ${accountId} ${event === null ? sql`` : sql`and i.event = ${event}`}
      ${within(sql, ahead, "i.id")}
    ${end}
  `;
}
