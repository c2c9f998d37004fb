import { afterAll, beforeAll, expect, test } from "bun:test";
import { longestWait } from "../../src/dispatch/retry-policy";
import { UnorderedBacklog, type UnorderedBacklogPage } from "../../src/dispatch/unordered-backlog";
import { type AccountId, type EndpointId, newId } from "../../src/runtime/ids";
import { type TestDatabase, testDatabase } from "../support/postgres";

const ACCOUNT = "00000000-0000-7000-8000-000000000001" as AccountId;
const PARTITION = 5;

let database: TestDatabase;
let backlog: UnorderedBacklog;
const room = { isFull: false };

beforeAll(async () => {
  database = await testDatabase();
  backlog = new UnorderedBacklog(database.db, (sealed) => sealed, room, longestWait([]));
});
afterAll(() => database.drop());

/** So many that were never attempted, of a size. */
async function makeEndpoint(count: number, size = 2): Promise<EndpointId> {
  const id = newId("ep");
  await database.db.transaction(async (sql) => {
    await sql`
      insert into endpoints (id, account_id, url, signing_secret, ordering, max_in_flight)
      values (${id}, ${ACCOUNT}, 'http://a', 'sealed', 'unordered', 7)`;
    await sql`insert into mailboxes (endpoint_id, partition, last_sequence) values (${id}, ${PARTITION}, ${count})`;
    await sql`
      with made as (
        insert into deliveries (id, account_id, endpoint_id, sequence, data)
        select gen_random_uuid(), ${ACCOUNT}, ${id}, n, repeat('x', ${size}) from generate_series(1, ${count}::integer) n
        returning id, sequence
      )
      insert into queue (partition, endpoint_id, sequence, delivery_id, account_id)
      select ${PARTITION}, ${id}, sequence, id, ${ACCOUNT} from made`;
  });
  return id;
}

/** Those of the sequences from one to another failed, and are tried again after so many seconds, each a bit later. */
async function postpone(id: EndpointId, [from, to]: [number, number], seconds: number): Promise<void> {
  await database.db.run(
    (sql) => sql`
      update queue set attempt_count = 1,
        next_attempt_at = now() + ${seconds}::float8 * interval '1 second' + sequence * interval '1 ms'
      where endpoint_id = ${id} and sequence between ${from} and ${to}`,
  );
}

async function readActive(id: EndpointId, after = 0, without: number[] = []) {
  const { page } = await backlog.read(PARTITION, id, after, without);
  if (page.kind !== "active") throw new Error(`the page is ${page.kind}`);
  return { ...page, sequences: page.deliveries.map((each) => each.sequence) };
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

test("a page has what was never attempted, in order, without what is in flight, and says how far it goes", async () => {
  const id = await makeEndpoint(40);
  const first = await readActive(id, 0, [2, 3]);
  expect(first).toMatchObject({ maxInFlight: 7, scannedTo: 34, hasMore: true, lastSequence: 40 });
  expect(first.sequences).toEqual([1, ...range(4, 34)]);
  const rest = await readActive(id, 34, [36]);
  expect(rest).toMatchObject({ scannedTo: 40, hasMore: false, retryInMs: null });
  expect(rest.sequences).toEqual([35, ...range(37, 40)]);
});

test("retries come when they are due, the oldest first and beside the others; those that wait are passed", async () => {
  const id = await makeEndpoint(30);
  await postpone(id, [1, 20], -60);
  await postpone(id, [21, 25], 3_600);
  const page = await readActive(id, 20, [4]);
  expect(page.sequences).toEqual([...[1, 2, 3], ...range(5, 17), ...range(26, 30)]);
  expect(page).toMatchObject({ scannedTo: 30, hasMore: true });
  expect(page.retryInMs).toBeWithin(3_590_000, 3_600_100);
  expect(page.deliveries[0]).toMatchObject({ sequence: 1, attemptCount: 1 });
});

test("a retry further ahead than any wait is due: Postgres' clock has been set back since", async () => {
  const id = await makeEndpoint(25);
  const seconds = longestWait([]) / 1_000;
  await postpone(id, [1, 2], seconds - 60);
  await postpone(id, [3, 22], seconds + 60);
  const page = await readActive(id, 0, [4]);
  expect(page.sequences).toEqual([3, ...range(5, 19), ...range(23, 25)]);
  expect(page.hasMore).toBe(true);
  expect(page.retryInMs).toBeWithin(1, longestWait([]));
  const rest = await readActive(id, 25, [3, ...range(4, 19)]);
  expect(rest.sequences).toEqual(range(20, 22));
  expect(rest.hasMore).toBe(false);
});

test("a page looks at a bounded number of those that wait, and the next one goes on from there", async () => {
  const id = await makeEndpoint(2_500);
  await postpone(id, [1, 2_490], 3_600);
  const steps: [number, number][] = [];
  let [after, hasMore] = [0, true];
  while (hasMore) {
    const page = await readActive(id, after);
    ({ scannedTo: after, hasMore } = page);
    steps.push([after, page.sequences.length]);
  }
  expect(steps).toEqual([
    [1_000, 0],
    [2_000, 0],
    [2_500, 10],
  ]);
});

test("payloads make a page short", async () => {
  const id = await makeEndpoint(8, 60_000);
  await postpone(id, [1, 2], -1);
  const page = await readActive(id);
  expect(page).toMatchObject({ sequences: [1, 2, 3, 4], scannedTo: 4, hasMore: true });
  expect((await readActive(id, 4, [1, 2])).sequences).toEqual([5, 6, 7, 8]);
});

test("of a large payload a page has how large it is, and without room of one that is not small", async () => {
  const [large, small] = [await makeEndpoint(3, 65_537), await makeEndpoint(2, 5_000)];
  const dataOf = async (id: EndpointId) => (await readActive(id)).deliveries.map(({ data }) => data);
  expect(await dataOf(large)).toEqual([1, 2, 3].map(() => ({ bytes: 65_537 })));
  expect(await dataOf(small)).toEqual([1, 2].map(() => "x".repeat(5_000)));
  room.isFull = true;
  const [first] = await dataOf(small);
  room.isFull = false;
  expect(first).toEqual({ bytes: 5_000 });
});

test("without room a page has one delivery, and the next page the next", async () => {
  const id = await makeEndpoint(3);
  await postpone(id, [2, 2], -1);
  room.isFull = true;
  const pages = [await readActive(id), await readActive(id, 0, [2]), await readActive(id, 0, [1, 2])];
  room.isFull = false;
  expect(pages.map(({ sequences }) => sequences)).toEqual([[2], [1], [3]]);
  expect(pages[0]).toMatchObject({ scannedTo: 0, hasMore: true });
  expect(pages[1]).toMatchObject({ scannedTo: 1, hasMore: true });
  expect(pages[2]).toMatchObject({ hasMore: false });
});

test("an endpoint that is inactive, that asks for order or is gone is told as such", async () => {
  const id = await makeEndpoint(1);
  const kindOf = async (): Promise<UnorderedBacklogPage["page"]["kind"]> =>
    (await backlog.read(PARTITION, id, 0, [])).page.kind;
  await database.db.run((sql) => sql`update endpoints set is_active = false where id = ${id}`);
  expect(await kindOf()).toBe("inactive");
  await database.db.run(
    (sql) => sql`update endpoints set is_active = true, ordering = 'ordered' where id = ${id}`,
  );
  expect(await kindOf()).toBe("ordered");
  await database.db.run((sql) => sql`delete from mailboxes where endpoint_id = ${id}`);
  expect(await kindOf()).toBe("gone");
});
