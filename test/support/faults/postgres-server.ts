import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import { type EmbeddedPostgres, startPostgres } from "../../../src/embedded/postgres";
import type { FaultKind, Journal } from "./journal";

/** Settings that let many processes connect. Durability keeps its defaults. */
const SETTINGS = { max_connections: "300", shared_buffers: "64MB" };

/** A Postgres of the suite's own, with its faults. Each is a crash if it outlasts a lease of several dispatchers. */
export class PostgresServer {
  private readonly port: number;

  private constructor(
    private readonly dataDir: string,
    private readonly journal: Journal,
    private readonly settings: Record<string, string>,
    private server: EmbeddedPostgres,
  ) {
    this.port = Number(new URL(server.url).port);
  }

  static async start(
    dataDir: string,
    journal: Journal,
    further: Record<string, string> = {},
  ): Promise<PostgresServer> {
    const settings = { ...SETTINGS, ...further };
    return new PostgresServer(dataDir, journal, settings, await startPostgres({ dataDir, settings }));
  }

  get url(): string {
    return this.server.url;
  }

  /** Kills the server. The returned function starts it again. */
  kill(kind: FaultKind = "nuisance"): Promise<() => Promise<void>> {
    return this.end("SIGKILL of Postgres", kind, () => this.server.kill());
  }

  /** Stops the server in order. The returned function starts it again. */
  stop(kind: FaultKind = "nuisance"): Promise<() => Promise<void>> {
    return this.end("stop of Postgres", kind, () => this.server.stop());
  }

  /** Terminates the service's backends again and again. */
  async storm(rounds: number, apartMs: number, kind: FaultKind = "nuisance"): Promise<void> {
    const over = this.journal.begin(`${rounds} times all backends terminated`, kind);
    await terminateBackends(this.url, rounds, apartMs);
    over();
  }

  /**
   * Makes the server read-only, as an operator does. With `sessions`, only connections opened meanwhile are read-only, for
   * as long as they live. The returned function ends it.
   */
  async makeReadOnly(
    scope: "server" | "sessions",
    kind: FaultKind = "nuisance",
  ): Promise<() => Promise<void>> {
    const over = this.journal.begin(`Postgres is read-only (${scope})`, kind);
    const name = scope === "server" ? "system" : "database hermod";
    await this.execute(`alter ${name} set default_transaction_read_only = on`);
    if (scope === "server") await this.execute("select pg_reload_conf()");
    else await terminateBackends(this.url, 1, 0);
    return async () => {
      await this.execute(`alter ${name} reset default_transaction_read_only`);
      if (scope === "server") await this.execute("select pg_reload_conf()");
      over();
    };
  }

  /** Changes the service's password, as during a rotation. The returned function restores it. */
  async changePassword(kind: FaultKind = "nuisance"): Promise<() => Promise<void>> {
    const over = this.journal.begin("Postgres has another password", kind);
    const sql = postgres(this.url, { max: 1, onnotice: () => {} });
    const { username, password } = new URL(this.url);
    const set = (to: string) => sql.unsafe(`alter role "${username}" password '${to}'`);
    await set("another");
    await terminateBackendsOf(sql);
    return async () => {
      await set(decodeURIComponent(password));
      await sql.end({ timeout: 1 });
      over();
    };
  }

  /** Restarts the server as a hot standby, as a failed failover does. The returned function promotes it. */
  async becomeStandby(kind: FaultKind = "nuisance"): Promise<() => Promise<void>> {
    const restart = await this.end("Postgres comes back as a standby", kind, async () => {
      await this.server.stop();
      await writeFile(join(this.dataDir, "postgres", "standby.signal"), "");
    });
    await restart();
    const over = this.journal.begin("Postgres is a standby", kind);
    return async () => {
      await this.execute("select pg_promote()");
      over();
    };
  }

  /** Lets the service's role publish and subscribe. The server needs `wal_level=logical`. */
  async allowMoves(): Promise<void> {
    await this.execute("alter role hermod replication");
    await this.execute("grant pg_create_subscription to hermod");
  }

  /** Stops the server for good. */
  close(): Promise<void> {
    return this.server.stop();
  }

  /** Runs a statement as the superuser. */
  private async execute(statement: string): Promise<void> {
    const sql = postgres(this.server.adminUrl, { max: 1, onnotice: () => {} });
    try {
      // Needed for a database whose sessions are read-only.
      await sql`set default_transaction_read_only = off`;
      await sql.unsafe(statement);
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  private async end(what: string, kind: FaultKind, end: () => Promise<void>): Promise<() => Promise<void>> {
    const over = this.journal.begin(what, kind);
    await end();
    return async () => {
      const { dataDir, port, settings } = this;
      this.server = await startPostgres({ dataDir, port, settings });
      over();
    };
  }
}

/** Terminates every backend of the service in a database, `rounds` times. */
export async function terminateBackends(url: string, rounds: number, apartMs: number): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    for (let round = 0; round < rounds; round++) {
      await Promise.all([terminateBackendsOf(sql), Bun.sleep(apartMs)]);
    }
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function terminateBackendsOf(sql: postgres.Sql): Promise<void> {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name = 'hermod'`;
}
