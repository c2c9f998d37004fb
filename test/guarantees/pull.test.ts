import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { Cluster, KEY } from "../support/faults/cluster";
import type { HermodProcess } from "../support/faults/hermod-process";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { EndpointReader, KeyBook, ReadBook } from "../support/faults/reader";
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

/** Few, so that most pages wait for others. Deliveries without a key share an order. */
const KEYS = [null, "a", "b", "c", "d", "e", "f"];
const ORDERINGS = ["ordered", "ordered", "by_key", "unordered"] as const;

const bookOf = (ordering: (typeof ORDERINGS)[number]) =>
  ordering === "ordered" ? new ReadBook() : new KeyBook(ordering === "by_key");

test("receivers that read get each order one after another, and at most the last page again, when receivers, service and Postgres are killed", async () => {
  const made = ORDERINGS.map((ordering) =>
    cluster.client.api.endpoints.create({ delivery: "pull", ordering }),
  );
  const endpoints = (await Promise.all(made)).map(({ id }) => id);
  const books = ORDERINGS.map(bookOf);
  const open = (i: number) =>
    new EndpointReader(() => service.url, KEY, endpoints[i] ?? "", books[i] ?? new ReadBook());
  // Two for each ordered endpoint, where the one that has the page fences the other; four for those with many orders.
  const readers = [0, 1, 2, 3, 0, 1, 2, 3, 2, 3, 2, 3].map((i) => ({ i, reader: open(i) }));
  const load = new Load({
    apis: [service.url],
    key: KEY,
    endpoints,
    keys: KEYS,
    random: new Random(5),
    workers: 8,
    perSecond: 400,
  });
  load.start();
  for (let round = 0; round < ROUNDS; round++) {
    const before = load.accepted;
    await until(() => load.accepted > before + 250, { what: "a load" });
    await service.kill(await cluster.embedded.pids());
    for (const at of [round, round + 1]) {
      await readers[at]?.reader.kill();
      readers[at] = { i: at, reader: open(at) };
    }
    await service.start();
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
