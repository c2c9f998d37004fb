import { rm } from "node:fs/promises";
import { join } from "node:path";
import { startPostgres } from "../../src/embedded/postgres";
import { serverFolder } from "./server-folder";

/** The variable with the folder of a new Postgres cluster that nothing uses. `bun run test` makes one for all of its processes. */
export const NEW_CLUSTER = "TEST_NEW_CLUSTER";

/** Makes a cluster for copies, and returns its folder. */
export async function makeCluster(): Promise<string> {
  const dataDir = await serverFolder();
  await (await startPostgres({ dataDir })).stop();
  // Each copy finds a port of its own, and begins its own log.
  for (const name of ["postgres.port", "logs"]) await rm(join(dataDir, name), { recursive: true });
  return dataDir;
}

/**
 * Copies the run's cluster into a data folder, if there is one: Postgres takes 1 s of CPU for its first start, and a tenth for
 * another. Copies have one identifier, so that Hermod takes them for the same server.
 */
export async function copyCluster(dataDir: string): Promise<void> {
  const { [NEW_CLUSTER]: cluster } = process.env;
  if (cluster) await Bun.$`mkdir -p ${dataDir} && cp -a ${cluster}/. ${dataDir}`.quiet();
}
