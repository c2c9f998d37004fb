import { expect, test } from "bun:test";
import postgres from "postgres";
import { DEFAULT_ACCOUNT } from "../../src/accounts/account";

import { hashKey, newKey } from "../../src/accounts/authentication/api-key";
import type { Sql } from "../../src/db/pool";
import { type AccountId, type KeyId, newId, toText } from "../../src/domain/ids";
import { MoveDestination } from "../../src/moves/destination";
import { type MoveSettings, type MoveTask, startMove } from "../../src/moves/start";
import { isMoving } from "../../src/retention/overdue-moves";
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

const toSql = postgres(to.url, { max: 1 }) as unknown as Sql;
atEnd(() => toSql.end());
const destinationOf = (id: AccountId) => new MoveDestination(toSql, id);

/** Returns how many deliveries of an account a database has. */
async function deliveriesOf({ db }: typeof from, account: AccountId): Promise<number> {
  const rows = await db.run((sql) => sql`select from deliveries where account_id = ${account}`);
  return rows.length;
}

test("a move that is given up deletes nothing of an account that lives in the other database", async () => {
  const account = await ledger.account();
  const endpoint = await ledger.endpoint(account);
  await ledger.accept(account, endpoint, "a.b");
  await from.db.run((sql) => sql`update endpoints set signing_secret = '' where id = ${endpoint}`);
  await expect(start("give_up", account, { to: from.url })).rejects.toThrow("HERMOD_MOVE_TO");
  expect(await deliveriesOf(from, account)).toBe(1);

  const there = new Ledger(to.db);
  await there.accept(DEFAULT_ACCOUNT, await there.endpoint(DEFAULT_ACCOUNT), "a.b");
  await expect(start("give_up", DEFAULT_ACCOUNT)).rejects.toThrow("HERMOD_MOVE_TO");
  expect(await deliveriesOf(to, DEFAULT_ACCOUNT)).toBe(1);
});

async function keyOf(owner: AccountId, createdBy: KeyId | null): Promise<KeyId> {
  const id = newId("key");
  await from.db.run(
    (sql) => sql`
      insert into api_keys (id, account_id, hash, permissions, created_by)
      values (${id}, ${owner}, ${hashKey(newKey())}, '{admin}', ${createdBy})`,
  );
  return id;
}

test("an account does not move while its keys end with those of another account, or theirs with its own", async () => {
  const [account, other] = [await ledger.account(), await ledger.account()];
  const foreign = await keyOf(account, await keyOf(other, null));
  const own = await keyOf(account, null);
  await keyOf(account, own);
  const dependent = await keyOf(other, own);
  const refusal = await start("move", account).catch(({ message }) => String(message));
  const named = [foreign, dependent].map((id) => toText("key", id));
  expect(refusal).toContain(`revoke the keys ${named.join(", ")}`);
});

test("an account that the destination can't take any more stays, and its requests go on", async () => {
  const account = await ledger.account();
  const changes: Promise<unknown>[] = [];
  const onStep = (step: string) => {
    if (step === "hold")
      changes.push(from.db.run((sql) => sql`update accounts set plan = 'gone' where id = ${account}`));
  };
  await from.db.run((sql) => sql`insert into plans (name) values ('gone')`);
  await expect(start("move", account, { onStep })).rejects.toThrow("the destination has no plan gone");
  await Promise.all(changes);
  const state = await from.db.run(
    (sql) => sql`
      select a.departure, m.held_until from accounts a join moves m on m.account_id = a.id where a.id = ${account}`,
  );
  expect([...state]).toEqual([{ departure: null, held_until: null }]);
  await start("give_up", account);
});

test("a move begins without rows that the account left behind when it lived at the destination", async () => {
  const account = newId("acc");
  await to.db.run(
    (sql) => sql`
      with reserved as (
        insert into idempotency_keys (account_id, key, fingerprint) values (${account}, 'a late batch', '')
      )
      insert into usage_notices (account_id, period, percent) values (${account}, '2026-01-01', 80)
    `,
  );
  await destinationOf(account).begin(60_000, [], []);
  const left = await to.db.run(
    (sql) => sql`
      select from idempotency_keys where account_id = ${account}
      union all select from usage_notices where account_id = ${account}
    `,
  );
  expect(left.length).toBe(0);
  await destinationOf(account).end();
});

test("the destination keeps the rows of an account that is on its way, also after the deadline", async () => {
  const account = newId("acc");
  await destinationOf(account).begin(0, [], []);
  expect(await to.db.transaction(isMoving)).toBe(false);
  await to.db.run(
    (sql) => sql`insert into moved_rows (account_id, "table", "rows") values (${account}, '', '[]')`,
  );
  expect(await to.db.transaction(isMoving)).toBe(true);
});
