import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { accounts, endpoints } from "../../src/db/schema";
import { typed } from "../../src/db/typed";
import { newId } from "../../src/domain/ids";
import { useDatabase } from "../support/postgres";

const database = await useDatabase();

const newAccount = (name: string) => ({
  id: newId("acc"),
  name,
  plan: "unlimited",
  createdAt: 1_700_000_000_123,
});

test("times are Unix milliseconds, and JSON is stored as it is", async () => {
  const account = newAccount("a");
  const row = {
    id: newId("ep"),
    accountId: account.id,
    url: "https://example.com/",
    signingSecret: "s",
    metadata: { quoted: '"', empty: "" },
    retryScheduleMs: [1, 2.5],
    permanentStatuses: [404, 410],
  };
  const [kept] = await database.db.transaction(async (sql) => {
    await typed(sql).insert(accounts).values(account);
    await typed(sql).insert(endpoints).values(row);
    return typed(sql)
      .select({ createdAt: accounts.createdAt, endpoint: endpoints })
      .from(endpoints)
      .innerJoin(accounts, eq(accounts.id, endpoints.accountId))
      .where(eq(endpoints.id, row.id));
  });
  expect(kept).toMatchObject({
    createdAt: account.createdAt,
    endpoint: { ...row, headers: null, deletedAt: null },
  });
  const [{ kind } = {}] = await database.db.run(
    (sql) =>
      sql<{ kind?: string }[]>`select jsonb_typeof(metadata) as kind from endpoints where id = ${row.id}`,
  );
  expect(kind).toBe("object");
});

test("an error contains no parameter, neither alone nor in a transaction", async () => {
  const account = newAccount("confidential");
  const insert = () => database.db.run((sql) => typed(sql).insert(accounts).values(account));
  await insert();
  const inTransaction = () => database.db.transaction((sql) => typed(sql).insert(accounts).values(account));
  for (const again of [insert, inTransaction]) {
    const error = await again().then(
      () => null,
      (thrown: Error) => thrown,
    );
    expect(error).toMatchObject({ code: "23505" });
    expect(`${error?.message} ${error?.stack}`).not.toContain("confidential");
  }
});
