import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../src/cold/store";
import { secretContext } from "../../src/endpoints/signing-secret";
import { type MoveSettings, type MoveTask, startMove } from "../../src/moves/start";
import { Freezing } from "../../src/retention/freezing";
import { readTimeRanges } from "../../src/retention/range-tables";
import { Retention } from "../../src/retention/retention";
import { systemClock } from "../../src/runtime/clock";
import { createLog } from "../../src/runtime/log";
import { parseEncryptionKeys } from "../../src/vault/encryption-key";
import { Vault } from "../../src/vault/vault";
import { DAY, makePastRanges } from "../cold/aged";
import { idAt, Ledger } from "../deliveries/ledger";
import { atEnd } from "../support/at-end";
import { type TestDatabase, testDatabase } from "../support/postgres";

const DELIVERIES = 12;
const encryptionKeys = parseEncryptionKeys(Buffer.alloc(32, "of both").toString("base64"), "the key");
const log = createLog("silent");
const [from, to] = [await testDatabase(), await testDatabase()];
atEnd(from.drop);
atEnd(to.drop);
const folder = await mkdtemp(join(tmpdir(), "hermod-moved-files-"));
atEnd(() => rm(folder, { recursive: true }));
const store = openStore(folder);
const ledger = new Ledger(from.db);
const [account, stranger] = [await ledger.account(), await ledger.account()];

async function toFiles(): Promise<void> {
  const freezing = new Freezing({
    db: from.db,
    store,
    log,
    afterMs: 2 * DAY,
    limits: { items: 5, bytes: 1_000 },
  });
  await new Retention({ db: from.db, clock: systemClock, log, retentionMs: 30 * DAY, freezing }).maintain();
}

/** Counts the account's deliveries in Postgres, and its files by state. */
async function whereabouts() {
  return from.db.run(async (sql) => {
    const [rows] = await sql<{ n: number }[]>`
      select count(*)::integer as n from deliveries where account_id = ${account}`;
    const states = await sql<{ state: string }[]>`
      select distinct state::text from cold_blocks where account_id = ${account} order by state`;
    return { rows: rows?.n, states: states.map(({ state }) => state) };
  });
}

async function startsOfRanges({ db }: TestDatabase): Promise<(number | null)[]> {
  const ranges = await db.transaction(readTimeRanges);
  return ranges.map(({ range }) => range.from);
}

function start(task: MoveTask, settings: Partial<MoveSettings> = {}): Promise<void> {
  const all = { from: from.url, to: to.url, sourceUrl: from.url, encryptionKeys, deadlineMs: 60_000 };
  return startMove(task, account, { ...all, store, attemptTimeoutMs: 1, ...settings }, () => {});
}

test("old deliveries are back from files before they are copied, and move to files again if the account stays", async () => {
  await makePastRanges(from, 6);
  for (const owner of [account, stranger]) {
    const endpoint = await ledger.endpoint(owner);
    const secret = new Vault(encryptionKeys).seal("secret", secretContext(owner, endpoint));
    await from.db.run((sql) => sql`update endpoints set signing_secret = ${secret} where id = ${endpoint}`);
    for (let i = 0; i < DELIVERIES; i++) {
      const old = await ledger.accept(owner, endpoint, "a.b", idAt(Date.now() - 5 * DAY + i * 1_000));
      await ledger.end(old, { status: "delivered" });
    }
  }
  await toFiles();
  expect(await whereabouts()).toEqual({ rows: 0, states: ["live"] });
  await expect(start("move", { store: null })).rejects.toThrow("set HERMOD_COLD_STORE");

  const onStep = (step: string) => {
    if (step === "publish") throw new Error("the mover dies");
  };
  await expect(start("move", { onStep })).rejects.toThrow("the mover dies");
  expect(await whereabouts()).toEqual({ rows: DELIVERIES, states: ["doomed"] });
  await toFiles();
  expect((await whereabouts()).rows).toBe(DELIVERIES);
  expect(await startsOfRanges(to)).toEqual(await startsOfRanges(from));
  const swapped = { from: to.url, to: from.url, sourceUrl: to.url };
  await expect(start("move", swapped)).rejects.toThrow("exchange HERMOD_MOVE_TO and DATABASE_URL");
  await start("give_up");
  await toFiles();
  expect(await whereabouts()).toEqual({ rows: 0, states: ["live"] });
});
