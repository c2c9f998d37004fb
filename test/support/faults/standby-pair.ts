import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import { type EmbeddedPostgres, startPostgres } from "../../../src/embedded/postgres";
import { copyCluster } from "../cluster-copy";
import { serverFolder } from "../server-folder";
import type { Journal } from "./journal";
import { until } from "./until";

const SETTINGS = { max_connections: "100", shared_buffers: "64MB", wal_keep_size: "1GB" };
const STANDBY = "b";

/** Whether each commit waits until the standby has it. */
export type Replication = "synchronous" | "asynchronous";

/** Two Postgres servers: a primary, and a standby that follows it by streaming replication. */
export class StandbyPair {
  private constructor(
    private readonly folders: Readonly<{ primary: string; standby: string }>,
    private readonly journal: Journal,
    private readonly primary: EmbeddedPostgres,
    private standby: EmbeddedPostgres,
    /** The server that takes writes. */
    private writable: EmbeddedPostgres,
  ) {}

  /** Starts both. */
  static async start(journal: Journal, replication: Replication): Promise<StandbyPair> {
    const folders = { primary: await serverFolder(), standby: await serverFolder() };
    await copyCluster(folders.primary);
    const first = await startPostgres({ dataDir: folders.primary, settings: SETTINGS });
    await first.stop();
    // A stopped cluster is a complete base backup.
    await rm(folders.standby, { recursive: true });
    await Bun.$`cp -a ${folders.primary} ${folders.standby}`.quiet();
    const primary = await startPostgres({ dataDir: folders.primary, settings: SETTINGS });
    await follow(folders.standby, primary.adminUrl);
    const standby = await startPostgres({ dataDir: folders.standby, settings: SETTINGS });
    const pair = new StandbyPair(folders, journal, primary, standby, primary);
    await pair.untilStreaming();
    if (replication === "synchronous") await pair.waitForStandby();
    return pair;
  }

  /** The address of the service's database at both servers. */
  get url(): string {
    const { host } = new URL(this.standby.url);
    const url = this.primary.url.replace(new URL(this.primary.url).host, (each) => `${each},${host}`);
    return `${url}?target_session_attrs=read-write`;
  }

  /** The address of the service's database at the server that takes writes. */
  get writableUrl(): string {
    return this.writable.url;
  }

  /** Kills the standby. The returned function starts it again. */
  async killStandby(): Promise<() => Promise<void>> {
    const over = this.journal.begin("SIGKILL of the standby", "nuisance");
    await this.standby.kill();
    return async () => {
      const port = Number(new URL(this.standby.url).port);
      this.standby = await startPostgres({ dataDir: this.folders.standby, port, settings: SETTINGS });
      over();
    };
  }

  /** Kills the primary for good. The returned function promotes the standby. */
  async killPrimary(): Promise<() => Promise<void>> {
    const over = this.journal.begin("SIGKILL of the primary", "crash");
    await this.primary.kill();
    return async () => {
      await execute(this.standby, "select pg_promote()");
      this.writable = this.standby;
      over();
    };
  }

  /** Resolves once the standby follows the primary. */
  async untilStreaming(): Promise<void> {
    const states = () => execute(this.primary, "select state from pg_stat_replication");
    await until(async () => (await states())[0]?.state === "streaming", { what: "a standby that follows" });
  }

  /** Resolves once the standby has on disk what the primary has. */
  async untilLevel(): Promise<void> {
    const isLevel = "select flush_lsn = pg_current_wal_flush_lsn() as level from pg_stat_replication";
    const levels = () => execute(this.primary, isLevel);
    await until(async () => (await levels())[0]?.level === true, { what: "a standby that is level" });
  }

  async close(): Promise<void> {
    await Promise.all([this.primary.stop(), this.standby.stop()]);
    await Promise.all(Object.values(this.folders).map((folder) => rm(folder, { recursive: true })));
  }

  private async waitForStandby(): Promise<void> {
    await execute(this.primary, `alter system set synchronous_standby_names = '${STANDBY}'`);
    await execute(this.primary, "select pg_reload_conf()");
    const states = () => execute(this.primary, "select sync_state from pg_stat_replication");
    await until(async () => (await states())[0]?.sync_state === "sync", { what: "a synchronous standby" });
  }
}

/** Makes the cluster in a data folder a standby of the server at `adminUrl`. */
async function follow(dataDir: string, adminUrl: string): Promise<void> {
  const { hostname, port, username, password } = new URL(adminUrl);
  const source = `host=${hostname} port=${port} user=${username} password=${password}`;
  await rm(join(dataDir, "postgres.port"), { force: true });
  await writeFile(join(dataDir, "postgres", "standby.signal"), "");
  await writeFile(
    join(dataDir, "postgres", "postgresql.auto.conf"),
    `primary_conninfo = '${source} application_name=${STANDBY}'\n`,
  );
}

async function execute(server: EmbeddedPostgres, statement: string): Promise<Record<string, unknown>[]> {
  const sql = postgres(server.adminUrl, { max: 1, onnotice: () => {} });
  try {
    return await sql.unsafe(statement);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
