import type { Database } from "../../db/database";
import type { AcceptedDelivery, IdempotencyClaim } from "../../intake/send";
import type { AccountId } from "../../runtime/ids";

/**
 * The delivery that the same request with the same key was answered with before, if there is one. The intake
 * finds it by itself; this is for a send that would not get that far any more.
 */
export async function findEarlierSend(
  db: Database,
  accountId: AccountId,
  { key, fingerprint }: IdempotencyClaim,
): Promise<AcceptedDelivery | null> {
  const [delivery] = await db.run(
    (sql) => sql<AcceptedDelivery[]>`
      select d.id, d.endpoint_id as "endpointId", d.event, d.sequence
      from idempotency_keys k join deliveries d on d.id = k.delivery_id
      where k.account_id = ${accountId} and k.key = ${key} and k.fingerprint = ${fingerprint}
        and k.created_at > now() - interval '24 hours'`,
  );
  return delivery ?? null;
}
