import type { Database } from "../../src/db/database";
import { arrayOf } from "../../src/db/sql/arrays";
import { type AccountId, type EndpointId, fromText, leastIdAt } from "../../src/domain/ids";

/** A delivered number, with the time in its id (Unix milliseconds). */
export type PastNumber = { sequence: number; time: number; isLate?: boolean };

/** Writes delivered deliveries of an endpoint, as if their ids had been made at any time. The payload has the number. */
export async function writeHistory(
  db: Database,
  accountId: AccountId,
  endpoint: { id: string },
  numbers: readonly PastNumber[],
): Promise<void> {
  const endpointId = fromText("ep", endpoint.id) as EndpointId;
  const ids = numbers.map(({ time, sequence }) => idAt(time, sequence, endpointId));
  const late = numbers.map(({ isLate }) => (isLate ? true : null));
  await db.run(
    (sql) => sql`
      with written as (
        insert into deliveries (id, account_id, endpoint_id, sequence, event, data, is_numbered_later)
        select i.id, ${accountId}, ${endpointId}, i.sequence, 'past.event', '{"n":' || i.sequence || '}', i.late
        from unnest(${arrayOf(ids)}::uuid[], ${arrayOf(numbers.map(({ sequence }) => sequence))}::bigint[],
          ${arrayOf(late)}::boolean[]) as i(id, sequence, late)
        returning id, account_id, endpoint_id, sequence
      ),
      ended as (
        insert into results (delivery_id, account_id, endpoint_id, status, attempt_count, completed_at)
        select id, account_id, endpoint_id, 'delivered', 1, now() from written
      )
      update mailboxes set last_sequence = greatest(last_sequence, (select max(sequence) from written))
      where endpoint_id = ${endpointId}
    `,
  );
}

/** Makes an id of a time that no other number and endpoint has. */
function idAt(time: number, sequence: number, endpointId: EndpointId): string {
  const own = sequence.toString(16).padStart(8, "0");
  return `${leastIdAt(time).slice(0, 13)}-7${own.slice(0, 3)}-8${own.slice(3, 6)}-${own.slice(6)}${endpointId.slice(-10)}`;
}
