import { BrokenPromise, cpuPerItem } from "../cell";
import { closedLoop } from "../load/closed-loop";
import { Requests } from "../load/requests";
import type { Scenario } from "../scenario";

const CONNECTIONS = 64;
/** The time of a round trip to the receiver. */
const DISTANCE_MS = 50;
const BATCH_SIZE = 100;
const DELIVERIES_PER_SECOND = 1_000;

/** Measures how fast the backlog of an ordered endpoint reaches a receiver far away, many in a request. */
export const batches: Scenario = {
  name: "batches",
  about: `one ordered endpoint, ${BATCH_SIZE} deliveries in a request, to a receiver ${DISTANCE_MS} ms away`,
  isForBare: false,
  run: async (cell) => {
    const service = await cell.system.start("all");
    const client = cell.system.client(service.port);
    const receiver = new BatchReceiver();
    const [id = ""] = await client.register([
      { url: receiver.url, format: "envelope", batch_size: BATCH_SIZE },
    ]);
    const requests = new Requests([client.requestTo(id)]);
    const maxRequests = cell.seconds * DELIVERIES_PER_SECOND;
    const load = { port: service.port, connections: CONNECTIONS, requests };
    const { accepted } = await closedLoop({ ...load, warmUpMs: 0, durationMs: 120_000, maxRequests });
    const used = await cell.countCpu(service);
    const startedAt = performance.now();
    const left = accepted - receiver.taken;
    await receiver.takeUpTo(accepted);
    const seconds = (performance.now() - startedAt) / 1_000;
    const cpu = cpuPerItem(await used(), left);
    await service.stop();
    await receiver.close();
    return { "delivered /s": left / seconds, ...cpu };
  },
};

type Item = { sequence: number };

/** Takes batches in order. Keeps its first one waiting until `takeUpTo`. */
class BatchReceiver {
  /** The number up to which it has taken all. */
  taken = 0;
  private wanted = Number.POSITIVE_INFINITY;
  private readonly opened = Promise.withResolvers<void>();
  private readonly ended = Promise.withResolvers<void>();
  private readonly server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const items = (await request.json()) as Item[];
      await this.opened.promise;
      await Bun.sleep(DISTANCE_MS);
      for (const { sequence } of items) this.take(sequence);
      return new Response(null);
    },
  });

  get url(): string {
    return this.server.url.href;
  }

  async takeUpTo(sequence: number): Promise<void> {
    this.wanted = sequence;
    this.opened.resolve();
    await this.ended.promise;
  }

  async close(): Promise<void> {
    await this.server.stop(true);
  }

  private take(sequence: number): void {
    if (sequence !== this.taken + 1)
      this.ended.reject(new BrokenPromise(`${sequence} arrived in place of ${this.taken + 1}`));
    this.taken = sequence;
    if (sequence === this.wanted) this.ended.resolve();
  }
}
