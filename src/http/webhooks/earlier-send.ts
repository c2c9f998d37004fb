import type { Database } from "../../db/database";
import { isTaken } from "../../db/idempotency-key";
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
      from (select ${accountId}::uuid as account_id, ${key}::text as key) i
      join idempotency_keys k on ${isTaken(sql, "i")}
      join deliveries d on d.id = k.delivery_id
      where k.fingerprint = ${fingerprint}`,
  );
  return delivery ?? null;
}
