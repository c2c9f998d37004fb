import { type ColdStore, openStore } from "../../src/cold/store";
import { Database } from "../../src/db/database";
import { Freezing } from "../../src/retention/freezing";
import { Retention } from "../../src/retention/retention";
import { systemClock } from "../../src/runtime/clock";
import { createLog } from "../../src/runtime/log";

/** A process that freezes the database of its first argument, and kills itself right before or after a call of its store. */
const [url = "", folder = "", killAt = ""] = process.argv.slice(2);
const DAY = 86_400_000;
const log = createLog("silent");
const db = new Database({ url, size: 4, statementTimeoutMs: 10_000, queryTimeoutMs: 10_000, log });

let moments = 0;
function moment(): void {
  if (++moments === Number(killAt)) process.kill(process.pid, "SIGKILL");
}

const real = openStore(folder);
async function around<T>(work: () => Promise<T>): Promise<T> {
  moment();
  const result = await work();
  moment();
  return result;
}
const store: ColdStore = {
  put: (path, bytes) => around(() => real.put(path, bytes)),
  get: (path) => around(() => real.get(path)),
  remove: (path) => around(() => real.remove(path)),
};
const freezing = new Freezing({ db, store, log, afterMs: 2 * DAY, limits: { items: 12, bytes: 1_000_000 } });
await new Retention({ db, clock: systemClock, log, retentionMs: 30 * DAY, freezing }).maintain();
process.exit(0);
