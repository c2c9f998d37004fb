import { BrokenPromise, cpuPerItem } from "../cell";
import { closedLoop } from "../load/closed-loop";
import { Requests } from "../load/requests";
import type { Scenario } from "../scenario";
import type { Client } from "../system/client";

const CONNECTIONS = 64;
/** The time of a round trip to the receiver. */
const DISTANCE_MS = 50;
const PAGE = 500;
const DELIVERIES_PER_SECOND = 5_000;

/** Measures how fast a receiver far away reads the backlog of an ordered endpoint. */
export const pull: Scenario = {
  name: "pull",
  about: `one ordered endpoint, read in pages of ${PAGE} by a receiver ${DISTANCE_MS} ms away`,
  isForBare: false,
  run: async (cell) => {
    const service = await cell.system.start("all");
    const client = cell.system.client(service.port);
    const [id = ""] = await client.register([{ delivery: "pull" }]);
    const requests = new Requests([client.requestTo(id)]);
    const maxRequests = cell.seconds * DELIVERIES_PER_SECOND;
    const load = { port: service.port, connections: CONNECTIONS, requests };
    const { accepted } = await closedLoop({ ...load, warmUpMs: 0, durationMs: 120_000, maxRequests });
    const used = await cell.countCpu(service);
    const startedAt = performance.now();
    await readAll(client, id, accepted);
    const seconds = (performance.now() - startedAt) / 1_000;
    const cpu = cpuPerItem(await used(), accepted);
    await service.stop();
    return { "read /s": accepted / seconds, ...cpu };
  },
};

/** Reads page by page, a round trip each, and checks that no number is missing or comes twice. */
async function readAll(client: Client, id: string, count: number): Promise<void> {
  let read = 0;
  for (let receipt: string | null = null; read < count; ) {
    await Bun.sleep(DISTANCE_MS);
    const settles = receipt === null ? {} : { receipt, ack_through: read };
    const body = JSON.stringify({ limit: PAGE, wait: 1, ...settles });
    const answer = await client.post(`/endpoints/${id}/receive`, body);
    const page = (await answer.json()) as { data: { sequence: number }[]; receipt: string | null };
    for (const { sequence } of page.data)
      if (sequence !== ++read) throw new BrokenPromise(`${sequence} was read in place of ${read}`);
    receipt = page.receipt;
  }
}
