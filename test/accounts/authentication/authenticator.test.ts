import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { Accounts } from "../../../src/accounts/account";
import { ApiKeys, type NewApiKey } from "../../../src/accounts/api-keys";
import { newKey } from "../../../src/accounts/authentication/api-key";
import { Authenticator } from "../../../src/accounts/authentication/authenticator";
import { DatabaseUnavailable } from "../../../src/db/database";
import type { AccountId } from "../../../src/domain/ids";
import { useDatabase } from "../../support/postgres";
import { ManualClock } from "../manual-clock";

let clock: ManualClock;
let authenticator: Authenticator;

const database = await useDatabase();
const keys = new ApiKeys(database.db);
const accounts = new Accounts(database.db, "free");
const account: AccountId = (await database.db.transaction((sql) => accounts.create(sql, { name: "shop" })))
  .id;

beforeEach(() => {
  clock = new ManualClock();
  authenticator = new Authenticator({ db: database.db, clock, jwt: null });
});
afterEach(() => authenticator.close());

function create(options: Partial<NewApiKey> = {}) {
  const wanted: NewApiKey = { name: null, permissions: ["stats:read"], expiresAt: null, ...options };
  return database.db.transaction((sql) => keys.create(sql, account, wanted, null));
}

test("a key identifies its account, its permissions and its plan's limit", async () => {
  const { key, record } = await create({ permissions: ["stats:read", "webhooks:read"] });
  expect(await authenticator.authenticate(key)).toEqual({
    accountId: account,
    keyId: record.id,
    endpointId: null,
    vouched: null,
    session: null,
    permissions: new Set(["stats:read", "webhooks:read"] as const),
    expiresAt: null,
    plan: "free",
    requestsPerMinute: 60,
    isMoving: false,
  });
});

test("a key that was just read is recognized without waiting", async () => {
  const { key, record } = await create();
  const first = authenticator.authenticate(key);
  expect(first).toBeInstanceOf(Promise);
  await first;
  expect(authenticator.authenticate(key)).toMatchObject({ keyId: record.id });
});

test("a key with a typo is refused without a look-up", async () => {
  const { key } = await create();
  const last = key.endsWith("A") ? "B" : "A";
  const run = spyOn(database.db, "run");
  for (const broken of [
    key.slice(0, -1),
    key.slice(0, -1) + last,
    `${key}A`,
    "hmd_",
    `hmd_${"A".repeat(49)}`,
  ]) {
    expect(authenticator.authenticate(broken)).toBeNull();
  }
  expect(run).not.toHaveBeenCalled();
  run.mockRestore();
  expect(await authenticator.authenticate(key)).not.toBeNull();
});

test("the database gets the SHA-256 of a key, and no part of its text", async () => {
  const { key, record } = await create();
  const [row] = await database.db.run(
    (sql) => sql<{ text: string; hash: Uint8Array }[]>`
      select k::text as text, hash from api_keys k where id = ${record.id}`,
  );
  expect(Buffer.from(row?.hash ?? []).toString("hex")).toBe(
    new Bun.CryptoHasher("sha256").update(key).digest("hex"),
  );
  for (let i = 4; i + 12 <= key.length; i++) expect(row?.text).not.toContain(key.slice(i, i + 12));
});

test("many look-ups of keys at once take few statements", async () => {
  const made = await Promise.all(Array.from({ length: 10 }, () => create()));
  const run = spyOn(database.db, "run");
  const found = await Promise.all(
    [...made, ...made, ...made].map(({ key }) => authenticator.authenticate(key)),
  );
  const ids = made.map(({ record }) => record.id);
  expect(found.map((each) => each?.keyId)).toEqual([...ids, ...ids, ...ids]);
  expect(run.mock.calls.length).toBeLessThanOrEqual(2);
  // An answer that arrives later is too old to use.
  expect(run.mock.calls.map(([, timeoutMs]) => timeoutMs)).toEqual(run.mock.calls.map(() => 4_000));
  run.mockRestore();
});

describe("a key stops working within 5 s", () => {
  test("when it is revoked", async () => {
    const { key, record } = await create();
    await authenticator.authenticate(key);
    await keys.revoke(account, record.id, null);
    clock.pass(4_000);
    expect(await authenticator.authenticate(key)).toBeNull();
  });

  test("while it is in constant use", async () => {
    const { key, record } = await create();
    await authenticator.authenticate(key);
    await keys.revoke(account, record.id, null);
    clock.pass(2_000);
    expect(authenticator.authenticate(key)).toMatchObject({ keyId: record.id });
    await until(() => authenticator.authenticate(key) === null);
  });

  test("when it is switched off, and works again when it is switched on", async () => {
    const { key, record } = await create();
    await keys.disable(account, record.id, null);
    expect(await authenticator.authenticate(key)).toBeNull();
    await keys.enable(account, record.id, null);
    clock.pass(1_000);
    expect(await authenticator.authenticate(key)).toMatchObject({ keyId: record.id });
  });

  test("to the millisecond when it expires", async () => {
    const { key } = await create({ expiresAt: clock.now() + 1_500 });
    await authenticator.authenticate(key);
    clock.pass(1_499);
    expect(authenticator.authenticate(key)).not.toBeNull();
    clock.pass(1);
    expect(authenticator.authenticate(key)).toBeNull();
  });

  test("at once when this process is asked to read it again", async () => {
    const { key, record } = await create();
    await authenticator.authenticate(key);
    await keys.revoke(account, record.id, null);
    authenticator.forget();
    expect(await authenticator.authenticate(key)).toBeNull();
  });
});

describe("while Postgres is down", () => {
  test("a cached key works for 4 s; after that every key gets an error", async () => {
    const { key, record } = await create();
    await authenticator.authenticate(key);
    const run = spyOn(database.db, "run").mockRejectedValue(new DatabaseUnavailable("a test"));
    clock.pass(3_999);
    expect(authenticator.authenticate(key)).toMatchObject({ keyId: record.id });
    await Bun.sleep(1);
    clock.pass(1);
    await expect(Promise.resolve(authenticator.authenticate(key))).rejects.toBeInstanceOf(
      DatabaseUnavailable,
    );
    run.mockRestore();
    expect(await authenticator.authenticate(key)).toMatchObject({ keyId: record.id });
  });
});

describe("an unknown token", () => {
  test("is looked up at most once a second", async () => {
    const token = newKey();
    expect(await authenticator.authenticate(token)).toBeNull();
    expect(authenticator.authenticate(token)).toBeNull();
    clock.pass(1_000);
    expect(authenticator.authenticate(token)).toBeInstanceOf(Promise);
  });

  test("of any length and shape is refused", async () => {
    expect(authenticator.authenticate("x".repeat(8_193))).toBeNull();
    for (const token of ["", "x", "a.b.c", "hmd_ü", "\0"]) {
      expect(await authenticator.authenticate(token)).toBeNull();
    }
  });
});

describe("the last use of a key", () => {
  async function lastUse(): Promise<number | null | undefined> {
    await authenticator.close();
    return (await keys.page(account, { limit: 100 })).at(0)?.lastUsedAt;
  }

  test("is recorded once a minute", async () => {
    const { key } = await create();
    await authenticator.authenticate(key);
    const firstUse = clock.now();
    expect(await lastUse()).toBe(firstUse);
    clock.pass(1_000);
    expect(authenticator.authenticate(key)).not.toBeInstanceOf(Promise);
    expect(await lastUse()).toBe(firstUse);
    clock.pass(58_999);
    await authenticator.authenticate(key);
    expect(await lastUse()).toBe(firstUse);
    clock.pass(1);
    await authenticator.authenticate(key);
    expect(await lastUse()).toBe(firstUse + 60_000);
  });

  test("is written outside requests, a while later", async () => {
    const { key } = await create();
    await authenticator.authenticate(key);
    clock.pass(5_000);
    await until(async () => (await keys.page(account, { limit: 100 })).at(0)?.lastUsedAt !== null);
  });
});

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await Bun.sleep(1);
}
