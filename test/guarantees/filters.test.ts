import { expect, setDefaultTimeout, test } from "bun:test";
import postgres from "postgres";
import { Cluster } from "../support/faults/cluster";
import { fieldOf } from "../support/faults/hermod-client";
import { until } from "../support/faults/until";

setDefaultTimeout(60_000);

test("a changed filter counts from its answer on, and no statement of the intake has to be undone for it", async () => {
  await using cluster = await Cluster.start({ postgres: "shared", env: {} });
  const process = await cluster.launch("api", "api");
  const [changing = "", other = ""] = await cluster.newEndpoints(2);
  const send = async (endpoint: string) => {
    const body = { endpoint_id: endpoint, event: "order.created", data: {} };
    const answer = await cluster.client.ask("POST", "/webhooks", body);
    return fieldOf(answer.body, "status");
  };
  const sendToBoth = async () => {
    const many = Array.from({ length: 20 }, () => [send(changing), send(other)]).flat();
    return new Set(await Promise.all(many));
  };
  for (let i = 0; i < 3; i++) expect([...(await sendToBoth())]).toEqual(["pending"]);

  await cluster.client.changeEndpoint(changing, { event_filter: "invoice.*" });
  expect([...(await sendToBoth())].toSorted()).toEqual(["cancelled", "pending"]);

  await process.terminate();
  expect(await undoneIn(await cluster.databaseUrl())).toBe(0);
});

/** Transactions of a database that were undone, once all who used it have left. */
async function undoneIn(url: string): Promise<number> {
  const sql = postgres(url, { max: 1 });
  const haveLeft = async () => {
    const others = await sql`
      select from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`;
    return others.length === 0;
  };
  await until(haveLeft, { what: "the end of its connections" });
  const [row] = await sql<{ undone: string }[]>`
    select xact_rollback as undone from pg_stat_database where datname = current_database()`;
  await sql.end();
  return Number(row?.undone);
}
