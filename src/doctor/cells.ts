import { connect } from "nats";
import { BUCKET } from "../cells/bucket";
import type { CellAddress } from "../cells/cell-list";
import { describeError } from "../runtime/log";
import { connectionsWithin, openFilesLimit, sentAtOnce } from "../runtime/open-files";
import type { CellSettings } from "../service/cell-settings";
import type { Config } from "../service/config";
import { natsOptions } from "../stream/connection";
import { type Finding, type Findings, findingsOf } from "./finding";

const ANSWER_MS = 5_000;

/** Checks the directory of cells, and asks each cell whether it is alive. Changes nothing. */
export async function checkCells(config: Config): Promise<readonly Finding[]> {
  const { cells } = config;
  const found = findingsOf("cells");
  if (cells === null) return found.all;
  if (cells.own === null) checkRequests(config, found);
  await Promise.all([checkDirectory(cells, found), ...cells.all.map((cell) => checkCell(cell, found))]);
  return found.all;
}

/** Checks that a router can pass on the requests of all connections. */
function checkRequests({ apiConnections }: Config, found: Findings): void {
  const [connections, requests] = [connectionsWithin(apiConnections, openFilesLimit()), sentAtOnce()];
  if (requests < connections)
    found.warning(
      `Bun sends ${requests} requests at a time, and clients may have ${connections} connections: set BUN_CONFIG_MAX_HTTP_REQUESTS=65535`,
    );
  else found.ok(`Bun sends ${requests} requests at a time`);
}

async function checkDirectory({ natsUrl, natsCredentials }: CellSettings, found: Findings): Promise<void> {
  try {
    const options = natsOptions(natsUrl, natsCredentials);
    const nats = await connect({ ...options, name: "hermod-doctor", timeout: ANSWER_MS, reconnect: false });
    try {
      const manager = await nats.jetstreamManager({ timeout: ANSWER_MS });
      const { streams } = await manager.getAccountInfo();
      found.ok(`the directory's NATS answers, and has ${streams} streams; the bucket is ${BUCKET}`);
    } finally {
      await nats.close();
    }
  } catch (error) {
    found.fault(
      `the directory can't be used: ${describeError(error).error}. Check HERMOD_CELLS_NATS_URL, its credentials and JetStream.`,
    );
  }
}

async function checkCell({ name, url }: CellAddress, found: Findings): Promise<void> {
  try {
    const { ok, status } = await fetch(`${url}/health/live`, { signal: AbortSignal.timeout(ANSWER_MS) });
    if (ok) found.ok(`${name} is alive at ${url}`);
    else found.fault(`${name} answers ${status} at ${url}: check its address in HERMOD_CELLS`);
  } catch (error) {
    found.fault(
      `${name} does not answer at ${url}: ${describeError(error).error}. Its accounts get 503 from routers.`,
    );
  }
}
