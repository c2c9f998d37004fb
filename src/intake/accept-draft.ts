import { arrayOf, plainArrayOf } from "../db/arrays";
import type { Sql } from "../db/pool";
import type { AcceptedRow } from "./accept";
import type { Meter } from "./acceptance";
import type { Draft } from "./draft";

/** Not in any JSON text, which has control characters as escapes only (RFC 8259, section 7). */
const BETWEEN_PAYLOADS = "\u0001";

/**
 * Writes what the draft has, all of it or nothing: null when an endpoint is not as it was known, or an account has a
 * limit. It leaves behind what `acceptSends` does of accounts without limits, and takes its locks in the same order: steps
 * that nothing refers to are carried out from the last to the first, so they stand here as in `consequences`. Most sends go
 * through it: what that one finds out of every row is known here before (measured at 25 sends: an eighth less of Postgres'
 * time and of the driver's). It is one text without variants, since putting a statement together from pieces costs the
 * driver as much as ten sends.
 */
export async function acceptDraft(
  sql: Sql,
  draft: Draft,
  { period, slot }: Meter,
): Promise<AcceptedRow[] | null> {
  const { endpoints, sends, accounts } = draft;
  const events = accounts.flatMap((account) =>
    [...account.events].map(([name, count]) => ({ accountId: account.id, name, count })),
  );
  const accountIds = plainArrayOf(accounts.map((each) => each.id));
  const accountCounts = plainArrayOf(accounts.map((each) => each.count));
  const endpointIds = plainArrayOf(endpoints.map((each) => each.id));
  const endpointAccounts = plainArrayOf(endpoints.map((each) => each.accountId));
  const ids = plainArrayOf(sends.map(({ send }) => send.id));
  // Postgres counts from 1.
  const places = plainArrayOf(sends.map(({ endpoint }) => endpoint.place + 1));
  const nths = plainArrayOf(sends.map(({ nth }) => nth));
  // Taken apart again in less time than an array literal, whose quotes have to be escaped and read.
  const payloads = sends.map(({ send }) => send.data).join(BETWEEN_PAYLOADS);
  const [row] = await sql<{ before: string }[]>`
    with located as materialized (
      select i.place, i.count, m.endpoint_id, m.last_sequence
      from unnest(
        ${endpointIds}::uuid[],
        ${plainArrayOf(endpoints.map((each) => each.revision))}::integer[],
        ${plainArrayOf(endpoints.map((each) => each.count))}::integer[]
      ) with ordinality as i(endpoint_id, revision, count, place)
      join mailboxes m on m.endpoint_id = i.endpoint_id and m.revision = i.revision
      order by m.endpoint_id
      for update of m
    ),
    held as materialized (
      select array_agg(last_sequence order by place) as before from located
      having count(*) = ${endpoints.length}::integer and not exists (
        select from accounts a join plans p on p.name = a.plan
        where a.id = any(${accountIds}::uuid[]) and p.webhooks_per_month is not null
      )
    ),
    numbered as (
      update mailboxes m set last_sequence = l.last_sequence + l.count from held, located l
      where m.endpoint_id = l.endpoint_id
    ),
    used as (
      insert into usage as u (account_id, period, slot, used)
      select a.id, ${period}::date, ${slot}::smallint, a.count
      from held, unnest(${accountIds}::uuid[], ${accountCounts}::integer[]) as a(id, count)
      on conflict (account_id, period, slot) do update set used = u.used + excluded.used
    ),
    stored as (
      insert into deliveries (id, account_id, endpoint_id, sequence, event, data)
      select s.id, (${endpointAccounts}::uuid[])[s.place], (${endpointIds}::uuid[])[s.place],
        before[s.place] + s.nth, s.event, s.data
      from held, lateral (
        select unnest(${ids}::uuid[]) as id, unnest(${places}::integer[]) as place, unnest(${nths}::integer[]) as nth,
          unnest(${arrayOf(sends.map(({ send }) => send.event))}::text[]) as event,
          unnest(string_to_array(${payloads}, ${BETWEEN_PAYLOADS})) as data
      ) s
    ),
    queued as (
      insert into queue (partition, endpoint_id, sequence, delivery_id, account_id)
      select (${plainArrayOf(endpoints.map((each) => each.partition))}::smallint[])[s.place],
        (${endpointIds}::uuid[])[s.place], before[s.place] + s.nth, s.id, (${endpointAccounts}::uuid[])[s.place]
      from held, lateral (
        select unnest(${ids}::uuid[]) as id, unnest(${places}::integer[]) as place, unnest(${nths}::integer[]) as nth
      ) s
    ),
    counted as (
      insert into counters as c (account_id, event, slot, accepted)
      select e.account_id, e.event, ${slot}::smallint, e.count
      from held, unnest(
        ${plainArrayOf(events.map((each) => each.accountId))}::uuid[],
        ${arrayOf(events.map((each) => each.name))}::text[],
        ${plainArrayOf(events.map((each) => each.count))}::integer[]
      ) as e(account_id, event, count) order by 1, 2
      on conflict (account_id, event, slot) do update set accepted = c.accepted + excluded.accepted
    ),
    totalled as (
      insert into totals as t (account_id, slot, accepted)
      select a.id, ${slot}::smallint, a.count
      from held, unnest(${accountIds}::uuid[], ${accountCounts}::integer[]) as a(id, count)
      on conflict (account_id, slot) do update set accepted = t.accepted + excluded.accepted
    )
    select array_to_string(before, ',') as before from held
  `;
  return row ? rowsOf(draft, row.before.split(",")) : null;
}

/** `before`: each endpoint's last number until now. */
function rowsOf({ sends }: Draft, before: readonly string[]): AcceptedRow[] {
  return sends.map(({ send: { id }, endpoint: { place, partition, revision }, nth }) => {
    const sequence = Number(before[place]) + nth;
    return { verdict: "accepted", id, partition, revision, sequence, monthlyLimit: null };
  });
}
