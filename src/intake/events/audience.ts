import type { Fragment, Sql } from "../../db/pool";
import { isTaken, lifetime } from "../../db/sql/idempotency-key";
import { lockUsage } from "../acceptance";
import type { UsageKey } from "../usage-shard";

/** Which endpoints of an account a fan-out goes to: those for its events, or those of its feed. */
export type Audience = "events" | "feed";

/** The parts of the accepting statement in which the audiences differ. */
export type Rules = Readonly<{
  /** Condition on an endpoint `e`: it belongs to the audience. */
  endpoints: Fragment;
  /** True if events are stored, each with the payload of all its deliveries. */
  keepsEvents: boolean;
  /** Condition on an item `i`: it was not accepted before. */
  isOpen: Fragment;
  /** Selects the usage of the accounts in `located`, and locks it. */
  usageRows: Fragment;
  /** Takes the keys of `claims`, so that each is accepted once, and returns the `delivery_id` of each key it got. */
  claim: (claims: Fragment) => Fragment;
}>;

export function rulesFor(sql: Sql, audience: Audience, usageKey: UsageKey): Rules {
  return audience === "events" ? eventRules(sql, usageKey) : feedRules(sql);
}

function eventRules(sql: Sql, usageKey: UsageKey): Rules {
  return {
    endpoints: sql`not e.feed`,
    keepsEvents: true,
    isOpen: sql`
      key is null or not exists (
        select from idempotency_keys k where ${isTaken(sql, "i")}
      )
    `,
    usageRows: lockUsage(sql, usageKey),
    claim: (claims) => sql`
      insert into idempotency_keys as k (account_id, key, fingerprint, delivery_id)
      select account_id, key, fingerprint, event_id from (${claims}) as claims
      order by account_id, key
      -- A key that is free or has expired.
      on conflict (account_id, key) do update
        set fingerprint = excluded.fingerprint, delivery_id = excluded.delivery_id,
          created_at = now(), status = null, response = null
        where k.created_at <= now() - ${lifetime(sql)}
      returning delivery_id
    `,
  };
}

/**
 * Accepts a feed's event by its row in the outbox, which the same transaction deletes. Feed deliveries do not count against the
 * monthly limit: otherwise a feed could not report that the limit is reached.
 */
function feedRules(sql: Sql): Rules {
  return {
    endpoints: sql`e.feed`,
    keepsEvents: false,
    isOpen: sql`exists (select from feed_outbox o where o.id = i.key::bigint)`,
    usageRows: sql`
      select distinct account_id, null::smallint as shard, null::bigint as monthly_limit, 0::bigint as used from located
    `,
    claim: (claims) => sql`
      delete from feed_outbox o using (${claims}) as claims where o.id = claims.key::bigint
      returning claims.event_id as delivery_id
    `,
  };
}
