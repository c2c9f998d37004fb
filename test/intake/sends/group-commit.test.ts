import { describe, expect, test } from "bun:test";
import type { Database } from "../../../src/db/database";
import { arrayOf } from "../../../src/db/sql/arrays";
import { foldCounterDeltas } from "../../../src/deliveries/counter-deltas";
import { readCounts } from "../../../src/deliveries/counts";
import { type AccountId, type EndpointId, newId } from "../../../src/domain/ids";
import type { QueueKey } from "../../../src/domain/partition";
import { Endpoints } from "../../../src/endpoints/endpoint";
import type { NewDelivery, SendResult } from "../../../src/intake/new-delivery";
import { GroupCommit, type GroupCommitOptions } from "../../../src/intake/sends/group-commit";
import { chooseShards } from "../../../src/intake/usage";
import { systemClock } from "../../../src/runtime/clock";
import type { Hint } from "../../../src/stream/hint";
import { untilBlocked } from "../../support/blocked";
import { failing } from "../../support/failing";
import { loseConnection } from "../../support/faults/lost-connection";
import { filterOf } from "../../support/filter";
import { useDatabase } from "../../support/postgres";
import { undoneOnceOver } from "../../support/undone";

const PARTITION = 3;

const published: Hint[] = [];

const database = await useDatabase();
const account = await makeAccount("unlimited");

function intake({
  own = openOwn(),
  patient = database.open({ size: 1 }),
  shard = chooseShards(Math.random()).sends,
  maxQueued = 10_000,
  clock = systemClock,
  commitsAtOnce = 2,
}: Partial<GroupCommitOptions> & { own?: Database } = {}): GroupCommit {
  const onAccepted = (hint: Hint) => published.push(hint);
  return new GroupCommit({ db: own, patient, clock, shard, commitsAtOnce, maxQueued, onAccepted });
}

function openOwn(): Database {
  return database.open({ size: 1, depth: 2 });
}

async function makeAccount(plan: string): Promise<AccountId> {
  const id = newId("acc");
  await database.db.run((sql) => sql`insert into accounts (id, name, plan) values (${id}, 'test', ${plan})`);
  return id;
}

async function makeEndpoint(accountId: AccountId, filter = "*"): Promise<EndpointId> {
  const id = newId("ep");
  await database.db.run(async (sql) => {
    await sql`insert into endpoints (id, account_id, url, event_types, signing_secret)
      values (${id}, ${accountId}, 'http://127.0.0.1:9', ${arrayOf(filterOf(filter))}::text[], 'sealed')`;
    await sql`insert into mailboxes (endpoint_id, partition) values (${id}, ${PARTITION})`;
  });
  return id;
}

function send(endpointId: EndpointId, changes: Partial<NewDelivery> = {}): NewDelivery {
  return {
    id: newId("wh"),
    accountId: account,
    endpointId,
    event: "user.created",
    orderingKey: null,
    data: "{}",
    idempotency: null,
    ...changes,
  };
}

function key(name: string, body = "same"): NewDelivery["idempotency"] {
  return { key: name, fingerprint: new Bun.CryptoHasher("sha256").update(body).digest() };
}

async function sequencesOf(endpointId: EndpointId): Promise<(number | null)[]> {
  const rows = await database.db.run(
    (sql) => sql<{ sequence: number | null }[]>`
      select sequence from deliveries where endpoint_id = ${endpointId} order by sequence`,
  );
  return rows.map((row) => row.sequence);
}

const acceptedOf = (results: SendResult[]) =>
  results.flatMap((result) => (result.kind === "accepted" ? [result.delivery] : []));

describe("sequences", () => {
  test("are 1, 2, 3 … without gaps over concurrent commits of two processes", async () => {
    const endpoints = await Promise.all([1, 2, 3].map(() => makeEndpoint(account)));
    const intakes = [intake(), intake()];
    const sends = Array.from({ length: 600 }, (_, i) => {
      const endpoint = endpoints[i % 3] as EndpointId;
      return (intakes[i % 2] as GroupCommit).accept(send(endpoint));
    });
    expect(acceptedOf(await Promise.all(sends))).toHaveLength(600);
    for (const endpoint of endpoints) {
      expect(await sequencesOf(endpoint)).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
    }
  });

  test("follow the order in which one sender's sends were answered", async () => {
    const endpoint = await makeEndpoint(account);
    const one = intake();
    const given: (number | null)[] = [];
    for (let i = 0; i < 20; i++) {
      for (const delivery of acceptedOf([await one.accept(send(endpoint))])) given.push(delivery.sequence);
    }
    expect(given).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
  });

  /** Causes that may delay the first of two commits, besides the sends in them. */
  const hindrances = {
    nothing: () => [],
    "an account that is new": async (process: GroupCommit) => {
      const other = await makeAccount("unlimited");
      return [process.accept(send(await makeEndpoint(other), { accountId: other }))];
    },
    "a send that Postgres refuses": async (process: GroupCommit, endpoint: EndpointId) => [
      process.accept(send(endpoint, { data: "\0" })).catch(() => null),
    ],
  };
  test.each(Object.entries(hindrances))("follow the order of arrival, beside %s", async (_, hinder) => {
    const endpoint = await makeEndpoint(account);
    const process = intake();
    for (let i = 0; i < 3; i++) await process.accept(send(endpoint));
    const beside = await hinder(process, endpoint);
    const results = await Promise.all(Array.from({ length: 1_200 }, () => process.accept(send(endpoint))));
    await Promise.all(beside);
    const sequences = acceptedOf(results).map(({ sequence }) => sequence);
    expect(sequences).toEqual(Array.from({ length: 1_200 }, (_, i) => i + 4));
  });

  test("are not used for excluded sends, which are recorded as cancelled", async () => {
    const endpoint = await makeEndpoint(account, "user.*");
    const events = ["user.created", "order.paid", null, "user", "user.a.b"];
    const one = intake();
    const results = await Promise.all(events.map((event) => one.accept(send(endpoint, { event }))));
    expect(acceptedOf(results).map((delivery) => delivery.sequence)).toEqual([1, null, null, null, 2]);
    const cancelled = await database.db.run(
      (sql) => sql`
        select r.end_reason from results r join deliveries d on d.id = r.delivery_id
        where d.endpoint_id = ${endpoint} and r.status = 'cancelled'`,
    );
    expect(cancelled.map((row) => row.end_reason)).toEqual(Array(3).fill("event_filter"));
    const reported = published.filter(({ endpointId }) => endpointId === endpoint);
    expect(reported.map(({ sequence }) => sequence)).toEqual([1, 2]);
  });
});

test("excluded sends count as cancelled, for the account and for the event type", async () => {
  const mine = await makeAccount("unlimited");
  const endpoint = await makeEndpoint(mine, "user.*");
  const one = intake();
  for (const event of ["user.created", "order.paid", "order.paid"]) {
    await one.accept(send(endpoint, { accountId: mine, event }));
  }
  const counts = (event?: string) => database.db.run((sql) => readCounts(sql, mine, event));
  expect(await counts()).toMatchObject({ total: 3, cancelled: 2, pending: 1 });
  expect(await counts("order.paid")).toMatchObject({ total: 2, cancelled: 2, pending: 0 });
});

describe("an accepted send", () => {
  test("is announced after its commit, byte for byte", async () => {
    const endpoint = await makeEndpoint(account);
    const data = '{"n": 12345678901234567890, "s":"\\u00e9\\ud83d\\ude00 \\\\ \\"", "t":\t[1e400]}';
    const [delivery] = acceptedOf([await intake().accept(send(endpoint, { data }))]);
    const message = published.find((each) => each.id === delivery?.id);
    expect(message).toMatchObject({ data, sequence: 1, revision: 1, endpointId: endpoint });
    const [row] = await database.db.run(
      (sql) => sql`select data from deliveries where id = ${message?.id ?? ""}`,
    );
    expect(row?.data).toBe(data);
  });

  test("is counted exactly, per event type", async () => {
    const mine = await makeAccount("unlimited");
    const endpoint = await makeEndpoint(mine, "a.*");
    const one = intake();
    const events = ["a.x", "a.x", "a.y", "b.z", null];
    await Promise.all(events.map((event) => one.accept(send(endpoint, { accountId: mine, event }))));
    await database.db.run(foldCounterDeltas);
    const counts = await database.db.run(
      (sql) => sql`select event, accepted, cancelled from counters where account_id = ${mine} order by event`,
    );
    expect(counts.map(({ event, accepted, cancelled }) => [event, accepted, cancelled])).toEqual([
      ["", 1, 1],
      ["a.x", 2, 0],
      ["a.y", 1, 0],
      ["b.z", 1, 1],
    ]);
    const types = await database.db.run(
      (sql) => sql`select name from event_types where account_id = ${mine} order by 1`,
    );
    expect(types.map((row) => row.name)).toEqual(["a.x", "a.y", "b.z"]);
  });

  test('registers the event type "null" even after a send without a type', async () => {
    const mine = await makeAccount("unlimited");
    const endpoint = await makeEndpoint(mine);
    const one = intake();
    for (const event of [null, "null"]) await one.accept(send(endpoint, { accountId: mine, event }));
    const types = await database.db.run(
      (sql) => sql`select name from event_types where account_id = ${mine}`,
    );
    expect(types.map((row) => row.name)).toEqual(["null"]);
  });

  test("never goes to another account's endpoint, or to a deleted one", async () => {
    const stranger = await makeAccount("unlimited");
    const endpoint = await makeEndpoint(account);
    expect(await intake().accept(send(endpoint, { accountId: stranger }))).toEqual({
      kind: "unknown_endpoint",
    });
    await database.db.run((sql) => sql`delete from mailboxes where endpoint_id = ${endpoint}`);
    expect(await intake().accept(send(endpoint))).toEqual({ kind: "unknown_endpoint" });
    expect(await sequencesOf(endpoint)).toEqual([]);
  });

  test("comes behind everything that the account's earlier servers accepted", async () => {
    const mine = await makeAccount("unlimited");
    const endpoint = await makeEndpoint(mine);
    await database.db.run((sql) => sql`update accounts set era = 2 where id = ${mine}`);
    await intake().accept(send(endpoint, { accountId: mine }));
    const [row] = await database.db.run(
      (sql) => sql<{ isBehind: boolean; isOwn: boolean }[]>`
        select transaction > stamp(1::smallint, ((1::bigint << 48) - 1)::text::xid8) as "isBehind",
          transaction < stamp(2::smallint, pg_snapshot_xmax(pg_current_snapshot())) as "isOwn"
        from deliveries where account_id = ${mine}`,
    );
    expect(row).toEqual({ isBehind: true, isOwn: true });
  });

  test("does not fail if Postgres refuses another send of its batch", async () => {
    const endpoint = await makeEndpoint(account);
    const one = intake();
    const results = await Promise.allSettled([
      one.accept(send(endpoint)),
      one.accept(send(endpoint, { data: "\u0000" })),
      one.accept(send(endpoint)),
    ]);
    expect(results.map((each) => each.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await sequencesOf(endpoint)).toEqual([1, 2]);
  });
});

describe("idempotency keys", () => {
  test("make one delivery of concurrent equal requests, in one process and in two", async () => {
    const endpoint = await makeEndpoint(account);
    const intakes = [intake(), intake()];
    const twins = Array.from({ length: 20 }, (_, i) =>
      (intakes[i % 2] as GroupCommit).accept(send(endpoint, { idempotency: key("twins") })),
    );
    const results = await Promise.all(twins);
    const kinds = results.map((result) => result.kind).sort();
    expect(kinds).toEqual(["accepted", ...Array(19).fill("replayed")]);
    const ids = new Set(results.map((result) => ("delivery" in result ? result.delivery.id : null)));
    expect(ids.size).toBe(1);
    expect(await sequencesOf(endpoint)).toEqual([1]);
  });

  test("conflict when the request differs", async () => {
    const endpoint = await makeEndpoint(account);
    const one = intake();
    await one.accept(send(endpoint, { idempotency: key("differs") }));
    const other = await one.accept(send(endpoint, { idempotency: key("differs", "other") }));
    expect(other).toEqual({ kind: "key_conflict" });
  });

  test("are free again after a refusal, and after 24 hours", async () => {
    const endpoint = await makeEndpoint(account);
    const one = intake();
    const refused = await one.accept(send(newId("ep"), { idempotency: key("free") }));
    expect(refused.kind).toBe("unknown_endpoint");
    expect((await one.accept(send(endpoint, { idempotency: key("free") }))).kind).toBe("accepted");
    await database.db.run(
      (sql) => sql`update idempotency_keys set created_at = now() - interval '25 hours' where key = 'free'`,
    );
    expect((await one.accept(send(endpoint, { idempotency: key("free", "new") }))).kind).toBe("accepted");
  });

  test("are valid if they were when a commit began, even if their 24 hours end while it waits", async () => {
    const endpointId = await makeEndpoint(account);
    const daily = () => send(endpointId, { idempotency: key("daily") });
    let heldUpMs = 0;
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + heldUpMs };
    const subject = intake({ clock });
    const [first] = acceptedOf([await subject.accept(daily())]);
    const waiting = await database.db.transaction(async (sql) => {
      await sql`select from mailboxes where endpoint_id = ${endpointId} for update`;
      const result = subject.accept(daily());
      await untilBlocked(database.db);
      await database.db.run(
        (other) => other`
          update idempotency_keys set created_at = w.began - interval '24 hours' + interval '1 millisecond'
          from (
            select min(xact_start) as began from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'
          ) w
          where account_id = ${account} and key = 'daily'`,
      );
      heldUpMs = 60_000;
      return { result };
    });
    expect(await waiting.result).toMatchObject({ kind: "replayed", delivery: { id: first?.id ?? "none" } });
  });

  test("are replayed although the endpoint is gone", async () => {
    const endpoint = await makeEndpoint(account);
    const one = intake();
    await one.accept(send(endpoint, { idempotency: key("gone") }));
    await database.db.run((sql) => sql`delete from mailboxes where endpoint_id = ${endpoint}`);
    expect((await one.accept(send(endpoint, { idempotency: key("gone") }))).kind).toBe("replayed");
  });
});

describe("endpoints that an intake has cached", () => {
  /** Makes an intake that has accepted enough for these endpoints to cache them. */
  async function acquainted(endpoints: readonly EndpointId[], own = openOwn()): Promise<GroupCommit> {
    const one = intake({ own });
    for (let i = 0; i < 3; i++) await Promise.all(endpoints.map((each) => one.accept(send(each))));
    return one;
  }

  function setFilter(
    id: EndpointId,
    filter: string,
    onChanged?: (queue: QueueKey) => void,
  ): Promise<unknown> {
    const vault = { seal: (text: string) => text, open: (text: string) => text };
    return new Endpoints(database.db, () => PARTITION, vault, onChanged).update(account, id, {
      eventFilter: filterOf(filter),
    });
  }

  /** Counts the transactions rolled back so far, once this database's connections are closed. */
  async function undoneBy(used: Database): Promise<number> {
    const [connection] = await used.run((sql) => sql<{ pid: number }[]>`select pg_backend_pid() as pid`);
    await used.close();
    return database.db.run((sql) => undoneOnceOver(sql, connection ? [connection.pid] : []));
  }

  test("are not read again", async () => {
    const endpoint = await makeEndpoint(account);
    const one = await acquainted([endpoint]);
    await database.db.transaction(async (sql) => {
      await sql`lock table endpoints in access exclusive mode`;
      expect(await one.accept(send(endpoint))).toMatchObject({ delivery: { sequence: 4 } });
    });
  });

  test("are cached by the first send to them", async () => {
    const [endpoint, one] = [await makeEndpoint(account), intake()];
    await one.accept(send(endpoint));
    await database.db.transaction(async (sql) => {
      await sql`lock table endpoints in access exclusive mode`;
      expect(await one.accept(send(endpoint))).toMatchObject({ delivery: { sequence: 2 } });
    });
  });

  test("are not cached by a send that waited for them to change", async () => {
    const [endpoint, one] = [await makeEndpoint(account), intake()];
    await one.accept(send(await makeEndpoint(account)));
    let waited: Promise<SendResult> | null = null;
    await database.db.transaction(async (sql) => {
      await sql`update endpoints set event_types = '{order.*}' where id = ${endpoint}`;
      await sql`update mailboxes set filter_revision = filter_revision + 1 where endpoint_id = ${endpoint}`;
      waited = one.accept(send(endpoint));
      await untilBlocked(database.db);
    });
    await waited;
    expect(await one.accept(send(endpoint))).toMatchObject({ delivery: { sequence: null } });
  });

  test("are found changed by the next send, even beside others", async () => {
    const [endpoint, other] = [await makeEndpoint(account), await makeEndpoint(account)];
    const one = await acquainted([endpoint, other]);
    await setFilter(endpoint, "order.*");
    const both = await Promise.all([one.accept(send(endpoint)), one.accept(send(other))]);
    expect(acceptedOf(both).map(({ sequence }) => sequence)).toEqual([null, 4]);
    await setFilter(endpoint, "*");
    expect(await one.accept(send(endpoint))).toMatchObject({ delivery: { sequence: 4 } });
    await database.db.run((sql) => sql`delete from mailboxes where endpoint_id = ${endpoint}`);
    const late = await Promise.all([one.accept(send(endpoint)), one.accept(send(other))]);
    expect(late.map(({ kind }) => kind)).toEqual(["unknown_endpoint", "accepted"]);
  });

  test("are dropped, with event types, after an outage of Postgres, since the next server may lack commits", async () => {
    const endpoint = await makeEndpoint(account);
    const event = crypto.randomUUID();
    const failures: "away"[] = [];
    const one = intake({ own: failing(openOwn(), failures) });
    for (let i = 0; i < 3; i++) await one.accept(send(endpoint, { event }));
    await database.db.run((sql) => sql`delete from event_types where name = ${event}`);
    failures.push("away");
    await expect(one.accept(send(endpoint, { event }))).rejects.toThrow("unreachable");
    expect(await one.accept(send(endpoint, { event }))).toMatchObject({ delivery: { sequence: 4 } });
    expect(await database.db.run((sql) => sql`select from event_types where name = ${event}`)).toHaveLength(
      1,
    );
    // A revision that is used again, for another filter.
    await one.accept(send(endpoint, { event: null }));
    await database.db.run((sql) => sql`update endpoints set event_types = '{other}' where id = ${endpoint}`);
    failures.push("away");
    await expect(one.accept(send(endpoint, { event: null }))).rejects.toThrow("unreachable");
    expect(await one.accept(send(endpoint, { event: null }))).toMatchObject({ delivery: { sequence: null } });
  });

  test("are dropped even if nothing was under way, and so is the month's counter", async () => {
    await database.db.run((sql) => sql`insert into plans values ('limited', null, 100)`);
    const accountId = await makeAccount("limited");
    const endpoint = await makeEndpoint(accountId);
    const own = openOwn();
    const one = intake({ own });
    const event = crypto.randomUUID();
    await one.accept(send(endpoint, { accountId, event }));
    await database.db.run((sql) => sql`delete from usage where account_id = ${accountId}`);
    await database.db.run((sql) => sql`delete from event_types where account_id = ${accountId}`);
    await loseConnection(database, own);
    expect(await one.accept(send(endpoint, { accountId, event }))).toMatchObject({ kind: "accepted" });
    const known = await database.db.run(
      (sql) => sql`select from event_types where account_id = ${accountId}`,
    );
    expect(known).toHaveLength(1);
  });

  test("are dropped without a lost connection too, if the month's counter is missing", async () => {
    await database.db.run(
      (sql) => sql`insert into plans values ('limited', null, 100) on conflict do nothing`,
    );
    const accountId = await makeAccount("limited");
    const endpoint = await makeEndpoint(accountId);
    const one = intake();
    await one.accept(send(endpoint, { accountId }));
    await database.db.run((sql) => sql`delete from usage where account_id = ${accountId}`);
    expect(await one.accept(send(endpoint, { accountId }))).toMatchObject({ kind: "accepted" });
  });

  test("stay cached if a send waits too long for another endpoint's lock", async () => {
    const [endpoint, locked] = [await makeEndpoint(account), await makeEndpoint(account)];
    const one = intake({
      own: database.open({ size: 1, depth: 2 }, { lock_timeout: "100ms" }),
      patient: database.open({ size: 1 }, { statement_timeout: "300ms" }),
    });
    await Promise.all([one.accept(send(endpoint)), one.accept(send(locked))]);
    await database.db.transaction(async (sql) => {
      await sql`select from mailboxes where endpoint_id = ${locked} for update`;
      await expect(one.accept(send(locked))).rejects.toThrow("statement timeout");
    });
    await database.db.transaction(async (sql) => {
      await sql`lock table endpoints in access exclusive mode`;
      expect(await one.accept(send(endpoint))).toMatchObject({ delivery: { sequence: 2 } });
    });
  });

  test("cause no error in Postgres' log if their change was announced", async () => {
    const undone: number[] = [];
    for (const isAnnounced of [true, false]) {
      const [endpoint, other] = [await makeEndpoint(account), await makeEndpoint(account)];
      const own = openOwn();
      const one = await acquainted([endpoint, other], own);
      const before = await undoneBy(openOwn());
      await setFilter(
        endpoint,
        "order.*",
        isAnnounced ? (queue) => one.endpointChanged(queue.endpointId) : undefined,
      );
      const both = await Promise.all([one.accept(send(endpoint)), one.accept(send(other))]);
      expect(acceptedOf(both).map(({ sequence }) => sequence)).toEqual([null, 4]);
      undone.push((await undoneBy(own)) - before);
    }
    expect(undone).toEqual([0, 1]);
  });

  test("are not used for another account", async () => {
    const endpoint = await makeEndpoint(account);
    const one = await acquainted([endpoint]);
    const stranger = await makeAccount("unlimited");
    const results = [one.accept(send(endpoint, { accountId: stranger })), one.accept(send(endpoint))];
    expect((await Promise.all(results)).map(({ kind }) => kind)).toEqual(["unknown_endpoint", "accepted"]);
  });

  test("keep their order without gaps while they change under the sends of two processes", async () => {
    const endpoints = await Promise.all([1, 2, 3].map(() => makeEndpoint(account)));
    const intakes = [intake(), intake()];
    let isOver = false;
    const changes = (async () => {
      for (let i = 0; !isOver; i++) {
        await setFilter(endpoints[i % 3] as EndpointId, i % 2 ? "order.*" : "*");
        await Bun.sleep(2);
      }
    })();
    const sender = async (one: GroupCommit) => {
      const results: SendResult[] = [];
      for (let i = 0; i < 60; i++) {
        const many = endpoints.flatMap((endpoint) => [
          one.accept(send(endpoint)),
          one.accept(send(endpoint)),
        ]);
        results.push(...(await Promise.all(many)));
      }
      return results;
    };
    const results = (await Promise.all(intakes.map(sender))).flat();
    isOver = true;
    await changes;
    const accepted = acceptedOf(results);
    expect(accepted).toHaveLength(720);
    for (const endpoint of endpoints) {
      const numbers = (await sequencesOf(endpoint)).filter((each) => each !== null);
      expect(numbers).toEqual(numbers.map((_, i) => i + 1));
      const answered = accepted.filter((each) => each.endpointId === endpoint && each.sequence !== null);
      expect(answered).toHaveLength(numbers.length);
    }
  });
});

describe("the monthly limit", () => {
  test("is exact under concurrent commits of two processes", async () => {
    const name = `limited-${newId("acc")}`;
    await database.db.run((sql) => sql`insert into plans values (${name}, null, 100)`);
    const mine = await makeAccount(name);
    const endpoint = await makeEndpoint(mine);
    const intakes = [intake(), intake()];
    const sends = Array.from({ length: 300 }, (_, i) =>
      (intakes[i % 2] as GroupCommit).accept(send(endpoint, { accountId: mine })),
    );
    const results = await Promise.all(sends);
    expect(acceptedOf(results)).toHaveLength(100);
    expect(results.filter((each) => each.kind === "over_monthly_limit")).toHaveLength(200);
    expect(await sequencesOf(endpoint)).toHaveLength(100);
    const [usage] = await database.db.run(
      (sql) => sql`select sum(used)::integer as used from usage where account_id = ${mine}`,
    );
    expect(usage?.used).toBe(100);
  });

  test("holds from the moment that an account has one, counts earlier sends, and ends with it", async () => {
    const plan = async (limit: number | null) => {
      const name = `plan-${newId("acc")}`;
      await database.db.run((sql) => sql`insert into plans values (${name}, null, ${limit})`);
      await database.db.run((sql) => sql`update accounts set plan = ${name} where id = ${mine}`);
    };
    const mine = await makeAccount("unlimited");
    const endpoint = await makeEndpoint(mine);
    const others = await makeEndpoint(account);
    const one = intake();
    const sendMany = (count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, i) => [
          one.accept(
            send(endpoint, { accountId: mine, idempotency: i % 2 ? key(crypto.randomUUID()) : null }),
          ),
          one.accept(send(others)),
        ]).flat(),
      );
    const kinds = (results: SendResult[]) => results.map(({ kind }) => kind);
    expect(kinds(await sendMany(2))).toEqual(Array(4).fill("accepted"));
    await plan(5);
    const mixed = await sendMany(5);
    expect(kinds(mixed.filter((_, i) => i % 2 === 1))).toEqual(Array(5).fill("accepted"));
    expect(kinds(mixed.filter((_, i) => i % 2 === 0))).toEqual([
      ...Array(3).fill("accepted"),
      ...Array(2).fill("over_monthly_limit"),
    ]);
    expect(mixed.at(-2)).toEqual({ kind: "over_monthly_limit", limit: 5 });
    await plan(null);
    expect(kinds(await sendMany(4))).toEqual(Array(8).fill("accepted"));
    await plan(10);
    expect(kinds(await sendMany(2)).filter((kind) => kind === "over_monthly_limit")).toHaveLength(1);
    expect(await sequencesOf(endpoint)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const [usage] = await database.db.run(
      (sql) => sql`select sum(used)::integer as used from usage where account_id = ${mine}`,
    );
    expect(usage?.used).toBe(10);
  });
});

test("a month begins with its first moment in UTC, and the usage of the one before no longer counts", async () => {
  const name = `limited-${newId("acc")}`;
  await database.db.run((sql) => sql`insert into plans values (${name}, null, 1)`);
  const mine = await makeAccount(name);
  const endpoint = await makeEndpoint(mine);
  const begin = Date.UTC(2031, 1, 1);
  let now = begin - 1;
  const one = intake({ clock: { ...systemClock, now: () => now } });
  const accept = async () => (await one.accept(send(endpoint, { accountId: mine }))).kind;
  expect([await accept(), await accept()]).toEqual(["accepted", "over_monthly_limit"]);
  now = begin;
  expect([await accept(), await accept()]).toEqual(["accepted", "over_monthly_limit"]);
});

test("an intake does not wait for another one's count", async () => {
  const [ours, theirs] = [
    intake({ shard: chooseShards(0).sends }),
    intake({ shard: chooseShards(0.5).sends }),
  ];
  const [first, second] = [await makeEndpoint(account), await makeEndpoint(account)];
  await Promise.all([ours.accept(send(first)), theirs.accept(send(second))]);
  await database.db.transaction(async (sql) => {
    const shard = chooseShards(0.5).sends;
    await sql`select from usage where account_id = ${account} and shard = ${shard} for update`;
    const late = theirs.accept(send(second)).then(() => "late");
    expect(await Promise.race([ours.accept(send(first)), late])).toMatchObject({ kind: "accepted" });
  });
});

test("a full queue refuses, and keeps what it accepted", async () => {
  const endpoint = await makeEndpoint(account);
  const small = intake({ maxQueued: 3 });
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => small.accept(send(endpoint))));
  const refusals = outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason.name] : []));
  expect(refusals).toEqual(["QueueFull", "QueueFull"]);
  expect(await sequencesOf(endpoint)).toEqual([1, 2, 3]);
  // The rows that the sweep finds.
  const queued = await database.db.run(
    (sql) => sql`select 1 from queue where endpoint_id = any(${arrayOf([endpoint])}::uuid[])`,
  );
  expect(queued).toHaveLength(3);
});

describe("an account that sends more than can be accepted", () => {
  test("does not delay the others", async () => {
    const [endpoint, other] = [await makeEndpoint(account), await makeAccount("unlimited")];
    const others = await makeEndpoint(other);
    const shared = intake();
    let flooded = 0;
    const flood = Array.from({ length: 3_000 }, () => shared.accept(send(endpoint)).then(() => flooded++));
    await shared.accept(send(others, { accountId: other }));
    expect(flooded).toBeLessThan(1_500);
    await Promise.all(flood);
    expect(await sequencesOf(endpoint)).toEqual(Array.from({ length: 3_000 }, (_, i) => i + 1));
  });

  test("is refused before them", async () => {
    const [endpoint, other] = [await makeEndpoint(account), await makeAccount("unlimited")];
    const others = await makeEndpoint(other);
    const small = intake({ maxQueued: 20 });
    const flood = Array.from({ length: 50 }, () => small.accept(send(endpoint)));
    const taken = Array.from({ length: 5 }, () => small.accept(send(others, { accountId: other })));
    const outcomes = await Promise.allSettled(flood);
    expect(await Promise.all(taken)).toHaveLength(5);
    expect(await sequencesOf(others)).toEqual([1, 2, 3, 4, 5]);
    const accepted = outcomes.filter(({ status }) => status === "fulfilled");
    expect(await sequencesOf(endpoint)).toEqual(accepted.map((_, i) => i + 1));
    expect(accepted).toHaveLength(15);
  });
});

test("one commit at a time takes everything that has arrived meanwhile", async () => {
  const [locked, free] = [await makeEndpoint(account), await makeEndpoint(account)];
  const transactionsWith = async (commitsAtOnce: 1 | 2) => {
    const one = intake({ commitsAtOnce });
    await Promise.all([locked, free].map((id) => one.accept(send(id))));
    const sends = await database.db.transaction(async (sql) => {
      await sql`select from mailboxes where endpoint_id = ${locked} for update`;
      const waiting = [one.accept(send(locked))];
      for (let i = 0; i < 10; i++) {
        await new Promise(setImmediate);
        waiting.push(one.accept(send(free)));
      }
      return { waiting };
    });
    const ids = acceptedOf(await Promise.all(sends.waiting)).map(({ id }) => id);
    const [row] = await database.db.run(
      (sql) => sql<{ n: number }[]>`
        select count(distinct transaction) as n from deliveries where id = any(${arrayOf(ids)}::uuid[])`,
    );
    return row?.n;
  };
  expect(await transactionsWith(1)).toBe(2);
  expect(await transactionsWith(2)).toBeGreaterThan(2);
});
