import { arrayOf } from "../db/arrays";
import type { Database } from "../db/database";
import { deliveryById } from "../db/delivery-key";
import { Batcher } from "../runtime/batcher";
import { describeError, type Log } from "../runtime/log";
import type { PendingDelivery } from "./delivery";

type Wanted = Pick<PendingDelivery, "id" | "accountId">;

/** Payloads in one statement: they are large. */
const MAX_BATCH = 8;
const MAX_READS = 2;
const MAX_QUEUED = 1_000_000;

/** Reads payloads that are too large to wait here. */
export class Payloads {
  private readonly batcher: Batcher<Wanted, string | null>;

  constructor(
    private readonly db: Database,
    private readonly log: Log,
  ) {
    this.batcher = new Batcher({
      run: (wanted) => this.readMany(wanted),
      maxItems: MAX_BATCH,
      maxRunning: MAX_READS,
      maxQueued: MAX_QUEUED,
    });
  }

  /** Null when there is none any more, or none can be read now. */
  async read(delivery: Wanted): Promise<string | null> {
    try {
      return await this.batcher.submit(delivery);
    } catch (error) {
      this.log.debug(describeError(error), "a payload could not be read");
      return null;
    }
  }

  private async readMany(wanted: readonly Wanted[]): Promise<(string | null)[]> {
    const rows = await this.db.run(
      (sql) => sql<{ data: string | null }[]>`
        select d.data
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
