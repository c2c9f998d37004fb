import { expect, setDefaultTimeout, test } from "bun:test";
import { fromText } from "../../src/domain/ids";
import { EVERYTHING, foldTallies } from "../../src/series/fold";
import { forgetSeries, rollHour } from "../../src/series/upkeep";
import { recordAttempt } from "../http/attempts";
import { type Client, expectError, type Json } from "../http/client";
import { useService } from "../http/service";
import { untilBlocked } from "../support/blocked";
import { Random } from "../support/faults/random";
import { holdLocks, LATE_LOCKS, makeLateLocks } from "../support/late-locks";

setDefaultTimeout(120_000);

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const service = await useService();

const db = () => service.database.db;

/** Ages the tallies, and folds them. */
async function foldAfter(ms: number): Promise<void> {
  await db().run((sql) => sql`update tallies set at = at - ${ms}::float8 * interval '1 millisecond'`);
  await db().transaction(foldTallies);
}

type Sum = Record<"accepted" | "delivered" | "delivered_first" | "failed" | "cancelled", number> & {
  attempts: Record<string, number>;
};
const NOTHING = (): Sum => ({
  accepted: 0,
  delivered: 0,
  delivered_first: 0,
  failed: 0,
  cancelled: 0,
  attempts: { none: 0, "2xx": 0, "5xx": 0 },
});

function sumOf(points: Json[]): Sum {
  const sum = NOTHING();
  for (const point of points) {
    for (const name of ["accepted", "delivered", "delivered_first", "failed", "cancelled"] as const)
      sum[name] += point[name];
    for (const name in sum.attempts) sum.attempts[name] = (sum.attempts[name] ?? 0) + point.attempts[name];
  }
  return sum;
}

const seriesOf = (client: Client, path: string): Promise<Json> => client.expecting(200, client.get(path));

test("figures are exact before, between and after folds, for endpoints, accounts and the installation", async () => {
  const random = new Random(3);
  const clients = [await service.newClient(), await service.newClient()];
  const truths = new Map<string, Sum>();
  const truthOf = (id: string) => {
    const known = truths.get(id) ?? NOTHING();
    truths.set(id, known);
    return known;
  };
  const endpoints: { id: string; client: Client; pending: Json[] }[] = [];
  for (const client of clients) {
    for (let n = 0; n < 2; n++) {
      const { id } = await client.newEndpoint({ ordering: "unordered" });
      endpoints.push({ id, client, pending: [] });
    }
  }
  const both = (endpoint: { id: string; client: Client }) => [
    truthOf(endpoint.id),
    truthOf(endpoint.client.accountId),
    truthOf("everything"),
  ];
  const bump = (endpoint: { id: string; client: Client }, change: (sum: Sum) => void) =>
    both(endpoint).forEach(change);

  const step = async () => {
    const endpoint = random.pick(endpoints);
    const { client, pending } = endpoint;
    const roll = random.below(10);
    if (roll < 4 || pending.length === 0) {
      pending.push({ ...(await client.send(endpoint.id, "a")), tries: 0 });
      bump(endpoint, (sum) => sum.accepted++);
    } else if (roll === 4) {
      const [delivery] = pending.splice(0, 1);
      await client.expecting(200, client.post(`/webhooks/${delivery.id}/cancel`));
      bump(endpoint, (sum) => sum.cancelled++);
    } else if (roll < 7) {
      const [delivery] = pending.splice(0, 1);
      await recordAttempt(db(), delivery, { status: 200, error: "timeout" });
      bump(endpoint, (sum) => {
        sum.delivered++;
        if (delivery.tries === 0) sum.delivered_first++;
        sum.attempts["2xx"] = (sum.attempts["2xx"] ?? 0) + 1;
      });
    } else if (roll === 7) {
      const delivery = pending[0];
      await recordAttempt(db(), delivery, { status: 503 });
      delivery.tries++;
      bump(endpoint, (sum) => {
        sum.attempts["5xx"] = (sum.attempts["5xx"] ?? 0) + 1;
      });
    } else {
      const [delivery] = pending.splice(0, 1);
      await recordAttempt(db(), delivery, { status: 0, error: "timeout", verdict: "failed" });
      bump(endpoint, (sum) => {
        sum.failed++;
        sum.attempts.none = (sum.attempts.none ?? 0) + 1;
      });
    }
    if (random.below(10) === 0) await foldAfter(random.pick([0, 1, 7]) * MINUTE_MS);
  };

  const check = async () => {
    for (const endpoint of endpoints) {
      const { points } = await seriesOf(endpoint.client, `/endpoints/${endpoint.id}/stats/series`);
      expect(sumOf(points)).toEqual(truthOf(endpoint.id));
      expect(points.at(-1).backlog).toBe(endpoint.pending.length);
      expect(points[0].backlog).toBe(0);
    }
    for (const client of clients) {
      const { points } = await seriesOf(client, "/stats/series?step=1h");
      expect(sumOf(points)).toEqual(truthOf(client.accountId));
      const own = endpoints.filter((each) => each.client === client);
      expect(points.at(-1).backlog).toBe(own.reduce((sum, { pending }) => sum + pending.length, 0));
    }
    const all = await seriesOf(service.admin, "/admin/stats/series?step=1d");
    expect(sumOf(all.points)).toEqual(truthOf("everything"));
    expect(all.points.at(-1).backlog).toBe(endpoints.reduce((sum, { pending }) => sum + pending.length, 0));
  };

  // A scheduled delivery is in no step and no backlog, and neither is its cancellation.
  for (const { id, client } of endpoints) {
    const scheduled = { endpoint_id: id, event: "a", data: {}, deliver_after: 3_600 };
    await client.expecting(201, client.post("/webhooks", scheduled));
    const cancelled: Json = await client.expecting(201, client.post("/webhooks", scheduled));
    await client.expecting(200, client.post(`/webhooks/${cancelled.id}/cancel`));
  }
  for (let round = 0; round < 6; round++) {
    for (let n = 0; n < 25; n++) await step();
    await check();
  }
  const [deleted] = endpoints.splice(0, 1);
  if (!deleted) throw new Error("there is no endpoint");
  await deleted.client.expecting(200, deleted.client.delete(`/endpoints/${deleted.id}`));
  for (const sum of both(deleted)) sum.cancelled += deleted.pending.length;
  await check();
  await foldAfter(MINUTE_MS);
  await check();

  // After three days minutes become hours, with the same figures.
  const agedBy = 72 * HOUR_MS;
  await db().run((sql) => sql`update series set at = at - interval '72 hours'`);
  while (await db().transaction((sql) => rollHour(sql, Date.now())));
  const minutes = await db().run((sql) => sql`select from series where at <> date_trunc('hour', at)`);
  expect(minutes).toHaveLength(0);
  const from = new Date(Date.now() - agedBy - 2 * HOUR_MS).toISOString();
  const to = new Date(Date.now() - agedBy + 2 * HOUR_MS).toISOString();
  for (const { id, client } of endpoints) {
    const { points } = await seriesOf(client, `/endpoints/${id}/stats/series?from=${from}&to=${to}&step=1h`);
    expect(sumOf(points)).toEqual(truthOf(id));
  }
  while (await db().transaction((sql) => forgetSeries(sql, Date.now() - agedBy + HOUR_MS)));
  expect(await db().run((sql) => sql`select from series`)).toHaveLength(0);
});

test("accepted deliveries are counted once, although another process folds between a fold's beginning and its lock", async () => {
  const client = await service.newClient();
  const { id } = await client.newEndpoint();
  await client.send(id);
  await client.send(id);
  await makeLateLocks(db());
  const late = service.database.open({ size: 1 }, { search_path: LATE_LOCKS });
  const folding = await db().transaction(async (sql) => {
    await holdLocks(sql);
    const folding = late.transaction(foldTallies);
    await untilBlocked(db());
    await foldAfter(MINUTE_MS);
    return { folding };
  });
  await folding.folding;
  const { points } = await seriesOf(client, `/endpoints/${id}/stats/series`);
  expect(sumOf(points).accepted).toBe(2);
});

test("minutes are summed into the hours of UTC, whatever the time zone of the server", async () => {
  const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 60 * HOUR_MS;
  await db().run((sql) => sql`delete from series`);
  for (const minute of [5, 35, 55]) {
    await db().run(
      (sql) => sql`
        insert into series (subject, at, codes, counts)
        values (${EVERYTHING}, to_timestamp(${hour + minute * MINUTE_MS}::float8 / 1000), '{1}', '{1}')`,
    );
  }
  const name = new URL(service.database.url).pathname.slice(1);
  await db().run((sql) => sql.unsafe(`alter database ${name} set timezone to 'Asia/Kolkata'`));
  const elsewhere = service.database.open({ size: 1 });
  while (await elsewhere.transaction((sql) => rollHour(sql, Date.now())));
  const rows = await db().run((sql) => sql<{ at: Date }[]>`select at from series`);
  expect(rows.map(({ at }) => at.getTime())).toEqual([hour]);
});

test("durations are of answered attempts, and from acceptance to delivery", async () => {
  const client = await service.newClient();
  const endpoint = await client.newEndpoint();
  const delivery = await client.send(endpoint.id);
  await recordAttempt(db(), delivery, { status: 0, error: "timeout" });
  await recordAttempt(db(), delivery, { status: 200 });
  const { points } = await seriesOf(client, `/endpoints/${endpoint.id}/stats/series?step=1d`);
  // An attempt took 12 ms.
  const { receiver_ms: receiver, delivery_ms: whole } = points.at(-1);
  for (const name of ["p50", "p95", "p99"]) expect(Math.abs(receiver[name] - 12)).toBeLessThanOrEqual(1);
  expect(whole.p50).toBeGreaterThanOrEqual(0);
  await foldAfter(MINUTE_MS);
  const { health } = await client.expecting(200, client.get(`/endpoints/${endpoint.id}`));
  expect(Date.parse(health.last_success_at)).toBeGreaterThan(Date.now() - HOUR_MS);
});

test("a range is aligned to its step, and refused if its answer would be too long or too fine", async () => {
  const client = await service.newClient();
  const path = "/stats/series?from=2026-01-31T10:07:00Z&to=2026-01-31T12:30:00Z&step=1h";
  const { points, ...range } = await seriesOf(client, path);
  expect(range).toEqual({
    from: "2026-01-31T10:00:00.000Z",
    to: "2026-01-31T13:00:00.000Z",
    step_seconds: 3_600,
  });
  expect(points.map(({ at }: Json) => at.slice(11, 16))).toEqual(["10:00", "11:00", "12:00"]);
  const month = await seriesOf(client, "/stats/series?from=2026-01-01&to=2026-02-01");
  expect(month.points.length).toBeLessThanOrEqual(200);
  for (const query of [
    "from=2026-01-02&to=2026-01-01",
    "step=90s",
    "step=0m",
    "step=hour",
    ...["7h", "13h", "36h", "7m"].map((step) => `from=2026-01-01&to=2026-01-03&step=${step}`),
    "from=2025-01-01&to=2026-01-01&step=1h",
    "from=2026-01-01&to=2026-01-02&step=30m",
  ])
    expectError(await client.get(`/stats/series?${query}`), 400, "BAD_REQUEST");
  expectError(await client.get("/endpoints/ep_x/stats/series"), 404, "NOT_FOUND");
  const account = `acc_${"0".repeat(26)}`;
  expect(fromText("acc", account)).not.toBeUndefined();
  expectError(await service.admin.get("/admin/stats/series?account=me"), 400, "BAD_REQUEST");
});
