import { expect, test } from "bun:test";
import { DEFAULT_ACCOUNT } from "../../src/accounts/account";

import type { AccountId } from "../../src/domain/ids";
import { type MoveSettings, type MoveTask, startMove } from "../../src/moves/start";
import { parseEncryptionKeys } from "../../src/vault/encryption-key";
import { Ledger } from "../deliveries/ledger";
import { atEnd } from "../support/at-end";
import { testDatabase } from "../support/postgres";

const encryptionKeys = parseEncryptionKeys(Buffer.alloc(32, "of both").toString("base64"), "the key");
const [from, to] = [await testDatabase(), await testDatabase()];
atEnd(from.drop);
atEnd(to.drop);
const ledger = new Ledger(from.db);

function start(task: MoveTask, account: AccountId, settings: Partial<MoveSettings> = {}): Promise<void> {
  const urls = { from: from.url, to: to.url, sourceUrl: from.url };
  const bounds = { deadlineMs: 60_000, attemptTimeoutMs: 1 };
  return startMove(task, account, { ...urls, ...bounds, encryptionKeys, store: null, ...settings }, () => {});
}

/** Returns how many deliveries of an account a database has. */
async function deliveriesOf({ db }: typeof from, account: AccountId): Promise<number> {
  const rows = await db.run((sql) => sql`select from deliveries where account_id = ${account}`);
  return rows.length;
}

test("a move that is given up deletes nothing of an account that lives in the other database", async () => {
  const account = await ledger.account();
  await ledger.accept(account, await ledger.endpoint(account), "a.b");
  await expect(start("give_up", account, { to: from.url })).rejects.toThrow("HERMOD_MOVE_TO");
  expect(await deliveriesOf(from, account)).toBe(1);

  const there = new Ledger(to.db);
  await there.accept(DEFAULT_ACCOUNT, await there.endpoint(DEFAULT_ACCOUNT), "a.b");
  await expect(start("give_up", DEFAULT_ACCOUNT)).rejects.toThrow("HERMOD_MOVE_TO");
  expect(await deliveriesOf(to, DEFAULT_ACCOUNT)).toBe(1);
});
