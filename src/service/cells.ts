import { ApiKeys } from "../accounts/api-keys";
import { Administrators } from "../accounts/authentication/administrators";
import { JwtVerifier } from "../accounts/authentication/jwt";
import { CellBucket } from "../cells/bucket";
import { CellDirectory } from "../cells/directory";
import { knownHere } from "../cells/known-here";
import { OwnCell } from "../cells/own-cell";
import { answerQuestions } from "../cells/questions";
import { answerForAdministrators, voucherKeyOf } from "../cells/voucher-questions";
import { Vouching } from "../cells/vouching";
import { DirectoryMeter } from "../metrics/directory-meter";
import type { Metrics } from "../metrics/metrics";
import { systemClock } from "../runtime/clock";
import type { Log } from "../runtime/log";
import { StreamConnection } from "../stream/connection";
import type { CellSettings } from "./cell-settings";
import type { Config } from "./config";
import type { Core } from "./core";

const WORDS = {
  unusable:
    "could not connect to the directory of cells; only known accounts find their cell: check HERMOD_CELLS_NATS_URL and its credentials",
  lost: "the NATS of the directory of cells is unreachable, or refuses Hermod: only known accounts find their cell",
  regained: "the NATS of the directory of cells is back",
};

/** The directory's NATS has this long to answer a scrape. */
const SCRAPE_MS = 2_000;

/** Opens the directory of cells. */
export function openDirectory(
  cells: CellSettings,
  { streamReplicas }: Config,
  { metrics, log }: { metrics: Metrics | null; log: Log },
) {
  const connection = new StreamConnection(cells.natsUrl, log, cells.natsCredentials, WORDS);
  const clock = systemClock;
  const bucket = new CellBucket({ connection, replicas: streamReplicas, clock });
  const names = cells.all.map(({ name }) => name);
  const meter = metrics && new DirectoryMeter(metrics, names);
  const directory = new CellDirectory({ connection, bucket, cells: names, own: cells.own, meter, clock });
  meter?.show({ answers: () => connection.answers(SCRAPE_MS), remembered: () => directory.size });
  return { connection, bucket, directory };
}

/** Makes this process answer for its cell; null in an installation without cells. */
export function openCell(core: Core) {
  const { config, queries: db, clock } = core;
  const { cells } = config;
  if (cells === null || cells.own === null) return null;
  const { connection, bucket, directory } = openDirectory(cells, config, core);
  const name = cells.own;
  const administrators = new Administrators({ db, clock, apiKeys: new ApiKeys(db) });
  // Without an admin key, cells can't believe each other.
  const key = config.adminKey === null ? null : voucherKeyOf(config.adminKey);
  connection.ready.then(
    (nats) => {
      if (connection.isClosed) return;
      answerQuestions(nats, name, (references) => knownHere(db, references));
      if (key) answerForAdministrators({ nats, key }, name, (hash) => administrators.find(hash));
    },
    // The connection logs its own failure.
    () => {},
  );
  const own = new OwnCell({ name, cells: cells.all, bucket, directory, db, clock });
  const jwt = config.jwt && new JwtVerifier(config.jwt, clock);
  const vouching = key && new Vouching({ connection, directory, cells: cells.all, key, jwt, clock });
  const close = async () => {
    await Promise.all([connection.close(), administrators.close()]);
  };
  return { own, vouching, close };
}
