import { ColdSession } from "../cold/cold-session";
import type { ColdStore } from "../cold/store";
import { Thawing } from "../cold/thawing";
import type { Database } from "../db/database";
import { ColdReads } from "../deliveries/lists/cold-reads";
import { Freezing } from "../retention/freezing";
import type { Log } from "../runtime/log";
import { type ColdSettings, storeOf } from "./cold-settings";

/** The parts that keep old deliveries in files, read them, and bring them back. */
export type Cold = Readonly<{ store: ColdStore; reads: ColdReads; thawing: Thawing; freezing: Freezing }>;

type ColdOptions = Readonly<{
  settings: ColdSettings | null;
  db: Database;
  /** The pool with one connection on which files are read. */
  session: Database | null;
  log: Log;
}>;

/** Opens the store of files; null without one. Throws if deliveries are in files that no setting names. */
export async function openCold({ settings, db, session, log }: ColdOptions): Promise<Cold | null> {
  if (settings === null || session === null) {
    await refuseFiles(db);
    return null;
  }
  const store = storeOf(settings);
  return {
    store,
    reads: new ColdReads(db, new ColdSession(session, store)),
    thawing: new Thawing(store),
    freezing: new Freezing({ db, store, log, afterMs: settings.afterMs }),
  };
}

async function refuseFiles(db: Database): Promise<void> {
  const files = await db.run((sql) => sql`select from cold_blocks limit 1`);
  if (files.length === 0) return;
  throw new Error(
    "HERMOD_COLD_STORE must be set: deliveries of this installation are in files. To have no more, leave HERMOD_COLD_AFTER unset",
  );
}
