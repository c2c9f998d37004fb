import { Database } from "../../src/db/database";
import { Retention } from "../../src/retention/retention";
import { systemClock } from "../../src/runtime/clock";
import { createLog } from "../../src/runtime/log";

/** A process that maintains the partitions of the database in its argument, keeping deliveries for three hours. */
const [url = ""] = process.argv.slice(2);
const log = createLog("silent");
const db = new Database({ url, size: 1, statementTimeoutMs: 10_000, queryTimeoutMs: 10_000, log });
await new Retention({ db, clock: systemClock, log, retentionMs: 3 * 3_600_000 }).maintain();
process.exit(0);
