import type { Database, Reads } from "../db/database";
import { KeptPlans } from "../db/kept-plans";
import type { AnySql } from "../db/pool";
import { BLOCK_TABLES, type BlockRows, decodeBlock, insertRows } from "./block-file";
import type { ColdBlock } from "./blocks";
import type { ColdStore } from "./store";

/** The indexes that a block needs. Each further one takes longer to create than it saves. */
const PRIMARY_KEYS = {
  events: "account_id, id",
  deliveries: "account_id, id",
  results: "endpoint_id, delivery_id",
  attempts: "delivery_id, attempt",
};

/** Most variants of statements that stay prepared on the session's connection. */
const KEPT = 16;

/**
 * Runs the statements of Postgres' tables on cold blocks. Fills temporary tables, which have the names of the tables and hide
 * them until the transaction ends. So a filter means the same in a file as in Postgres, and is written once.
 *
 * One read at a time: it holds its blocks in memory, and then in Postgres.
 */
export class ColdSession {
  private readonly plans = new KeptPlans(KEPT);

  /** `db` has one connection, of its own. */
  constructor(
    private readonly db: Database,
    private readonly store: ColdStore,
  ) {}

  /**
   * Runs `work` on the rows of the blocks alone. Other tables are as they are. Throws `DatabaseUnavailable` and
   * `StoreUnavailable`.
   */
  async within<T>(blocks: readonly ColdBlock[], work: (reads: Reads) => Promise<T>): Promise<T> {
    const loaded = await Promise.all(blocks.map((block) => this.load(block)));
    return this.db.run(async (sql) => {
      // Connects first: the driver never answers a reservation that must connect (observed).
      await sql`select`;
      const session = await sql.reserve();
      try {
        await session`begin`;
        await hideTables(session);
        for (const rows of loaded) await insertRows(session, rows);
        return await work({
          run: (read) => read(session),
          runVariant: (read) => this.plans.of(read(session)),
        });
      } finally {
        await session`rollback`.finally(() => session.release());
      }
    });
  }

  private async load({ path, digest }: ColdBlock): Promise<BlockRows> {
    return decodeBlock(await this.store.get(path), digest);
  }
}

/**
 * Creates empty temporary tables, which statements find before the tables of the same names. They go with the transaction:
 * behind PgBouncer the next one on this connection may be of anybody.
 */
async function hideTables(sql: AnySql): Promise<void> {
  // Said explicitly, so that no plan made for the tables is used for the temporary ones, nor the other way round.
  await sql`select set_config('search_path', 'pg_temp, ' || quote_ident(current_schema()), true)`;
  const creations = BLOCK_TABLES.map(
    (table) => `
      create temp table ${table} (like ${table} including defaults, primary key (${PRIMARY_KEYS[table]})) on commit drop`,
  );
  await sql.unsafe(creations.join(";"));
}
