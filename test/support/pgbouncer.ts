import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { until } from "./faults/until";
import { freePort } from "./free-port";

/** Null where it is not installed. Some distributions keep it out of ordinary users' PATH. */
const COMMAND = Bun.which("pgbouncer") ?? Bun.which("/usr/sbin/pgbouncer");

export const HAS_PGBOUNCER = COMMAND !== null;

/** Runs PgBouncer in front of a database, in session mode unless the settings say otherwise. */
export class PgBouncer {
  private constructor(
    /** The URL of the same database, through PgBouncer. */
    readonly url: string,
    private readonly child: Bun.Subprocess,
    private readonly folder: string,
  ) {}

  /** `settings` are further lines of its configuration. */
  static async start(databaseUrl: string, settings: readonly string[] = []): Promise<PgBouncer> {
    if (COMMAND === null) throw new Error("PgBouncer is not installed");
    const { hostname, port: behind, username, password, pathname } = new URL(databaseUrl);
    const port = freePort();
    const folder = await mkdtemp(join(tmpdir(), "hermod-pgbouncer-"));
    const path = join(folder, "pgbouncer.ini");
    const server = `host=${hostname} port=${behind} user=${username} password='${decodeURIComponent(password)}'`;
    const lines = [
      "[databases]",
      `* = ${server}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      "auth_type = any",
      "pool_mode = session",
      "default_pool_size = 100",
      ...settings,
    ];
    await writeFile(path, lines.join("\n"));
    // PgBouncer refuses to run as root.
    const asNobody = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
    if (asNobody.length > 0) for (const each of [folder, path]) await chown(each, 65_534, 65_534);
    const child = Bun.spawn([COMMAND, ...asNobody, path], { stdout: "ignore", stderr: "ignore" });
    const bouncer = new PgBouncer(`postgres://any:any@127.0.0.1:${port}${pathname}`, child, folder);
    await until(() => answers(bouncer.url), { what: "PgBouncer to answer" });
    return bouncer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGKILL");
    await this.child.exited;
    await rm(this.folder, { recursive: true });
  }
}

async function answers(url: string): Promise<boolean> {
  const sql = postgres(url, { max: 1, connect_timeout: 2, fetch_types: false });
  try {
    await sql`select`;
    return true;
  } catch {
    return false;
  } finally {
    await sql.end({ timeout: 0 });
  }
}
