import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { Cluster, KEY } from "../support/faults/cluster";
import type { HermodProcess } from "../support/faults/hermod-process";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { EndpointReader, ReadBook } from "../support/faults/reader";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

const ROUNDS = 3;

let cluster: Cluster;
let service: HermodProcess;

beforeAll(async () => {
  cluster = await Cluster.start({ postgres: "embedded" });
  service = await cluster.launch("all", "all");
});

afterAll(() => cluster[Symbol.asyncDispose]());

test("receivers that read get everything in order, and at most the last page again, when receivers, service and Postgres are killed", async () => {
  const made = Array.from({ length: 3 }, () => cluster.client.api.endpoints.create({ delivery: "pull" }));
  const endpoints = (await Promise.all(made)).map(({ id }) => id);
  const books = endpoints.map(() => new ReadBook());
  const open = (i: number) =>
    new EndpointReader(() => service.url, KEY, endpoints[i] ?? "", books[i] ?? new ReadBook());
  // Two for each endpoint: the one that has the page fences the other.
  const readers = [0, 1, 2, 0, 1, 2].map((i) => ({ i, reader: open(i) }));
  const load = new Load({
    apis: [service.url],
    key: KEY,
    endpoints,
    random: new Random(5),
    workers: 8,
    perSecond: 400,
  });
  load.start();
  for (let round = 0; round < ROUNDS; round++) {
    const before = load.accepted;
    await until(() => load.accepted > before + 250, { what: "a load" });
    await service.kill(await cluster.embedded.pids());
    await readers[round]?.reader.kill();
    await service.start();
    readers[round] = { i: round, reader: open(round) };
  }
  await load.stop();
  await cluster.settled();
  await Promise.all(readers.map(({ reader }) => reader.kill()));
  expect(books.flatMap(({ flaws }) => flaws)).toEqual([]);
  const sql = await cluster.sql();
  const rows = await sql<{ last: bigint; delivered: bigint }[]>`
    select m.last_sequence as last, (
      select count(*) from results r where r.endpoint_id = m.endpoint_id and r.status = 'delivered'
    ) as delivered
    from mailboxes m order by 1
  `;
  const read = books.map(({ pages }) => new Set(pages.flat()).size).toSorted((a, b) => a - b);
  expect(rows.map(({ last, delivered }) => [Number(last), Number(delivered)])).toEqual(
    read.map((n) => [n, n]),
  );
  expect(load.misfits).toEqual([]);
});
