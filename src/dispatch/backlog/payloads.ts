import { type Database, isTemporary } from "../../db/database";
import { arrayOf } from "../../db/sql/arrays";
import { payloadOf } from "../../db/sql/event-key";
import { deliveryById } from "../../db/sql/planner";
import { toText } from "../../domain/ids";
import type { PendingDelivery } from "../../domain/pending-delivery";
import { type Clock, sleep } from "../../runtime/clock";
import { describeError, type Log } from "../../runtime/log";
import { Batcher } from "../../runtime/queues/batcher";

type Wanted = Pick<PendingDelivery, "id" | "accountId">;

/** Most payloads in one statement, since they are large. */
const MAX_BATCH = 8;
const MAX_READS = 2;
const MAX_QUEUED = 1_000_000;
/**
 * A failed read returns after this many milliseconds, since its endpoint asks again at once. Shorter than a partition may
 * pause to be handed over.
 */
const FAIL_AFTER_MS = 250;

/** Reads payloads that are too large to wait in memory. */
export class Payloads {
  private readonly batcher: Batcher<Wanted, string | null>;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.batcher = new Batcher({
      run: (wanted) => this.readMany(wanted),
      // A payload that can't be read must not fail the others in its statement.
      mayBeOneItem: (error) => !isTemporary(error),
      maxItems: MAX_BATCH,
      maxRunning: MAX_READS,
      maxQueued: MAX_QUEUED,
    });
  }

  /** Reads a payload. Resolves to null if it was erased or can't be read now. Never rejects. */
  async read(delivery: Wanted): Promise<string | null> {
    try {
      return await this.batcher.submit(delivery);
    } catch (error) {
      const level = isTemporary(error) ? "debug" : "warn";
      const details = { delivery_id: toText("wh", delivery.id), ...describeError(error) };
      this.log[level](details, "could not read a payload; the delivery waits and is tried again");
      await sleep(this.clock, FAIL_AFTER_MS);
      return null;
    }
  }

  private async readMany(wanted: readonly Wanted[]): Promise<(string | null)[]> {
    const rows = await this.db.run(
      (sql) => sql<{ data: string | null }[]>`
        select ${payloadOf(sql, "d")} as data
        from unnest(
          ${arrayOf(wanted.map(({ accountId }) => accountId))}::uuid[],
          ${arrayOf(wanted.map(({ id }) => id))}::uuid[]
        ) with ordinality as i(account_id, id, n)
        left join lateral ${deliveryById(sql, sql`i.account_id`, sql`i.id`)} d on true
        order by i.n
      `,
    );
    return wanted.map((_, i) => rows[i]?.data ?? null);
  }
}
