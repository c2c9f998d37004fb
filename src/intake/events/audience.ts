import type { Fragment, Sql } from "../../db/pool";
import { isTaken } from "../../db/sql/idempotency-key";
import { type Meter, metered, takeKeys } from "../acceptance";

/** Whom a fan-out is for: endpoints of the account's own events, or those of its feed. */
export type Audience = "events" | "feed";

/** What differs between them in the statement that accepts. */
export type Rules = Readonly<{
  /** Over an endpoint `e`. */
  endpoints: Fragment;
  /** Whether the events are kept, with the payload of all their deliveries. */
  keepsEvents: boolean;
  /** Whether an item `i` may still be accepted. */
  isOpen: Fragment;
  /** The months of the accounts in `located`. */
  metered: Fragment;
  /** A statement that takes `claims`, so that each is accepted once, and returns `delivery_id` of those it got. */
  claim: (claims: Fragment) => Fragment;
}>;

export function rulesFor(sql: Sql, audience: Audience, meter: Meter): Rules {
  return audience === "events" ? eventRules(sql, meter) : feedRules(sql);
}

function eventRules(sql: Sql, meter: Meter): Rules {
  return {
    endpoints: sql`not e.feed`,
    keepsEvents: true,
    isOpen: sql`
      key is null or not exists (
        select from idempotency_keys k where ${isTaken(sql, "i")}
      )
    `,
    metered: metered(sql, meter),
    claim: (claims) => sql`
      insert into idempotency_keys as k (account_id, key, fingerprint, delivery_id)
      select account_id, key, fingerprint, event_id from (${claims}) as claims
      order by account_id, key
      ${takeKeys(sql)}
    `,
  };
}

/**
 * The key of a feed's event is its row in the outbox, which goes in the transaction that accepts it. It costs the
 * account nothing: otherwise it could not report a used up month.
 */
function feedRules(sql: Sql): Rules {
  return {
    endpoints: sql`e.feed`,
    keepsEvents: false,
    isOpen: sql`exists (select from feed_outbox o where o.id = i.key::bigint)`,
    metered: sql`
      select distinct account_id, null::smallint as shard, null::bigint as monthly_limit, 0::bigint as used from located
    `,
    claim: (claims) => sql`
      delete from feed_outbox o using (${claims}) as claims where o.id = claims.key::bigint
      returning claims.event_id as delivery_id
    `,
  };
}
