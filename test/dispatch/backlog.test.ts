import { afterAll, beforeAll, expect, test } from "bun:test";
import { Backlog, type BacklogPage } from "../../src/dispatch/backlog";
import { longestWait } from "../../src/dispatch/retry-policy";
import { type AccountId, type EndpointId, newId } from "../../src/runtime/ids";
import { type TestDatabase, testDatabase } from "../support/postgres";

const ACCOUNT = "00000000-0000-7000-8000-000000000001" as AccountId;
const PARTITION = 5;

let database: TestDatabase;
let backlog: Backlog;
const room = { isFull: false };

beforeAll(async () => {
  database = await testDatabase();
  const open = (sealed: string) => {
    if (sealed === "damaged") throw new Error("it was changed");
    return sealed;
  };
  backlog = new Backlog(database.db, open, room, longestWait([]));
});
afterAll(() => database.drop());

async function makeEndpoint(payloads: string[], secret = "sealed"): Promise<EndpointId> {
  const id = newId("ep");
  await database.db.transaction(async (sql) => {
    await sql`insert into endpoints (id, account_id, url, signing_secret) values (${id}, ${ACCOUNT}, 'http://a', ${secret})`;
    await sql`insert into mailboxes (endpoint_id, partition, last_sequence) values (${id}, ${PARTITION}, ${payloads.length})`;
    for (const [i, data] of payloads.entries()) {
      const delivery = newId("wh");
      await sql`insert into deliveries (id, account_id, endpoint_id, sequence, data)
        values (${delivery}, ${ACCOUNT}, ${id}, ${i + 1}, ${data})`;
      await sql`insert into queue (partition, endpoint_id, sequence, delivery_id, account_id)
        values (${PARTITION}, ${id}, ${i + 1}, ${delivery}, ${ACCOUNT})`;
    }
  });
  return id;
}

const read = (id: EndpointId, after = 0) => backlog.read(PARTITION, id, after);

function activePage({ page }: BacklogPage) {
  if (page.kind !== "active") throw new Error(`the page is ${page.kind}`);
  return page;
}

test("a page is in order, from the first pending one on, and says whether there is more", async () => {
  const id = await makeEndpoint(Array.from({ length: 40 }, (_, i) => `{"i":${i}}`));
  const first = activePage(await read(id));
  expect(first.deliveries.map((each) => each.sequence)).toEqual(Array.from({ length: 32 }, (_, i) => i + 1));
  expect(first).toMatchObject({ complete: false, lastSequence: 40, retryInMs: null });
  const rest = activePage(await read(id, 32));
  expect(rest.deliveries.map((each) => each.data)).toEqual(
    Array.from({ length: 8 }, (_, i) => `{"i":${i + 32}}`),
  );
  expect(rest.complete).toBe(true);
});

const payloadOf = (bytes: number) => JSON.stringify({ text: "x".repeat(bytes - '{"text":""}'.length) });

test("payloads make a page short", async () => {
  const id = await makeEndpoint(Array.from({ length: 6 }, () => payloadOf(60_000)));
  const page = activePage(await read(id));
  expect(page.deliveries.map((each) => each.data)).toEqual(
    Array.from({ length: 4 }, () => payloadOf(60_000)),
  );
  expect(page.complete).toBe(false);
});

test("of a large payload a page has how large it is, and without room of one that is not small", async () => {
  const payloads = [1_000_000, 65_536, 65_537, 2_000].map(payloadOf);
  const id = await makeEndpoint(payloads);
  const [, second, , fourth] = payloads;
  const { deliveries, complete } = activePage(await read(id));
  expect(deliveries.map((each) => each.data)).toEqual([
    { bytes: 1_000_000 },
    second as string,
    { bytes: 65_537 },
    fourth as string,
  ]);
  expect(complete).toBe(true);
  room.isFull = true;
  const firsts = [await read(id), await read(id, 1), await read(id, 3)].map(activePage);
  room.isFull = false;
  expect(firsts.map((page) => page.deliveries[0]?.data)).toEqual([
    { bytes: 1_000_000 },
    { bytes: 65_536 },
    fourth as string,
  ]);
});

test("behind one that has failed before nothing is brought along", async () => {
  const id = await makeEndpoint(["{}", "{}", "{}"]);
  await database.db.run(
    (sql) => sql`update queue set attempt_count = 1 where endpoint_id = ${id} and sequence = 1`,
  );
  const page = activePage(await read(id));
  expect(page.deliveries.map((each) => each.sequence)).toEqual([1]);
  expect(page.complete).toBe(false);
  expect(activePage(await read(id, 1)).deliveries).toHaveLength(2);
});

test("without room a page has the first pending one, and tells that there is more", async () => {
  const large = JSON.stringify({ text: "x".repeat(300_000) });
  const ids = [
    await makeEndpoint([large, "{}"]),
    await makeEndpoint(["{}", "{}"]),
    await makeEndpoint(["{}"]),
  ];
  room.isFull = true;
  const pages = await Promise.all(ids.map(async (id) => activePage(await read(id))));
  const next = activePage(await read(ids[1] as EndpointId, 1));
  room.isFull = false;
  expect(
    pages.map(({ deliveries, complete }) => [deliveries.map((each) => each.sequence), complete]),
  ).toEqual([
    [[1], false],
    [[1], false],
    [[1], true],
  ]);
  expect(next.deliveries.map((each) => each.sequence)).toEqual([2]);
  expect(activePage(await read(ids[1] as EndpointId)).deliveries).toHaveLength(2);
});

test("a retry that lies ahead is told as the time that is left of it", async () => {
  const id = await makeEndpoint(["{}"]);
  await database.db.run(
    (sql) => sql`update queue set next_attempt_at = now() + interval '1 hour' where endpoint_id = ${id}`,
  );
  const { retryInMs } = activePage(await read(id));
  expect(retryInMs).toBeWithin(3_500_000, 3_600_001);
});

test("a retry further ahead than any wait is due: Postgres' clock has been set back since", async () => {
  const id = await makeEndpoint(["{}"]);
  const readAhead = async (ms: number) => {
    await database.db.run(
      (sql) => sql`
        update queue set attempt_count = 1, next_attempt_at = now() + ${ms}::float8 * interval '1 millisecond'
        where endpoint_id = ${id}`,
    );
    return activePage(await read(id)).retryInMs;
  };
  expect(await readAhead(longestWait([]) - 60_000)).toBePositive();
  expect(await readAhead(longestWait([]) + 60_000)).toBeNull();
});

test("a page ends before one behind the first that waits for a retry", async () => {
  const id = await makeEndpoint(["{}", "{}", "{}"]);
  await database.db.run(
    (sql) =>
      sql`update queue set next_attempt_at = now() + interval '1 hour' where endpoint_id = ${id} and sequence = 2`,
  );
  const page = activePage(await read(id));
  expect(page.deliveries.map((each) => each.sequence)).toEqual([1]);
  expect(page).toMatchObject({ complete: false, retryInMs: null });
});

test("an inactive endpoint and one that is gone are told as such", async () => {
  const id = await makeEndpoint(["{}"]);
  await database.db.run((sql) => sql`update endpoints set is_active = false where id = ${id}`);
  expect((await read(id)).page).toEqual({ kind: "inactive" });
  await database.db.run((sql) => sql`delete from mailboxes where endpoint_id = ${id}`);
  expect((await read(id)).page).toEqual({ kind: "gone" });
});

test("an endpoint that can't be read fails alone, not those that share its statement", async () => {
  const endpoints = await Promise.all(
    ["sealed", "damaged", "sealed"].map((secret) => makeEndpoint(["{}"], secret)),
  );
  const reads = await Promise.allSettled(endpoints.map((id) => read(id)));
  expect(reads.map((each) => each.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});

test("an endpoint is found in its own partition and in no other", async () => {
  const id = await makeEndpoint(["{}"]);
  expect((await backlog.read(PARTITION + 1, id, 0)).page).toEqual({ kind: "gone" });
  expect(activePage(await read(id)).deliveries).toHaveLength(1);
});
