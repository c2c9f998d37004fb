import { constants } from "node:fs";
import { access, mkdtemp, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { natsBinary } from "../embedded/nats-binary";
import { postgresBinaries } from "../embedded/postgres-binaries";
import { hasCode, messageOf } from "../runtime/errors";
import { connectionsWithin, inFlightWithin, openFilesLimit } from "../runtime/open-files";
import type { Config } from "../service/config";
import { type Finding, type Findings, findingsOf } from "./finding";

/** The least free disk for embedded servers, in bytes. */
const LEAST_FREE = 2 ** 30;

/** Checks the settings of this machine and the data folder, without changing anything. */
export async function checkMachine(config: Config): Promise<readonly Finding[]> {
  const found = findingsOf("machine");
  if (config.unknown.length > 0)
    found.warning(`unknown variables: ${config.unknown.join(", ")}. Correct or remove them.`);
  checkOpenFiles(config, found);
  const isRouter = config.cells !== null && config.cells.own === null;
  const hasServers = !isRouter && (config.databaseUrl === null || config.natsUrl === null);
  if (hasServers) await checkDataFolder(config, found);
  return found.all;
}

function checkOpenFiles({ apiConnections, maxInFlight }: Config, found: Findings): void {
  const limit = openFilesLimit();
  const connections = connectionsWithin(apiConnections, limit);
  const inFlight = inFlightWithin(maxInFlight, limit, connections);
  if (inFlight < maxInFlight)
    found.warning(
      `${limit} open files allow ${inFlight} attempts at a time, not ${maxInFlight}: raise the limit (ulimit -n, LimitNOFILE)`,
    );
  else found.ok(`${limit ?? "any number of"} open files allow ${inFlight} attempts at a time`);
}

async function checkDataFolder({ dataDir, databaseUrl, natsUrl }: Config, found: Findings): Promise<void> {
  const folder = await existingFolder(resolve(dataDir));
  try {
    await access(folder, constants.W_OK);
    const { bavail, bsize } = await statfs(folder);
    const [free, mib] = [bavail * bsize, Math.floor((bavail * bsize) / 2 ** 20)];
    if (free < LEAST_FREE) found.warning(`the disk of ${dataDir} has ${mib} MiB left: give it a GiB or more`);
    else found.ok(`the data folder ${dataDir} can be written, with ${mib} MiB left`);
    if (databaseUrl === null) await (await postgresBinaries(dataDir)).remove();
    if (natsUrl === null) await findNats();
  } catch (error) {
    found.fault(messageOf(error));
  }
}

/** Throws if there is no nats-server. Copies it into a temporary folder if that is needed to run it. */
async function findNats(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "hermod-doctor-"));
  try {
    await natsBinary({ dataDir });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Returns the folder, or the nearest one above it that exists. */
async function existingFolder(folder: string): Promise<string> {
  try {
    await access(folder);
    return folder;
  } catch (error) {
    if (!hasCode(error, "ENOENT")) return folder;
    return existingFolder(dirname(folder));
  }
}
