import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Database, DatabaseUnavailable } from "../../../src/db/database";
import { arrayOf } from "../../../src/db/sql/arrays";
import { eventIdFrom } from "../../../src/db/sql/event-key";
import { Deliveries } from "../../../src/deliveries/deliveries";
import { matches } from "../../../src/domain/event-filter";
import { type AccountId, type EndpointId, newId } from "../../../src/domain/ids";
import type { FanOut, FanOutResult } from "../../../src/intake/events/fan-out";
import { FanOutCommit } from "../../../src/intake/events/fan-out-commit";
import { GroupCommit, type IntakeOptions } from "../../../src/intake/sends/group-commit";
import { chooseShards } from "../../../src/intake/usage";
import { systemClock } from "../../../src/runtime/clock";
import type { Hint } from "../../../src/stream/hint";
import { untilBlocked } from "../../support/blocked";
import { loseConnection } from "../../support/faults/lost-connection";
import { until } from "../../support/faults/until";
import { filterOf } from "../../support/filter";
import { useDatabase } from "../../support/postgres";

const published: Hint[] = [];

const database = await useDatabase();

function options(): IntakeOptions {
  const onAccepted = (hint: Hint) => published.push(hint);
  const { fanOuts: shard } = chooseShards(Math.random());
  return { db: database.db, clock: systemClock, shard, maxQueued: 10_000, onAccepted };
}

async function makeAccount(webhooksPerMonth: number | null = null): Promise<AccountId> {
  const id = newId("acc");
  await database.db.run(async (sql) => {
    await sql`insert into plans values (${id}, null, ${webhooksPerMonth})`;
    await sql`insert into accounts (id, name, plan) values (${id}, 'test', ${id})`;
  });
  return id;
}

async function makeEndpoints(accountId: AccountId, filters: readonly string[]): Promise<EndpointId[]> {
  const ids = filters.map(() => newId("ep"));
  await database.db.transaction(async (sql) => {
    for (const [i, id] of ids.entries()) {
      await sql`insert into endpoints (id, account_id, url, event_types, signing_secret)
        values (${id}, ${accountId}, 'http://127.0.0.1:9', ${arrayOf(filterOf(filters[i] ?? "*"))}::text[], 'sealed')`;
      await sql`insert into mailboxes (endpoint_id, partition) values (${id}, 3)`;
    }
  });
  return ids;
}

const all = (count: number) => Array<string>(count).fill("*");
const eventOf = (accountId: AccountId, event: string | null = "a.b", data = "{}"): FanOut => ({
  id: eventIdFrom(newId("wh")),
  accountId,
  event,
  orderingKey: null,
  data,
  idempotency: null,
});
const deliveriesOf = (result: FanOutResult) => ("event" in result ? result.event.deliveries : []);
const endpointsOf = (result: FanOutResult) => deliveriesOf(result).map((delivery) => delivery.endpointId);

/** Checks that every endpoint of the account is numbered 1, 2, 3 …, and returns the number of deliveries. */
async function countNumbered(accountId: AccountId): Promise<number> {
  const rows = await database.db.run(
    (sql) => sql<{ sequences: number; last: number; queued: number }[]>`
      select count(d.id) as sequences, m.last_sequence as last,
        (select count(*) from queue q where q.endpoint_id = m.endpoint_id) as queued
      from mailboxes m
      join endpoints e on e.id = m.endpoint_id and e.account_id = ${accountId}
      left join deliveries d on d.endpoint_id = m.endpoint_id
      group by m.endpoint_id, m.last_sequence
      having count(distinct d.sequence) = count(d.id) and coalesce(max(d.sequence), 0) = count(d.id)
    `,
  );
  for (const { sequences, last, queued } of rows) expect([last, queued]).toEqual([sequences, sequences]);
  const [{ count } = { count: -1 }] = await database.db.run(
    (sql) => sql<{ count: number }[]>`select count(*) from endpoints where account_id = ${accountId}`,
  );
  expect(rows).toHaveLength(count);
  return rows.reduce((sum, row) => sum + row.sequences, 0);
}

test("reaches the endpoints that the documented rule of filters gives", async () => {
  const filters = ["*", "a.*", "a.b.*", "a.b", "a", "b.*", "ab.*"];
  const accountId = await makeAccount();
  const ids = await makeEndpoints(accountId, filters);
  const intake = new FanOutCommit(options());
  const word = fc.constantFrom("a", "b", "ab");
  const event = fc.oneof(
    fc.constant(null),
    fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(".")),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 6 }), async (events) => {
      const results = await Promise.all(events.map((each) => intake.accept(eventOf(accountId, each))));
      for (const [i, result] of results.entries()) {
        const wanted = ids.filter((_, at) => matches(filterOf(filters[at] ?? ""), events[i] ?? null));
        expect(endpointsOf(result)).toEqual(wanted);
      }
    }),
    { numRuns: 30 },
  );
  await countNumbered(accountId);
});

test("leaves no gap in the sequences beside sends, over several processes", async () => {
  const accountId = await makeAccount();
  const ids = await makeEndpoints(accountId, all(20));
  const publish = async () => {
    const intake = new FanOutCommit(options());
    const accept = async () => deliveriesOf(await intake.accept(eventOf(accountId))).length;
    let count = 0;
    for (let i = 0; i < 25; i++) count += await accept();
    return count;
  };
  const send = async () => {
    const intake = new GroupCommit({
      ...options(),
      patient: database.open({ size: 1 }),
      commitsAtOnce: 2,
    });
    const sendTo = (endpointId: EndpointId) =>
      intake.accept({ ...eventOf(accountId), id: newId("wh"), endpointId });
    for (let i = 0; i < 25; i++) await Promise.all(ids.map(sendTo));
    return 25 * 20;
  };
  const counts: number[] = await Promise.all([publish(), publish(), publish(), send(), send()]);
  expect(counts).toEqual(Array(5).fill(25 * 20));
  expect(await countNumbered(accountId)).toBe(5 * 25 * 20);
});

test("announces each delivery with its id, sequence and payload", async () => {
  const accountId = await makeAccount();
  await makeEndpoints(accountId, all(3));
  const data = '{"n": 1e400, "s": "\\u0000 \\" \\\\"}';
  const result = await new FanOutCommit(options()).accept(eventOf(accountId, "x", data));
  const messages = published.filter((message) => message.accountId === accountId);
  expect(messages.map(({ id }) => id).toSorted()).toEqual(deliveriesOf(result).map(({ id }) => id));
  for (const message of messages)
    expect(message).toMatchObject({ data, sequence: 1, event: "x", revision: 1 });
});

test("is stored with its results, whichever endpoints want it", async () => {
  const accountId = await makeAccount();
  const [active, held, skipping] = await makeEndpoints(accountId, ["*", "*", "*", "other"]);
  await database.db.run(async (sql) => {
    await sql`update endpoints set is_active = false where id = any(${arrayOf([held ?? "", skipping ?? ""])}::uuid[])`;
    await sql`update endpoints set while_inactive = 'skip' where id = ${skipping ?? ""}`;
  });
  const intake = new FanOutCommit(options());
  const idempotency = { key: "k", fingerprint: Buffer.from("1") };
  const event = () => eventOf(accountId, "a.b", '{"n":1}');
  const keyed = () => ({ ...event(), orderingKey: "o", externalId: "own", idempotency });
  const results = [await intake.accept(keyed()), await intake.accept(keyed())];
  expect(results.map(({ kind }) => kind)).toEqual(["accepted", "replayed"]);
  for (const result of results) {
    if (!("event" in result)) throw new Error(result.kind);
    const { event } = result;
    expect(event).toMatchObject({
      event: "a.b",
      orderingKey: "o",
      externalId: "own",
      skipped: [skipping ?? ""],
    });
    expect<string[]>(endpointsOf(result)).toEqual([active ?? "", held ?? ""]);
    expect<readonly string[]>(event.held).toEqual([event.deliveries[1]?.id ?? ""]);
  }
  await database.db.run(
    (sql) => sql`update endpoints set event_types = '{other}' where account_id = ${accountId}`,
  );
  const unwanted = await intake.accept(eventOf(accountId, null));
  expect(deliveriesOf(unwanted)).toEqual([]);
  const kept = await database.db.run(
    (sql) => sql`
      select event, data, delivery_count, cardinality(inactive) as inactive from events
      where account_id = ${accountId} order by id`,
  );
  expect([...kept]).toEqual([
    { event: "a.b", data: '{"n":1}', delivery_count: 2, inactive: 2 },
    { event: null, data: "{}", delivery_count: 0, inactive: null },
  ]);
});

test("misses no endpoint that stays and reaches none that is deleted, while endpoints come and go", async () => {
  const accountId = await makeAccount();
  const staying = await makeEndpoints(accountId, all(5));
  const intake = new FanOutCommit(options());
  const results: Promise<FanOutResult>[] = [];
  for (let i = 0; i < 40; i++) {
    const [leaving] = await makeEndpoints(accountId, ["*"]);
    results.push(intake.accept(eventOf(accountId)));
    results.push(intake.accept(eventOf(accountId)));
    await database.db.run(
      (sql) => sql`
      with gone as (update endpoints set deleted_at = now() where id = ${leaving ?? ""} returning id)
      delete from mailboxes m using gone where m.endpoint_id = gone.id`,
    );
    const later = await intake.accept(eventOf(accountId));
    expect(endpointsOf(later)).toEqual(staying);
  }
  for (const result of await Promise.all(results)) {
    expect(endpointsOf(result).filter((id) => staying.includes(id))).toEqual(staying);
  }
});

test.each([
  ["is created", "deleted_at = now()", "deleted_at = null"],
  ["gets the type", "event_types = '{b}'", "event_types = '{a.*}'"],
  ["is no longer a feed's", "feed = true", "feed = false"],
  ["is activated", "is_active = false, while_inactive = 'skip'", "is_active = true"],
  ["holds events", "is_active = false, while_inactive = 'skip'", "while_inactive = 'hold'"],
  ["loses its filter", "filter = 'true'", "filter = null"],
])(
  "the first event after an endpoint %s goes to it, though the event type is known",
  async (_, before, after) => {
    const accountId = await makeAccount();
    const [id] = await makeEndpoints(accountId, ["*"]);
    const change = (to: string) =>
      database.db.run((sql) => sql`update endpoints set ${sql.unsafe(to)} where id = ${id ?? ""}`);
    await change(before);
    const intake = new FanOutCommit(options());
    const reached = async () =>
      endpointsOf(await intake.accept({ ...eventOf(accountId), refusedBy: id ? [id] : [] }));
    expect(await reached()).toEqual([]);
    await change(after);
    expect(await reached()).toEqual([id as EndpointId]);
    await change(before);
    expect(await reached()).toEqual([]);
  },
);

test("an event stores its key even if its last endpoint is deleted while it waits", async () => {
  const accountId = await makeAccount();
  const [leaving] = await makeEndpoints(accountId, ["*"]);
  const intake = new FanOutCommit(options());
  const keyed = () => ({ ...eventOf(accountId), idempotency: { key: "k", fingerprint: Buffer.from("1") } });
  const waiting = await database.db.transaction(async (sql) => {
    await sql`update endpoints set deleted_at = now() where id = ${leaving ?? ""}`;
    await sql`delete from mailboxes where endpoint_id = ${leaving ?? ""}`;
    const result = intake.accept(keyed());
    await untilBlocked(database.db);
    return { result };
  });
  expect(await waiting.result).toMatchObject({ kind: "accepted", event: { deliveries: [] } });
  await makeEndpoints(accountId, ["*"]);
  expect(await intake.accept(keyed())).toMatchObject({ kind: "replayed", event: { deliveries: [] } });
  const other = { key: "k", fingerprint: Buffer.from("2") };
  expect(await intake.accept({ ...keyed(), idempotency: other })).toEqual({ kind: "key_conflict" });
});

describe("a key whose 24 hours end while a commit waits", () => {
  type Change = (accountId: AccountId) => Promise<unknown>;
  const idsOf = (result: FanOutResult) => deliveriesOf(result).map(({ id }) => id);

  /** Returns the result of an event with the key of an earlier one, while its commit waits for an endpoint. */
  async function resultOver(change: Change): Promise<{ first: FanOutResult; again: FanOutResult }> {
    const accountId = await makeAccount();
    const [endpointId = ""] = await makeEndpoints(accountId, ["*"]);
    let heldUpMs = 0;
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + heldUpMs };
    const intake = new FanOutCommit({ ...options(), clock });
    const keyed = () => ({ ...eventOf(accountId), idempotency: { key: "k", fingerprint: Buffer.from("1") } });
    const first = await intake.accept(keyed());
    const waiting = await database.db.transaction(async (sql) => {
      await sql`select from mailboxes where endpoint_id = ${endpointId} for update`;
      const result = intake.accept(keyed());
      await untilBlocked(database.db);
      await change(accountId);
      heldUpMs = 60_000;
      return { result };
    });
    return { first, again: await waiting.result };
  }

  test("is still answered as before", async () => {
    const { first, again } = await resultOver((accountId) =>
      database.db.run(
        (sql) => sql`
          update idempotency_keys set created_at = w.began - interval '24 hours' + interval '1 millisecond'
          from (
            select min(xact_start) as began from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'
          ) w
          where account_id = ${accountId}`,
      ),
    );
    expect(again.kind).toBe("replayed");
    expect(idsOf(again)).toEqual(idsOf(first));
  });

  test("is taken again once it is swept: nothing is called accepted that is not", async () => {
    const { first, again } = await resultOver((accountId) =>
      database.db.run((sql) => sql`delete from idempotency_keys where account_id = ${accountId}`),
    );
    expect(again.kind).toBe("accepted");
    expect(endpointsOf(again)).toEqual(endpointsOf(first));
    expect(idsOf(again)).not.toEqual(idsOf(first));
  });
});

describe("the monthly limit", () => {
  test("accepts all deliveries of an event or none, and later events that fit", async () => {
    const accountId = await makeAccount(10);
    await makeEndpoints(accountId, ["*", "*", "*", "*", "small"]);
    const events = ["big", "small", "big", "small", "big"].map((event) => eventOf(accountId, event));
    const intake = new FanOutCommit(options());
    const results = await Promise.all(events.map((each) => intake.accept(each)));
    // 4, 5, then 4 do not fit, 5 neither, 4 neither: one is left.
    expect(results.map((result) => deliveriesOf(result).length)).toEqual([4, 5, 0, 0, 0]);
    expect(results.slice(2).map(({ kind }) => kind)).toEqual(Array(3).fill("over_monthly_limit"));
    expect(await countNumbered(accountId)).toBe(9);
    const other = await makeAccount(10);
    await makeEndpoints(other, ["x", "x", "x", "x", "y", "y"]);
    const mixed = ["x", "x", "x", "y", "x"].map((event) => eventOf(other, event));
    const fitting = await Promise.all(mixed.map((each) => intake.accept(each)));
    expect(fitting.map((result) => deliveriesOf(result).length)).toEqual([4, 4, 0, 2, 0]);
  });
});

describe("the size", () => {
  test("of a payload counts once: all deliveries share the event's", async () => {
    const accountId = await makeAccount();
    await makeEndpoints(accountId, all(100));
    const intake = new FanOutCommit(options());
    const large = JSON.stringify({ x: "y".repeat(1_048_000) });
    const result = await intake.accept(eventOf(accountId, "a", large));
    expect(deliveriesOf(result)).toHaveLength(100);
    const rows = await database.db.run(
      (sql) => sql<{ bytes: number; own: number }[]>`
        select sum(octet_length(v.data)) as bytes,
          (select count(d.data) from deliveries d where d.account_id = v.account_id) as own
        from events v where v.account_id = ${accountId} group by v.account_id`,
    );
    expect([...rows]).toEqual([{ bytes: large.length, own: 0 }]);
    const [first] = deliveriesOf(result);
    const detail = first && (await new Deliveries(database.db).get(accountId, first.id));
    expect(detail?.data ?? null).toBe(large);
  });

  test("of a commit is limited, and the rest keeps its order for the next one", async () => {
    const accountId = await makeAccount();
    const [first] = await makeEndpoints(accountId, all(100));
    const intake = new FanOutCommit(options());
    const results = await Promise.all(
      Array.from({ length: 5 }, (_, n) => intake.accept(eventOf(accountId, "a", JSON.stringify({ n })))),
    );
    expect(results.map((each) => deliveriesOf(each).length)).toEqual(Array(5).fill(100));
    const rows = await database.db.run(
      (sql) => sql<{ n: number; commits: number }[]>`
        select (v.data::json ->> 'n')::integer as n, dense_rank() over (order by d.transaction)::integer as commits
        from deliveries d join events v on v.account_id = d.account_id and v.id < d.id and left(v.id::text, 32) = left(d.id::text, 32)
        where d.endpoint_id = ${first ?? ""} order by d.sequence`,
    );
    expect(rows.map(({ n }) => n)).toEqual([0, 1, 2, 3, 4]);
    expect(rows.at(-1)?.commits).toBeGreaterThan(1);
  });

  test("of the queue is limited, in events and in characters", async () => {
    const accountId = await makeAccount();
    const refusalsOf = async (intake: FanOutCommit, count: number, data: string) => {
      const events = Array.from({ length: count }, () => intake.accept(eventOf(accountId, "a", data)));
      const outcomes = await Promise.allSettled(events);
      return outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason.name] : []));
    };
    expect(await refusalsOf(new FanOutCommit({ ...options(), maxQueued: 3 }), 5, "{}")).toEqual([
      "QueueFull",
      "QueueFull",
    ]);
    const large = JSON.stringify({ x: "y".repeat(16_000_000) });
    expect(await refusalsOf(new FanOutCommit(options()), 5, large)).toEqual(["QueueFull"]);
  });

  test("of one account's events delays no other account: accounts alternate", async () => {
    const [large, small] = [await makeAccount(), await makeAccount()];
    await makeEndpoints(large, all(200));
    await makeEndpoints(small, all(1));
    const intake = new FanOutCommit(options());
    const answered: string[] = [];
    const send = async (name: string, fanOut: FanOut) => {
      await intake.accept(fanOut);
      answered.push(name);
    };
    // A commit holds one of them.
    const [first, ...others] = [1, 2, 3, 4].map((n) => send(`large ${n}`, eventOf(large)));
    await first;
    await Promise.all([...others, send("small", eventOf(small))]);
    expect(answered.filter((name) => name !== "small")).toEqual(["large 1", "large 2", "large 3", "large 4"]);
    expect(answered.indexOf("small")).toBeLessThan(answered.indexOf("large 4"));
  });

  test("of what an account is ahead is limited: its later events wait in order, other accounts' do not", async () => {
    const [fast, other] = [await makeAccount(), await makeAccount()];
    await makeEndpoints(fast, all(2));
    await makeEndpoints(other, all(2));
    const caughtUp = Promise.withResolvers<void>();
    const asked: AccountId[] = [];
    const untilCaughtUp = (accountId: AccountId) => {
      asked.push(accountId);
      return accountId === fast && asked.length === 1 ? caughtUp.promise : null;
    };
    const intake = new FanOutCommit({ ...options(), pace: { untilCaughtUp } });
    await intake.accept(eventOf(fast));
    await until(() => asked.length > 0);
    const answered: string[] = [];
    const accept = async (name: string, account: AccountId) => {
      await intake.accept(eventOf(account));
      answered.push(name);
    };
    const later = [accept("second", fast), accept("third", fast)];
    await accept("other", other);
    expect(answered).toEqual(["other"]);
    const drained = intake.drained();
    caughtUp.resolve();
    await Promise.all([...later, drained]);
    expect(answered).toEqual(["other", "second", "third"]);
    expect(await countNumbered(fast)).toBe(6);
  });

  test("of the search for endpoints is limited too: a commit reads them for a few event types", async () => {
    const accountId = await makeAccount();
    await makeEndpoints(accountId, ["*"]);
    const intake = new FanOutCommit(options());
    const types = Array.from({ length: 12 }, (_, n) => `type.${n}`);
    const results = await Promise.all(types.map((type) => intake.accept(eventOf(accountId, type))));
    const sequences = results.map((result) => deliveriesOf(result).map(({ sequence }) => sequence));
    expect(sequences).toEqual(results.map((_, i) => [i + 1]));
    const rows = await database.db.run(
      (sql) => sql`select distinct transaction from deliveries where account_id = ${accountId}`,
    );
    expect(rows.length).toBeGreaterThan(2);
  });
});

test("reaches its endpoints even after a failover during which nothing was under way", async () => {
  const accountId = await makeAccount(100);
  const endpoints = await makeEndpoints(accountId, all(2));
  const own = database.open({ size: 1 });
  const intake = new FanOutCommit({ ...options(), db: own });
  await intake.accept(eventOf(accountId));
  // The promoted standby lacks these commits.
  await database.db.run((sql) => sql`delete from usage where account_id = ${accountId}`);
  await database.db.run((sql) => sql`delete from event_types where account_id = ${accountId}`);
  await loseConnection(database, own);
  expect(endpointsOf(await intake.accept(eventOf(accountId))).toSorted()).toEqual(endpoints.toSorted());
  const known = await database.db.run(
    (sql) => sql`select name from event_types where account_id = ${accountId}`,
  );
  expect(known.map(({ name }) => name)).toEqual(["a.b"]);
});

describe("an event whose commit waits for a connection while a failover loses the month's usage", () => {
  const LOCK = 2;

  async function outcomesOver(accountId: AccountId, events: readonly FanOut[]) {
    const own = database.open({ size: 1 });
    const intake = new FanOutCommit({ ...options(), db: own });
    await intake.accept(eventOf(accountId));
    const [idle] = await own.transaction((sql) => sql<{ pid: number }[]>`select pg_backend_pid() as pid`);
    const { promise: replaced, resolve } = Promise.withResolvers<void>();
    own.onReplaced = resolve;
    const waiting = await database.db.transaction(async (sql) => {
      await sql`select pg_advisory_xact_lock(${LOCK})`;
      const busy = own.run((other) => other`select pg_advisory_lock(${LOCK})`);
      await untilBlocked(database.db);
      const outcomes = Promise.allSettled(events.map((each) => intake.accept(each)));
      await until(() => intake.queued === 0);
      await database.db.run((other) => other`delete from usage where account_id = ${accountId}`);
      await sql`select pg_terminate_backend(${idle?.pid ?? 0}::integer)`;
      await replaced;
      return { outcomes, busy };
    });
    await waiting.busy;
    return { outcomes: await waiting.outcomes };
  }

  async function readUsed(accountId: AccountId): Promise<number> {
    const [row] = await database.db.run(
      (sql) =>
        sql<{ used: number }[]>`select sum(used)::bigint as used from usage where account_id = ${accountId}`,
    );
    return row?.used ?? 0;
  }

  test.each([
    ["without a key", null],
    ["with a key", { key: "k", fingerprint: Buffer.from("k") }],
  ])("%s is accepted and counted, once", async (_, idempotency) => {
    const accountId = await makeAccount();
    const endpoints = await makeEndpoints(accountId, all(2));
    const event = { ...eventOf(accountId), idempotency };
    const { outcomes } = await outcomesOver(accountId, [event]);
    expect(outcomes.map((each) => each.status === "fulfilled" && endpointsOf(each.value))).toEqual([
      endpoints,
    ]);
    expect(await countNumbered(accountId)).toBe(4);
    expect(await readUsed(accountId)).toBe(2);
  });

  test("is accepted beside others", async () => {
    const [accountId, nobody] = [await makeAccount(), await makeAccount()];
    const endpoints = await makeEndpoints(accountId, all(2));
    const { outcomes } = await outcomesOver(accountId, [eventOf(accountId), eventOf(nobody)]);
    const [first, second] = outcomes.map((each) => each.status === "fulfilled" && endpointsOf(each.value));
    expect(first).toEqual(endpoints);
    expect(second).toEqual([]);
    expect(await countNumbered(accountId)).toBe(4);
  });
});

test("is accepted even if the answer to another one's key can't be read", async () => {
  const accountId = await makeAccount();
  await makeEndpoints(accountId, all(1));
  const keyed = (text: string): FanOut => ({
    ...eventOf(accountId),
    idempotency: { key: "k", fingerprint: Buffer.from(text) },
  });
  const before = new FanOutCommit(options());
  await before.accept(keyed("before"));
  let statements = 0;
  const run: Database["run"] = (work) =>
    ++statements === 7 ? Promise.reject(new DatabaseUnavailable("a test")) : database.db.run(work);
  const intake = new FanOutCommit({ ...options(), db: Object.assign(Object.create(database.db), { run }) });
  const outcomes = await Promise.allSettled([intake.accept(keyed("now")), intake.accept(eventOf(accountId))]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  expect(await countNumbered(accountId)).toBe(2);
});

test("only an accepted event registers its type", async () => {
  const accountId = await makeAccount(4);
  await makeEndpoints(accountId, ["wanted", "wanted", "dear", "dear", "dear"]);
  const intake = new FanOutCommit(options());
  const keyed = (event: string, fingerprint: string): FanOut => ({
    ...eventOf(accountId, event),
    idempotency: { key: "k", fingerprint: Buffer.from(fingerprint) },
  });
  const kinds: string[] = [];
  for (const event of [
    keyed("wanted", "1"),
    keyed("other", "2"),
    eventOf(accountId, "dear"),
    eventOf(accountId, "nobodys"),
  ]) {
    kinds.push((await intake.accept(event)).kind);
  }
  const mixed = await Promise.all([
    intake.accept(keyed("another", "3")),
    intake.accept({ ...keyed("nobody", "4"), idempotency: { key: "new", fingerprint: Buffer.from("4") } }),
  ]);
  expect([...kinds, ...mixed.map(({ kind }) => kind)]).toEqual([
    "accepted",
    "key_conflict",
    "over_monthly_limit",
    "accepted",
    "key_conflict",
    "accepted",
  ]);
  const rows = await database.db.run(
    (sql) => sql<{ name: string }[]>`select name from event_types where account_id = ${accountId} order by 1`,
  );
  expect(rows.map(({ name }) => name)).toEqual(["nobody", "nobodys", "wanted"]);
});

test("an event that Postgres refuses fails no other event", async () => {
  const accountId = await makeAccount();
  await makeEndpoints(accountId, all(2));
  const intake = new FanOutCommit(options());
  const events = [eventOf(accountId), eventOf(accountId, "a", "\u0000"), eventOf(accountId)];
  const results = await Promise.allSettled(events.map((each) => intake.accept(each)));
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(await countNumbered(accountId)).toBe(4);
});
