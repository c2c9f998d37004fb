import { describe, expect, test } from "bun:test";
import { Accounts, DEFAULT_ACCOUNT, UnknownPlan } from "../../src/accounts/account";
import { Plans } from "../../src/accounts/plan";
import { Usage } from "../../src/accounts/usage";
import { type AccountId, newId } from "../../src/domain/ids";
import { useDatabase } from "../support/postgres";

const database = await useDatabase();
const accounts = new Accounts(database.db, "free");

function create(name: string, plan?: string) {
  return database.db.transaction((sql) => accounts.create(sql, { name, plan }));
}

describe("accounts", () => {
  test("are on the free plan unless created with another", async () => {
    const before = Date.now();
    const account = await create("shop");
    expect(account).toMatchObject({ name: "shop", plan: "free" });
    expect(account.createdAt).toBeWithin(before - 1_000, Date.now() + 1_000);
    expect(await accounts.get(account.id)).toEqual(account);
    expect((await create("big", "pro")).plan).toBe("pro");
  });

  test("need a plan that exists", async () => {
    await expect(create("lost", "nope")).rejects.toBeInstanceOf(UnknownPlan);
    await expect(accounts.update(DEFAULT_ACCOUNT, { plan: "nope" })).rejects.toBeInstanceOf(UnknownPlan);
  });

  test("are listed newest first, page by page", async () => {
    const made: AccountId[] = [];
    for (const name of ["a", "b", "c"]) made.unshift((await create(name)).id);
    const first = await accounts.page({ limit: 2 });
    expect(first.map((each) => each.id)).toEqual(made.slice(0, 2));
    const second = await accounts.page({ limit: 1, beyond: made[1] });
    expect(second.map((each) => each.id)).toEqual(made.slice(2));
  });

  test("keep the fields that an update leaves out", async () => {
    const { id } = await create("old");
    expect(await accounts.update(id, { name: "new" })).toMatchObject({ name: "new", plan: "free" });
    expect(await accounts.update(id, { plan: "starter" })).toMatchObject({ name: "new", plan: "starter" });
    expect(await accounts.update(id, { name: "newest" })).toMatchObject({ name: "newest", plan: "starter" });
    expect(await accounts.update(newId("acc"), { name: "nobody" })).toBeNull();
    expect(await accounts.get(newId("acc"))).toBeNull();
  });
});

describe("plans", () => {
  test("are created and changed by name", async () => {
    const plans = new Plans(database.db);
    await plans.put("tiny", { requestsPerMinute: 5, webhooksPerMonth: null });
    await plans.put("tiny", { requestsPerMinute: 6, webhooksPerMonth: 7 });
    const tiny = { name: "tiny", requestsPerMinute: 6, webhooksPerMonth: 7 };
    const all = await plans.list();
    expect(all.map((each) => each.name)).toEqual(["free", "pro", "starter", "tiny", "unlimited"]);
    expect(all.find((each) => each.name === "tiny")).toEqual(tiny);
    expect(all.find((each) => each.name === "unlimited")?.requestsPerMinute).toBeNull();
  });
});

describe("usage", () => {
  test("counts the calendar month", async () => {
    const { id } = await create("user");
    const usage = new Usage(database.db);
    const now = Date.UTC(2026, 11, 31, 23, 59, 59);
    const period = { start: Date.UTC(2026, 11, 1), end: Date.UTC(2027, 0, 1) };
    expect(await usage.current(id, now)).toEqual({ plan: "free", period, used: 0, limit: 1_000 });
    await database.db.run(
      (sql) => sql`insert into usage values (${id}, '2026-12-01', 17), (${id}, '2026-11-01', 4)`,
    );
    expect(await usage.current(id, now)).toMatchObject({ used: 17 });
    expect(await usage.current(id, now + 1_000)).toMatchObject({ used: 0 });
    expect(await usage.current(DEFAULT_ACCOUNT, now)).toMatchObject({ plan: "unlimited", limit: null });
  });
});
