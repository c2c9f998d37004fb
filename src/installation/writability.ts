import type { Database } from "../db/database";
import { failureOf } from "../db/postgres-failure";
import type { Clock } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import { Loop } from "../runtime/loop";

const PROBE_EVERY_MS = 1_000;
/** Writes work again once the probe does and no statement was refused for this long. */
const CALM_MS = 5_000;

export type WritabilityOptions = Readonly<{
  clock: Clock;
  log: Log;
  /** Writes, and rejects if Postgres refuses. See `probeWrites`. */
  probe(): Promise<void>;
}>;

/**
 * Knows whether Postgres takes writes: a full disk or a read-only server refuses them, though it answers. Learns of it from the
 * statements of the service, which cost nothing more, and probes only while writes are refused.
 */
export class Writability {
  /** When a statement was last refused, in monotonic milliseconds; null while Postgres takes writes. */
  private refusedAt: number | null = null;
  private probing: Loop | null = null;

  constructor(private readonly options: WritabilityOptions) {}

  get isWritable(): boolean {
    return this.refusedAt === null;
  }

  /** Notes the failure of a statement. */
  failed(error: unknown): void {
    if (!isRefusal(error)) return;
    const { clock, log } = this.options;
    const isFirst = this.isWritable;
    this.refusedAt = clock.monotonic();
    if (!isFirst) return;
    log.warn(
      describeError(error),
      "Postgres refuses writes: requests that write get a 503, and deliveries stop; free its disk or make it writable, and Hermod continues by itself",
    );
    this.probe(clock.monotonic());
  }

  async stop(): Promise<void> {
    await this.probing?.stop();
  }

  private probe(begunAt: number): void {
    const { clock, log, probe } = this.options;
    const round = async () => {
      await probe();
      const now = clock.monotonic();
      if (now - (this.refusedAt ?? 0) < CALM_MS) return PROBE_EVERY_MS;
      this.refusedAt = null;
      log.info({ refused_for_ms: Math.round(now - begunAt) }, "Postgres takes writes again");
      return null;
    };
    this.probing = new Loop({ clock, round, failed: () => PROBE_EVERY_MS });
    this.probing.start();
  }
}

function isRefusal(error: unknown): boolean {
  const failure = failureOf(error);
  return failure === "disk_full" || failure === "read_only";
}

/** Undoes a transaction. */
class Undo extends Error {}

/** Rows of the probe: more than a page, so that Postgres must enlarge a file. */
const PROBED_ROWS = 500;

/** Writes to a new file in a transaction that is rolled back. Rejects if Postgres refuses. */
export async function probeWrites(db: Pick<Database, "transaction">): Promise<void> {
  try {
    await db.transaction(async (sql) => {
      await sql`
        create temporary table hermod_write_probe on commit drop as
        select md5(n::text) as text from generate_series(1, ${PROBED_ROWS}::integer) n`;
      throw new Undo();
    });
  } catch (error) {
    if (!(error instanceof Undo)) throw error;
  }
}
