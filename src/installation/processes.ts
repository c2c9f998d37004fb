import { hostname } from "node:os";
import type { Database } from "../db/database";
import type { AnySql } from "../db/pool";
import { unixMs } from "../db/sql/time";
import type { Clock } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import { Loop } from "../runtime/loop";
import { VERSION } from "../runtime/version";

/** Figures of a process's work at a moment, such as attempts under way. */
export type ProcessFigures = Readonly<Record<string, number>>;

/** The last report of a process. Times are Unix milliseconds. */
export type KnownProcess = Readonly<{
  id: string;
  role: string;
  version: string;
  host: string;
  pid: number;
  startedAt: number;
  seenAt: number;
  memoryBytes: number;
  cpuSeconds: number;
  figures: ProcessFigures;
}>;

/** The process with the lease of a partition; null if there is none. */
export type PartitionOwner = Readonly<{ partition: number; owner: string | null }>;

const EVERY_MS = 5_000;
/** A process is removed this long after its last report. */
const FORGOTTEN_AFTER = "1 minute";

export type PresenceOptions = Readonly<{
  db: Database;
  clock: Clock;
  log: Log;
  id: string;
  role: string;
  figures(): ProcessFigures;
}>;

/** Reports every few seconds that this process runs, for `/admin/system`. */
export function reportingPresence({ db, clock, log, id, role, figures }: PresenceOptions): Loop {
  const startedAt = clock.now();
  return new Loop({
    clock,
    round: async () => {
      await db.run((sql) => reportPresence(sql, { id, role, startedAt, figures: figures() }));
      return EVERY_MS;
    },
    failed: (error) => {
      log.debug(describeError(error), "could not report this process as running; trying again in 5 s");
      return EVERY_MS;
    },
  });
}

type ReportedProcess = Pick<KnownProcess, "id" | "role" | "startedAt" | "figures">;

function reportPresence(sql: AnySql, { id, role, startedAt, figures }: ReportedProcess): Promise<unknown> {
  const { user, system } = process.cpuUsage();
  const cpuSeconds = (user + system) / 1_000_000;
  return sql`
    with forgotten as (delete from processes where seen_at < now() - ${FORGOTTEN_AFTER}::interval)
    insert into processes (id, role, version, host, pid, started_at, memory_bytes, cpu_seconds, figures)
    values (${id}, ${role}, ${VERSION}, ${hostname()}, ${process.pid}, to_timestamp(${startedAt}::float8 / 1000),
      ${process.memoryUsage.rss()}, ${cpuSeconds}, ${JSON.stringify(figures)}::text::jsonb)
    on conflict (id) do update
      set seen_at = now(), memory_bytes = excluded.memory_bytes, cpu_seconds = excluded.cpu_seconds, figures = excluded.figures
  `;
}

/** Reads the running processes and the owner of each partition, in one statement. Also measures its time. */
export class Installation {
  constructor(
    private readonly db: Database,
    private readonly clock: Pick<Clock, "monotonic">,
  ) {}

  /** Throws `DatabaseUnavailable`. */
  async read() {
    const began = this.clock.monotonic();
    const [row] = await this.db.run(
      (sql) => sql<{ processes: KnownProcess[]; partitions: PartitionOwner[]; postgres: string }[]>`
        select current_setting('server_version') as postgres,
          (
            select coalesce(json_agg(json_build_object(
              'id', p.id, 'role', p.role, 'version', p.version, 'host', p.host, 'pid', p.pid,
              'startedAt', ${unixMs(sql, "p.started_at")}, 'seenAt', ${unixMs(sql, "p.seen_at")},
              'memoryBytes', p.memory_bytes, 'cpuSeconds', p.cpu_seconds, 'figures', p.figures
            ) order by p.started_at, p.id), '[]'::json)
            from processes p where p.seen_at >= now() - ${FORGOTTEN_AFTER}::interval
          ) as processes,
          (
            select coalesce(json_agg(json_build_object(
              'partition', l.partition, 'owner', case when l.expires_at > now() then l.owner end
            ) order by l.partition), '[]'::json)
            from partition_leases l
          ) as partitions
      `,
    );
    if (!row) throw new Error("a select without a table returned no row");
    return { ...row, latencyMs: Math.round(this.clock.monotonic() - began) };
  }
}
