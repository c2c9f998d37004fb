import { expect, setDefaultTimeout, test } from "bun:test";
import { parseDatabaseUrl } from "../../src/db/address";
import { createPool } from "../../src/db/pool";
import { Cluster } from "../support/faults/cluster";
import { fieldOf } from "../support/faults/hermod-client";
import { undoneOnceOver } from "../support/undone";

setDefaultTimeout(120_000);

test("a changed filter applies to every send after the answer, and intake has to undo no statement for it", async () => {
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

  const address = parseDatabaseUrl(await cluster.databaseUrl());
  const options = { address, size: 1, depth: 1, statementTimeoutMs: 10_000 };
  const sql = createPool(options, () => {});
  const connections = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`;
  expect(connections).not.toBeEmpty();
  await process.terminate();
  const pids = connections.map(({ pid }) => pid);
  expect(await undoneOnceOver(sql, pids)).toBe(0);
  await sql.end();
});
