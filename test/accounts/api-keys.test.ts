import { describe, expect, test } from "bun:test";
import { Accounts, DEFAULT_ACCOUNT } from "../../src/accounts/account";
import { ApiKeys } from "../../src/accounts/api-keys";
import { hashKey, looksLikeKey } from "../../src/accounts/authentication/api-key";
import { type AccountId, type KeyId, newId } from "../../src/domain/ids";
import { DEFAULT_PERMISSIONS, PERMISSIONS } from "../../src/domain/permission";
import { testDatabase, useDatabase } from "../support/postgres";

const database = await useDatabase();
const keys = new ApiKeys(database.db);
const accounts = new Accounts(database.db, "free");
const account: AccountId = (await database.db.transaction((sql) => accounts.create(sql, { name: "shop" })))
  .id;

function create(options: Partial<Parameters<ApiKeys["create"]>[2]> = {}) {
  const wanted = { name: null, permissions: DEFAULT_PERMISSIONS, expiresAt: null, ...options };
  return database.db.transaction((sql) => keys.create(sql, account, wanted, null));
}

test("a key is shown once and never stored", async () => {
  const expiresAt = Date.UTC(2030, 5, 1, 1, 2, 3, 456);
  const { key, record } = await create({ name: "backend", permissions: ["stats:read"], expiresAt });
  expect(looksLikeKey(key)).toBe(true);
  expect(record).toMatchObject({
    accountId: account,
    name: "backend",
    isActive: true,
    lastUsedAt: null,
    createdBy: null,
  });
  expect(record).toMatchObject({ permissions: ["stats:read"], expiresAt });
  const [row] = await database.db.run(
    (sql) => sql`select k::text as text from api_keys k where id = ${record.id}`,
  );
  expect(row?.text).not.toContain(key);
  expect(await keys.page(account, { limit: 100 })).toContainEqual(record);
});

test("keys are listed newest first, and only those of the account", async () => {
  const first = await create();
  const second = await create();
  const listed = await keys.page(account, { limit: 100 });
  expect(listed.slice(0, 2).map((each) => each.id)).toEqual([second.record.id, first.record.id]);
  expect(await keys.page(newId("acc"), { limit: 100 })).toEqual([]);
  expect(await keys.get(account, first.record.id)).toEqual(first.record);
  expect(await keys.get(newId("acc"), first.record.id)).toBeNull();
});

test("a key is disabled and enabled only by its own account", async () => {
  const { record } = await create();
  expect(await keys.disable(newId("acc"), record.id, null)).toBeNull();
  expect(await keys.disable(account, record.id, null)).toEqual({ ...record, isActive: false });
  expect(await keys.enable(account, record.id, null)).toEqual(record);
});

test("a key is revoked by its own account, or by an admin", async () => {
  const [one, other] = [await create(), await create()];
  expect(await keys.revoke(newId("acc"), one.record.id, null)).toBe(false);
  expect(await keys.revoke(account, one.record.id, null)).toBe(true);
  expect(await keys.revoke(account, one.record.id, null)).toBe(false);
  expect(await keys.revoke(null, other.record.id, null)).toBe(true);
});

describe("the admin key of the environment", () => {
  async function holders(key: string): Promise<AccountId[]> {
    const rows = await database.db.run(
      (sql) => sql<{ id: AccountId }[]>`select account_id as id from api_keys where hash = ${hashKey(key)}`,
    );
    return rows.map((row) => row.id);
  }

  test("replaces the one before, and one of several processes reports it", async () => {
    await keys.ensureAdminKey("the first admin key");
    const reported = await Promise.all([1, 2, 3].map(() => keys.ensureAdminKey("the second admin key")));
    expect(reported.toSorted()).toEqual([false, false, true]);
    const listed = await keys.page(DEFAULT_ACCOUNT, { limit: 100 });
    expect(listed).toHaveLength(1);
    expect(listed[0]).toMatchObject({ name: "HERMOD_ADMIN_KEY", permissions: [...PERMISSIONS] });
    expect(await holders("the first admin key")).toEqual([]);
    expect(await holders("the second admin key")).toEqual([DEFAULT_ACCOUNT]);
  });

  test("is stored once when several processes bring it at the same moment", async () => {
    const own = await testDatabase();
    const processes = Array.from({ length: 6 }, () => own.open({ size: 1 }));
    await Promise.all(processes.map((each) => each.run((sql) => sql`select 1`)));
    for (let round = 0; round < 40; round++) {
      await own.db.run((sql) => sql`delete from api_keys`);
      const reported = processes.map((each) => new ApiKeys(each).ensureAdminKey("the admin key of all"));
      expect(await Promise.all(reported)).toEqual(processes.map(() => false));
    }
    await Promise.all(processes.map((each) => each.close()));
    await own.drop();
  });

  test("keeps the keys that it made when it is replaced or revoked", async () => {
    await keys.ensureAdminKey("the maker of keys");
    const admin = (await keys.page(DEFAULT_ACCOUNT, { limit: 100 })).find(
      ({ name }) => name === "HERMOD_ADMIN_KEY",
    );
    const wanted = { name: null, permissions: DEFAULT_PERMISSIONS, expiresAt: null };
    const make = (by: KeyId) => database.db.transaction((sql) => keys.create(sql, account, wanted, by));
    const { key, record } = await make(admin?.id ?? newId("key"));
    const child = await make(record.id);
    expect(record.createdBy).toBeNull();
    expect(await keys.revoke(null, admin?.id ?? newId("key"), null)).toBe(true);
    expect(await keys.get(account, record.id)).toEqual(record);
    await keys.ensureAdminKey(key);
    expect(await keys.get(account, record.id)).toBeNull();
    expect(await keys.get(account, child.record.id)).toEqual({ ...child.record, createdBy: null });
  });

  test("works again after it was switched off", async () => {
    await keys.ensureAdminKey("the admin key");
    const [before] = await keys.page(DEFAULT_ACCOUNT, { limit: 100 });
    if (before) await keys.disable(DEFAULT_ACCOUNT, before.id, null);
    await keys.ensureAdminKey("the admin key");
    expect((await keys.page(DEFAULT_ACCOUNT, { limit: 100 }))[0]?.isActive).toBe(true);
  });

  test("belongs to the default account, even if it was another key before", async () => {
    const { key } = await create();
    await keys.ensureAdminKey(key);
    expect(await holders(key)).toEqual([DEFAULT_ACCOUNT]);
  });
});
