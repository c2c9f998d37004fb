import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Series } from "../../src/client";
import { Database } from "../../src/db/database";
import { createLog } from "../../src/runtime/log";
import { foldTallies } from "../../src/series/fold";
import { failsAtRandom } from "../support/faults/behaviour";
import { Cluster, KEY } from "../support/faults/cluster";
import type { HermodProcess } from "../support/faults/hermod-process";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

const KILLS = 3;
/** Short enough that some folds run between the starts of killed processes, and some during them. */
const FOLDS_APART_MS = 20;

let cluster: Cluster;
let api: HermodProcess;
let dispatcher: HermodProcess;

beforeAll(async () => {
  cluster = await Cluster.start({ postgres: "shared" });
  [api, dispatcher] = await Promise.all([
    cluster.launch("api", "api"),
    cluster.launch("dispatcher", "dispatcher"),
  ]);
});
afterAll(() => cluster[Symbol.asyncDispose]());

type Truth = Record<"accepted" | "delivered" | "failed" | "first" | "attempts", number>;

const sum = (points: Series["points"], of: (point: Series["points"][number]) => number) =>
  points.reduce((total, point) => total + of(point), 0);

test("figures over time equal the rows in Postgres, although processes are killed while minutes are folded", async () => {
  const endpoints = await cluster.newEndpoints(12, failsAtRandom(5, 0.1));
  const load = new Load({
    apis: [api.url],
    key: KEY,
    endpoints,
    random: new Random(5),
    workers: 12,
    perSecond: 200,
  }).start();
  const url = await cluster.databaseUrl();
  const database = new Database({
    url,
    size: 2,
    queryTimeoutMs: 10_000,
    statementTimeoutMs: 9_000,
    log: createLog("silent"),
  });
  let isOver = false;
  // Ages the tallies, since waiting for minutes to pass would take too long.
  const folding = (async () => {
    while (!isOver) {
      await database.run((sql) => sql`update tallies set at = at - interval '1 minute'`);
      await database.transaction(foldTallies);
      await Bun.sleep(FOLDS_APART_MS);
    }
  })();
  for (let kills = 0; kills < KILLS; kills++) {
    const before = load.accepted;
    await until(() => load.accepted > before + 75, { what: "a load" });
    await Promise.all([dispatcher.kill(), api.kill()]);
    await Promise.all([dispatcher.start(), api.start()]);
  }
  await load.stop();
  await cluster.settled();
  isOver = true;
  await folding;
  const [truth] = await database.run(
    (sql) => sql<Truth[]>`
      select (select count(*) from deliveries)::integer as accepted,
        count(*) filter (where status = 'delivered')::integer as delivered,
        count(*) filter (where status = 'failed')::integer as failed,
        count(*) filter (where status = 'delivered' and attempt_count = 1)::integer as first,
        sum(attempt_count)::integer as attempts
      from results`,
  );
  await database.close();
  const shown = async (endpoint?: string) =>
    (await cluster.client.api.series({ endpoint, step: "1h" })).points;
  for (const points of [
    await shown(),
    (await Promise.all(endpoints.map((endpoint) => shown(endpoint)))).flat(),
  ]) {
    expect({
      accepted: sum(points, ({ accepted }) => accepted),
      delivered: sum(points, ({ delivered }) => delivered),
      failed: sum(points, ({ failed }) => failed),
      first: sum(points, ({ delivered_first }) => delivered_first),
      attempts: sum(points, ({ attempts }) => Object.values(attempts).reduce((a, b) => a + b, 0)),
    }).toEqual(truth as Truth);
    expect(points.at(-1)?.backlog).toBe(0);
  }
  expect(truth?.accepted).toBeGreaterThan(KILLS * 75);
});
