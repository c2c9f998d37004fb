import { beforeEach, expect, spyOn, test } from "bun:test";
import { DEFAULT_ACCOUNT } from "../../../src/accounts/account";
import { ApiKeys } from "../../../src/accounts/api-keys";
import { KeyUse } from "../../../src/accounts/authentication/authenticator";
import { DatabaseUnavailable } from "../../../src/db/database";
import type { KeyId } from "../../../src/domain/ids";
import { useDatabase } from "../../support/postgres";
import { ManualClock } from "../manual-clock";

let clock: ManualClock;
let use: KeyUse;

const database = await useDatabase();
const keys = new ApiKeys(database.db);

beforeEach(() => {
  clock = new ManualClock();
  use = new KeyUse(database.db, clock);
});

async function newKeyId(): Promise<KeyId> {
  const wanted = { name: null, permissions: [], expiresAt: null };
  const made = await database.db.transaction((sql) => keys.create(sql, DEFAULT_ACCOUNT, wanted, null));
  return made.record.id;
}

async function lastUseOf(id: KeyId): Promise<number | null | undefined> {
  return (await keys.get(DEFAULT_ACCOUNT, id))?.lastUsedAt;
}

async function untilUsedAt(id: KeyId, at: number): Promise<void> {
  while ((await lastUseOf(id)) !== at) await Bun.sleep(1);
}

test("uses are written together a while after the first, again and again", async () => {
  const ids = [await newKeyId(), await newKeyId()];
  for (let round = 0; round < 2; round++) {
    const run = spyOn(database.db, "run");
    const now = clock.now();
    for (const id of ids) use.note(id, now);
    clock.pass(4_999);
    await Bun.sleep(0);
    expect(run).not.toHaveBeenCalled();
    clock.pass(1);
    await Bun.sleep(0);
    expect(run).toHaveBeenCalledTimes(1);
    run.mockRestore();
    for (const id of ids) await untilUsedAt(id, now);
  }
});

test("nothing is written without a use, nor twice", async () => {
  const id = await newKeyId();
  use.note(id, clock.now());
  await use.flush();
  const run = spyOn(database.db, "run");
  await use.flush();
  clock.pass(60_000);
  await Bun.sleep(0);
  expect(run).not.toHaveBeenCalled();
  run.mockRestore();
  expect(await lastUseOf(id)).toBe(clock.now() - 60_000);
});

test("an earlier use that is written later, as by another process, changes nothing", async () => {
  const id = await newKeyId();
  for (const at of [clock.now(), clock.now() - 1]) {
    use.note(id, at);
    await use.flush();
  }
  expect(await lastUseOf(id)).toBe(clock.now());
});

test("a failed write stops neither the close nor later writes", async () => {
  const id = await newKeyId();
  const run = spyOn(database.db, "run").mockRejectedValueOnce(new DatabaseUnavailable("a test"));
  use.note(id, clock.now());
  await use.flush();
  run.mockRestore();
  clock.pass(60_000);
  use.note(id, clock.now());
  await use.flush();
  expect(await lastUseOf(id)).toBe(clock.now());
});

test("a key that another transaction has locked is skipped, and delays nothing", async () => {
  const [locked, other] = [await newKeyId(), await newKeyId()];
  await database.db.transaction(async (sql) => {
    await sql`select from api_keys where id = ${locked} for update`;
    for (const id of [locked, other]) use.note(id, clock.now());
    await use.flush();
  });
  expect([await lastUseOf(locked), await lastUseOf(other)]).toEqual([null, clock.now()]);
});
