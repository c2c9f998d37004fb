// A substitute for the service, run as a process of its own: it locks the data folder, starts the servers named
// on the command line, reports, and stops in order on a signal.
import { lockDataDir } from "../../src/embedded/data-dir";
import { startNats } from "../../src/embedded/nats";
import { startPostgres } from "../../src/embedded/postgres";
import type { EmbeddedServer } from "../../src/embedded/server";
import { withNats, withSql } from "./clients";

const [dataDir = "", ...wanted] = process.argv.slice(2);
const lock = await lockDataDir(dataDir);
const postgres = wanted.includes("postgres") ? await startPostgres({ dataDir }) : undefined;
const nats = wanted.includes("nats") ? await startNats({ dataDir }) : undefined;

async function drain() {
  // Long enough for a signal that reached the servers too to have ended them.
  await Bun.sleep(300);
  if (postgres) await withSql(postgres.url, (sql) => sql`select 1`);
  if (nats) await withNats(nats.url, (connection) => connection.flush());
  console.log("drained");
  await Promise.all([postgres?.stop(), nats?.stop()]);
  await lock.release();
  process.exit(0);
}

process.on("SIGINT", drain);
const server = (one: EmbeddedServer | undefined) => one && { url: one.url, pid: one.pid };
console.log(JSON.stringify({ postgres: server(postgres), nats: server(nats) }));
setInterval(() => {}, 60_000);
