import { DEFAULT_ACCOUNT } from "../../src/accounts/account";
import type { TestDatabase } from "../support/postgres";

/** A statement adds this many, to end soon also on a busy machine. */
const STEP = 5_000;

/** Adds deliveries: 99 of 100 have a small payload, the others a large one. */
export async function addDeliveries({ db }: TestDatabase, count: number): Promise<void> {
  for (let first = 1; first <= count; first += STEP) {
    const last = Math.min(first + STEP - 1, count);
    await db.run(
      (sql) => sql`
        insert into deliveries (id, account_id, endpoint_id, sequence, event, data)
        select gen_random_uuid(), ${DEFAULT_ACCOUNT}, gen_random_uuid(), n, 'a.b',
          repeat('x', case when n % 100 = 0 then 20000 else 100 end)
        from generate_series(${first}::int, ${last}::int) n`,
    );
  }
}
