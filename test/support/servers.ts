import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startNats } from "../../src/embedded/nats";
import { startPostgres } from "../../src/embedded/postgres";
import { NATS_COMMAND } from "./nats-command";

/** Starts what TEST_DATABASE_URL and TEST_NATS_URL do not name, and names it there. The returned function stops it. */
export async function startTestServers(): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), "hermod-test-"));
  const stops: (() => Promise<void>)[] = [];
  if (!process.env.TEST_DATABASE_URL) {
    // Durability is not what these tests are about; the fault tests start servers of their own.
    const settings = { max_connections: "300", fsync: "off", full_page_writes: "off" };
    const server = await startPostgres({ dataDir, settings });
    process.env.TEST_DATABASE_URL = server.url;
    stops.push(() => server.stop());
  }
  if (!process.env.TEST_NATS_URL) {
    const server = await startNats({ dataDir, command: NATS_COMMAND });
    process.env.TEST_NATS_URL = server.url;
    stops.push(() => server.stop());
  }
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
    await rm(dataDir, { recursive: true, force: true });
  };
}
