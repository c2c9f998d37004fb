import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { Cluster, PARTITIONS } from "../support/faults/cluster";
import type { HermodProcess } from "../support/faults/hermod-process";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

let cluster: Cluster;
let dispatcher: HermodProcess;

beforeAll(async () => {
  cluster = await Cluster.start({ postgres: "shared" });
  [, dispatcher] = await Promise.all([
    cluster.launch("api", "api"),
    cluster.launch("dispatcher", "dispatcher"),
  ]);
});
afterAll(() => cluster[Symbol.asyncDispose]());

test("the system view shows each process, each partition's owner, and partitions without one", async () => {
  const system = () => cluster.client.api.admin.system();
  const ownedBy = (owner: string | null) => async () => {
    const { partitions } = await system();
    return partitions.length === PARTITIONS && partitions.every((each) => each.owner === owner);
  };
  const processes = await until(
    async () => {
      const all = (await system()).processes;
      return all.length === 2 ? all : null;
    },
    { what: "both processes" },
  );
  const own = processes.find(({ role }) => role === "dispatcher");
  expect(processes.map(({ role }) => role).toSorted()).toEqual(["api", "dispatcher"]);
  expect(own).toMatchObject({ pid: dispatcher.pid, memory_bytes: expect.any(Number) });
  expect(processes.find(({ role }) => role === "api")?.figures).toEqual({ sends_waiting: 0 });
  await until(ownedBy(own?.id ?? ""), { what: "owned partitions" });
  expect((await system()).dependencies).toMatchObject({ nats: true, postgres_version: expect.any(String) });
  await dispatcher.kill();
  await until(ownedBy(null), { what: "partitions without an owner" });
});
