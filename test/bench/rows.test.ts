import { afterAll, beforeAll, expect, test } from "bun:test";
import { newId } from "../../src/domain/ids";
import { testPostgresUrl } from "../support/servers";
import { lengthenTo, newPast } from "./scenarios/history-rows";
import { type OwnDatabase, openOwnDatabase } from "./scenarios/own-database";
import { queueUp } from "./scenarios/waiting-rows";

const ACCOUNT = "00000000-0000-7000-8000-000000000001";
const DEAD = "http://dead";

let own: OwnDatabase;

beforeAll(async () => {
  const name = `hermod_test_rows_${Bun.randomUUIDv7("hex").replaceAll("-", "")}`;
  own = await openOwnDatabase(await testPostgresUrl(), name);
}, 120_000);
afterAll(() => own.drop());

async function addEndpoints(url: string, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const id = newId("ep");
    await own.sql`
      insert into endpoints (id, account_id, url, signing_secret) values (${id}, ${ACCOUNT}, ${url}, 'sealed')`;
    await own.sql`insert into mailboxes (endpoint_id, partition) values (${id}, ${i})`;
  }
}

/** The rows that exist, and what the counters say. */
async function count() {
  const [counts] = await own.sql<Record<string, number>[]>`
    select (select count(*)::integer from deliveries) as deliveries,
      (select count(*)::integer from results) as results,
      (select count(*)::integer from queue) as queue,
      (select sum(accepted)::integer from counter_deltas) as accepted,
      (select sum(delivered + failed)::integer from counter_deltas) as ended,
      (select sum(last_sequence)::integer from mailboxes) as numbered
  `;
  return counts;
}

test("the rows that scenarios write directly equal those that the service would have counted", async () => {
  await addEndpoints("http://past", 3);
  await lengthenTo(newPast(own.sql, 300), 0, 300);
  const past = { deliveries: 300, results: 300, accepted: 300, ended: 300 };
  expect(await count()).toEqual({ ...past, queue: 0, numbered: 300 });
  await addEndpoints(DEAD, 2);
  await queueUp({ databaseUrl: own.url, url: DEAD, endpoints: 2, deliveries: 50 });
  const both = { deliveries: 400, results: 300, accepted: 400, ended: 300 };
  expect(await count()).toEqual({ ...both, queue: 100, numbered: 400 });
});
