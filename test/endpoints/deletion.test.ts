import { beforeEach, describe, expect, spyOn, test } from "bun:test";
import { DEFAULT_ACCOUNT } from "../../src/accounts/account";
import { DatabaseUnavailable } from "../../src/db/database";
import { ALL_EVENTS } from "../../src/domain/event-filter";
import { type EndpointId, newId } from "../../src/domain/ids";
import { CHUNK_ROWS } from "../../src/endpoints/deletion";
import { Endpoints } from "../../src/endpoints/endpoint";
import { useDatabase } from "../support/postgres";

const PARTITION = 3;
const vault = { seal: (text: string) => text, open: (text: string) => text };

let id: EndpointId;

const database = await useDatabase();
const endpoints = new Endpoints(database.db, () => PARTITION, vault);

beforeEach(async () => {
  await database.db.run((sql) => sql`truncate queue, deliveries, results, counter_deltas`);
  id = await create();
});

async function create(): Promise<EndpointId> {
  const wanted = { url: "https://example.com", description: null, eventFilter: ALL_EVENTS };
  const { endpoint } = await database.db.transaction((sql) => endpoints.create(sql, DEFAULT_ACCOUNT, wanted));
  return endpoint.id;
}

/** Puts deliveries into an endpoint's queue, every third without an event. */
function enqueue(endpointId: EndpointId, count: number) {
  return database.db.run(
    (sql) => sql`
      with made as (
        insert into deliveries (id, account_id, endpoint_id, sequence, event, data)
        select gen_random_uuid(), ${DEFAULT_ACCOUNT}, ${endpointId}, n, case when n % 3 > 0 then 'order.' || n % 3 end, '{}'
        from generate_series(1, ${count}::integer) n
        returning *
      )
      insert into queue (partition, endpoint_id, sequence, delivery_id, account_id, attempt_count, response_status)
      select ${PARTITION}, endpoint_id, sequence, id, account_id, case when sequence = 1 then 2 else 0 end,
        case when sequence = 1 then 503 end
      from made
    `,
  );
}

async function count(what: "queue" | "results" | "mailboxes"): Promise<number> {
  const [row] = await database.db.run((sql) => sql<{ n: number }[]>`select count(*) as n from ${sql(what)}`);
  return row?.n ?? -1;
}

describe("deleting an endpoint", () => {
  test("happens once", async () => {
    expect(await endpoints.delete(DEFAULT_ACCOUNT, id)).toBe(true);
    expect(await endpoints.delete(DEFAULT_ACCOUNT, id)).toBe(false);
    expect(await endpoints.get(DEFAULT_ACCOUNT, id)).toBeNull();
    expect(await endpoints.update(DEFAULT_ACCOUNT, id, { isActive: false })).toBeNull();
    expect(await endpoints.delete(DEFAULT_ACCOUNT, newId("ep"))).toBe(false);
  });

  test("cancels pending deliveries, and counts them by event type", async () => {
    await enqueue(id, 7);
    await endpoints.delete(DEFAULT_ACCOUNT, id);
    expect(await count("queue")).toBe(0);
    const results = await database.db.run(
      (sql) => sql`
        select status::text, end_reason::text, attempt_count, response_status, count(*)::integer from results
        group by 1, 2, 3, 4 order by 3
      `,
    );
    const cancelled = { status: "cancelled", end_reason: "endpoint_deleted" };
    expect([...results]).toEqual([
      { ...cancelled, attempt_count: 0, response_status: null, count: 6 },
      { ...cancelled, attempt_count: 2, response_status: 503, count: 1 },
    ]);
    const counters = await database.db.run(
      (sql) =>
        sql`select event, sum(cancelled)::integer as cancelled from counter_deltas group by 1 order by 1`,
    );
    expect([...counters]).toEqual([
      { event: "", cancelled: 2 },
      { event: "order.1", cancelled: 3 },
      { event: "order.2", cancelled: 2 },
    ]);
  });

  test("leaves deliveries of other endpoints alone", async () => {
    const other = await create();
    await enqueue(other, 3);
    await enqueue(id, 3);
    await endpoints.delete(DEFAULT_ACCOUNT, id);
    expect(await count("queue")).toBe(3);
  });

  test("cancels more than fit into one statement", async () => {
    await enqueue(id, CHUNK_ROWS * 2 + 10);
    await endpoints.delete(DEFAULT_ACCOUNT, id);
    expect([await count("queue"), await count("results")]).toEqual([0, CHUNK_ROWS * 2 + 10]);
  });

  test("notifies the dispatchers, and returns within its time limit: the rest is cancelled later", async () => {
    const reported: unknown[] = [];
    const others = new Endpoints(
      database.db,
      () => PARTITION,
      vault,
      (queue) => reported.push(queue),
    );
    await enqueue(id, CHUNK_ROWS + 10);
    // The clock advances 10 s each time it is read.
    let now = 0;
    const time = spyOn(performance, "now").mockImplementation(() => (now += 10_000));
    const deleted = await others.delete(DEFAULT_ACCOUNT, id).finally(() => time.mockRestore());
    expect([deleted, reported]).toEqual([true, [{ partition: PARTITION, endpointId: id }]]);
    expect(await count("queue")).toBe(10);
    await others.cancelLeftovers();
    expect(await count("queue")).toBe(0);
  });

  test("has happened even if Postgres is down before every delivery is cancelled", async () => {
    await enqueue(id, 3);
    const { db } = database;
    const run = db.run.bind(db);
    const marking = spyOn(db, "run").mockImplementationOnce(async (work, timeoutMs) => {
      const marked = await run(work, timeoutMs);
      marking.mockRejectedValueOnce(new DatabaseUnavailable("a test"));
      return marked;
    });
    expect(await endpoints.delete(DEFAULT_ACCOUNT, id).finally(() => marking.mockRestore())).toBe(true);
    expect([await endpoints.get(DEFAULT_ACCOUNT, id), await count("queue")]).toEqual([null, 3]);
    await endpoints.cancelLeftovers();
    expect(await count("queue")).toBe(0);
  });

  test("waits for sends that are under way, and cancels their deliveries too", async () => {
    const sent = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const sending = database.db.transaction(async (sql) => {
      await sql`select from mailboxes where endpoint_id = ${id} for update`;
      locked.resolve();
      await sent.promise;
      await sql`
        insert into queue (partition, endpoint_id, sequence, delivery_id, account_id)
        values (${PARTITION}, ${id}, 1, ${newId("wh")}, ${DEFAULT_ACCOUNT})
      `;
    });
    await locked.promise;
    const deleting = endpoints.delete(DEFAULT_ACCOUNT, id);
    const first = await Promise.race([deleting.then(() => "deleted"), Bun.sleep(200).then(() => "waiting")]);
    expect(first).toBe("waiting");
    sent.resolve();
    await sending;
    expect(await deleting).toBe(true);
    expect([await count("queue"), await count("results")]).toEqual([0, 1]);
  });

  /** Deletes the head of the queue in a transaction that commits on request, as the recorder does. */
  async function openRecord() {
    const mayCommit = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const done = database.db.transaction(async (sql) => {
      const [row] = await sql`
        delete from queue where partition = ${PARTITION} and endpoint_id = ${id} and sequence = 1
        returning delivery_id
      `;
      locked.resolve();
      await mayCommit.promise;
      await sql`
        insert into results (delivery_id, account_id, endpoint_id, status, attempt_count, completed_at)
        values (${row?.delivery_id}, ${DEFAULT_ACCOUNT}, ${id}, 'delivered', 1, now())
      `;
    });
    await locked.promise;
    return () => {
      mayCommit.resolve();
      return done;
    };
  }

  test("and a concurrent record end a delivery only once", async () => {
    await enqueue(id, 1);
    const commit = await openRecord();
    const deleting = endpoints.delete(DEFAULT_ACCOUNT, id);
    await Bun.sleep(50);
    await Promise.all([commit(), deleting]);
    const results = await database.db.run((sql) => sql`select status::text from results`);
    expect([...results]).toEqual([{ status: "delivered" }]);
  });

  test("continues to the end, even if a delivery of a chunk is recorded meanwhile", async () => {
    await enqueue(id, CHUNK_ROWS + 5);
    const commit = await openRecord();
    const deleting = endpoints.delete(DEFAULT_ACCOUNT, id);
    await Bun.sleep(100);
    await Promise.all([commit(), deleting]);
    expect([await count("queue"), await count("results")]).toEqual([0, CHUNK_ROWS + 5]);
  });
});

describe("a deletion that was interrupted", () => {
  beforeEach(async () => {
    await enqueue(id, 5);
    await database.db.run((sql) => sql`update endpoints set deleted_at = now() where id = ${id}`);
    await database.db.run((sql) => sql`delete from mailboxes where endpoint_id = ${id}`);
  });

  test("is finished later", async () => {
    await endpoints.cancelLeftovers();
    expect([await count("queue"), await count("results")]).toEqual([0, 5]);
  });

  test("is finished once by many processes that try at the same time", async () => {
    await Promise.all([1, 2, 3].map(() => endpoints.cancelLeftovers()));
    expect(await count("results")).toBe(5);
    const [row] = await database.db.run(
      (sql) => sql`select sum(cancelled)::integer as cancelled from counter_deltas`,
    );
    expect(row?.cancelled).toBe(5);
  });

  test("leaves no secret behind", async () => {
    await database.db.run(
      (sql) => sql`
        update endpoints set earlier_secrets = '[{"sealed": "x", "until": 9e12}]', headers = '{"x": {"sealed": "y"}}'
        where id = ${id}`,
    );
    await endpoints.cancelLeftovers();
    const left = await database.db.run(
      (sql) => sql`
        select from endpoints where deleted_at is not null
          and (signing_secret <> '' or earlier_secrets is not null or headers is not null)`,
    );
    expect(left).toHaveLength(0);
  });
});
