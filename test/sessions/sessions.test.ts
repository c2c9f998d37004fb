import { describe, expect, test } from "bun:test";
import { DEFAULT_ACCOUNT } from "../../src/accounts/account";
import { ApiKeys, KeyNoLongerWorks } from "../../src/accounts/api-keys";
import { Authenticator } from "../../src/accounts/authentication/authenticator";
import type { KeyId } from "../../src/domain/ids";
import { Sessions } from "../../src/sessions/sessions";
import { ManualClock } from "../accounts/manual-clock";
import { useDatabase } from "../support/postgres";

const database = await useDatabase();
const { db } = database;
const clock = new ManualClock(Date.now());
const [keys, sessions] = [new ApiKeys(db), new Sessions(db)];
/** The sessions of a process that learns of changes only from Postgres. */
const authenticator = new Authenticator({ db, clock, jwt: null });

async function newKeyId(expiresAt: number | null = null): Promise<KeyId> {
  const wanted = { name: null, permissions: ["stats:read"] as const, expiresAt };
  const { record } = await database.db.transaction((sql) => keys.create(sql, DEFAULT_ACCOUNT, wanted, null));
  return record.id;
}

async function begun(keyId: KeyId): Promise<string> {
  const { token } = await sessions.begin(keyId);
  expect(await authenticator.authenticate(token)).toMatchObject({ keyId });
  return token;
}

const change = (token: string, sql: string) =>
  database.db.run(
    (db) => db`update sessions set ${db.unsafe(sql)} where hash = sha256(${token}::text::bytea)`,
  );

describe("a session in use ends within 5 s", () => {
  test.each([
    ["its key is revoked", (key: KeyId) => keys.revoke(DEFAULT_ACCOUNT, key, null)],
    ["its key is disabled", (key: KeyId) => keys.disable(DEFAULT_ACCOUNT, key, null)],
  ])("when %s", async (_, end) => {
    const key = await newKeyId();
    const token = await begun(key);
    await end(key);
    clock.pass(4_000);
    expect(await authenticator.authenticate(token)).toBeNull();
  });

  test("when its key's maker is revoked", async () => {
    const maker = await newKeyId();
    const wanted = { name: null, permissions: ["stats:read"] as const, expiresAt: null };
    const made = await database.db.transaction((sql) => keys.create(sql, DEFAULT_ACCOUNT, wanted, maker));
    const token = await begun(made.record.id);
    await keys.revoke(DEFAULT_ACCOUNT, maker, null);
    clock.pass(4_000);
    expect(await authenticator.authenticate(token)).toBeNull();
  });

  test("to the millisecond when its key expires", async () => {
    const expiresAt = clock.now() + 60_000;
    const { token, endsAt } = await sessions.begin(await newKeyId(expiresAt));
    expect(endsAt).toBe(expiresAt);
    await authenticator.authenticate(token);
    clock.pass(59_999 - 3_000);
    await authenticator.authenticate(token);
    clock.pass(3_000);
    expect(authenticator.authenticate(token)).not.toBeNull();
    clock.pass(1);
    expect(await authenticator.authenticate(token)).toBeNull();
  });

  test.each([
    ["12 hours are over", "expires_at = now()"],
    ["30 minutes passed without a request", "seen_at = now() - interval '30 minutes'"],
  ])("when %s, and then it is deleted", async (_, past) => {
    const token = await begun(await newKeyId());
    await change(token, past);
    clock.pass(4_000);
    expect(await authenticator.authenticate(token)).toBeNull();
    await sessions.deleteExpired();
    expect((await change(token, "seen_at = now()")).count).toBe(0);
  });
});

test("a request keeps a session from expiring", async () => {
  const token = await begun(await newKeyId());
  await change(token, "seen_at = now() - interval '29 minutes'");
  clock.pass(4_000);
  expect(await authenticator.authenticate(token)).not.toBeNull();
  const seen = () =>
    database.db.run(
      (sql) => sql`
        select from sessions where hash = sha256(${token}::text::bytea) and seen_at > now() - interval '1 minute'`,
    );
  while ((await seen()).length === 0) await Bun.sleep(10);
  await sessions.deleteExpired();
  clock.pass(4_000);
  expect(await authenticator.authenticate(token)).not.toBeNull();
});

test("no session begins for a key that no longer works", async () => {
  const key = await newKeyId();
  await keys.disable(DEFAULT_ACCOUNT, key, null);
  expect(sessions.begin(key)).rejects.toBeInstanceOf(KeyNoLongerWorks);
  expect(sessions.begin(await newKeyId(Date.now() - 1))).rejects.toBeInstanceOf(KeyNoLongerWorks);
});
