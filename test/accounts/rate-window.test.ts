import { expect, test } from "bun:test";
import { SharedWindows } from "../../src/accounts/rate-window";
import { type AccountId, newId } from "../../src/domain/ids";
import { useDatabase } from "../support/postgres";

const database = await useDatabase();
const windows = new SharedWindows(database.db);

async function grant(accountId: AccountId, wanted: number, limit = 10) {
  const [only] = await windows.grant([{ accountId, limit, wanted }]);
  return only;
}

test("a window is granted until it is used up", async () => {
  const accountId = newId("acc");
  expect(await grant(accountId, 4)).toMatchObject({ granted: 4, remaining: 6 });
  expect(await grant(accountId, 4)).toMatchObject({ granted: 4, remaining: 2 });
  expect(await grant(accountId, 4)).toMatchObject({ granted: 2, remaining: 0 });
  expect(await grant(accountId, 4)).toMatchObject({ granted: 0, remaining: 0 });
  expect(await grant(newId("acc"), 40)).toMatchObject({ granted: 10, remaining: 0 });
});

test("a window begins with its first request and lasts a minute", async () => {
  const accountId = newId("acc");
  expect((await grant(accountId, 10))?.endsInMs).toBeWithin(59_000, 60_001);
  await age(accountId, 59);
  const late = await grant(accountId, 1);
  expect(late).toMatchObject({ granted: 0 });
  expect(late?.endsInMs).toBeWithin(1, 1_001);
  await age(accountId, 1);
  expect(await grant(accountId, 3)).toMatchObject({ granted: 3, remaining: 7 });
});

test("a window that begins more than a minute from now counts as over, since Postgres' clock was set back", async () => {
  const accountId = newId("acc");
  await grant(accountId, 10);
  await age(accountId, -59);
  expect(await grant(accountId, 1)).toMatchObject({ granted: 0 });
  await age(accountId, -3_600);
  const next = await grant(accountId, 3);
  expect(next).toMatchObject({ granted: 3, remaining: 7 });
  expect(next?.endsInMs).toBeWithin(59_000, 60_001);
});

function age(accountId: AccountId, seconds: number) {
  return database.db.run(
    (sql) => sql`
      update rate_windows set started_at = started_at - ${seconds} * interval '1 second'
      where account_id = ${accountId}
    `,
  );
}

test("a limit that is changed during a window applies from then on", async () => {
  const accountId = newId("acc");
  await grant(accountId, 8);
  expect(await grant(accountId, 1, 5)).toMatchObject({ granted: 0, remaining: 0 });
  expect(await grant(accountId, 9, 12)).toMatchObject({ granted: 4, remaining: 0 });
});

test("many processes at once are granted the limit and no more, without a deadlock", async () => {
  const accounts = Array.from({ length: 200 }, () => newId("acc"));
  const rounds = Array.from({ length: 80 }, (_, i) => {
    const requests = accounts.map((accountId) => ({ accountId, limit: 100, wanted: 7 }));
    return windows.grant(i % 2 === 0 ? requests : requests.reverse());
  });
  const granted = (await Promise.all(rounds)).flat().reduce((sum, each) => sum + each.granted, 0);
  expect(granted).toBe(100 * accounts.length);
});
