// Writes to Postgres in a process of its own while the connections break in every way, and prints the result.
import { Database, DatabaseUnavailable } from "../../../src/db/database";
import { createLog } from "../../../src/runtime/log";
import { TcpProxy } from "./tcp-proxy";

export type Writing = {
  /** The number of times that all connections were broken. */
  breaks: number;
  /** Numbers of acknowledged writes, and of those that are missing or stored twice. */
  acknowledged: number;
  lost: number;
  doubled: number;
  /** Errors other than an unreachable Postgres. */
  others: string[];
};

const CONNECTIONS = 4;
/** Writers of each kind. */
const WRITERS = 6;
const BREAKS = 48;
/** Acknowledged writes between two breaks. */
const APART = 8;
const FOR_MS = 20;
const MOST_MS = 20_000;
const TIMEOUT_MS = 2_000;

/** Expects the table `kept (n integer)`. */
async function main(url: string): Promise<Writing> {
  const log = createLog("silent");
  const proxy = await TcpProxy.to(url);
  const options = { size: CONNECTIONS, statementTimeoutMs: TIMEOUT_MS, queryTimeoutMs: TIMEOUT_MS, log };
  const database = new Database({ url: proxy.urlFor(url), ...options });
  const deep = new Database({ url: proxy.urlFor(url), ...options, size: 1, depth: 2 });
  const acknowledged: number[] = [];
  const others: string[] = [];
  let next = 0;
  let isOver = false;
  const ways: ((n: number) => Promise<unknown>)[] = [
    (n) => database.transaction((sql) => sql`insert into kept values (${n})`),
    (n) => database.run((sql) => sql`insert into kept values (${n})`),
    (n) => deep.run((sql) => sql`insert into kept values (${n})`),
  ];
  const write = async (way: (n: number) => Promise<unknown>) => {
    while (!isOver) {
      const n = next++;
      try {
        await way(n);
        acknowledged.push(n);
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) others.push(String(error));
      }
    }
  };
  const writers = ways.flatMap((way) => Array.from({ length: WRITERS }, () => write(way)));
  let breaks = 0;
  for (const until = performance.now() + MOST_MS; breaks < BREAKS && performance.now() < until; breaks++) {
    const enough = acknowledged.length + APART;
    while (acknowledged.length < enough && performance.now() < until) await Bun.sleep(1);
    await harm(proxy, breaks);
  }
  isOver = true;
  await Promise.all(writers);
  await Promise.all([database.close(), deep.close()]);
  await proxy.end();
  const kept = await countsOf(new Database({ url, ...options }));
  const lost = acknowledged.filter((n) => !kept.has(n)).length;
  const doubled = acknowledged.filter((n) => (kept.get(n) ?? 0) > 1).length;
  return { breaks, acknowledged: acknowledged.length, lost, doubled, others };
}

async function harm(proxy: TcpProxy, round: number): Promise<void> {
  const ways = [() => proxy.cut(), () => proxy.close(), () => proxy.stall(), () => proxy.halfOpen()];
  ways[round % ways.length]?.();
  if (round % ways.length > 0) await Bun.sleep(FOR_MS);
  proxy.open();
}

async function countsOf(database: Database): Promise<Map<number, number>> {
  const rows = await database.run(
    (sql) => sql<{ n: number; count: number }[]>`select n, count(*)::integer as count from kept group by n`,
  );
  await database.close();
  return new Map(rows.map(({ n, count }) => [n, count]));
}

process.stdout.write(JSON.stringify(await main(process.argv[2] ?? "")));
process.exit(0);
