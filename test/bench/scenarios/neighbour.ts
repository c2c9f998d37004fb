import { type Cell, cpuPerItem } from "../cell";
import { openLoop } from "../load/open-loop";
import { Requests } from "../load/requests";
import { PAYLOAD } from "../payload";
import type { Figures, Scenario } from "../scenario";
import type { Client } from "../system/client";
import type { RunningRole } from "../system/system";
import { WARM_UP_MS } from "./load";

const ENDPOINTS = 20;
const RATE_PER_SECOND = 200;
/** The other account: each of its requests makes 10,000 deliveries, the maximum. */
const FLOOD = { endpoints: 1_000, events: 10, atOnce: 4 };

/** Measures how another account's largest requests slow an account. */
export const neighbour: Scenario = {
  name: "neighbour",
  about: "an account's 200 a second, alone and beside another's batches of 10 events to 1,000 endpoints",
  isForBare: false,
  run: async (cell) => {
    const service = await cell.system.start("all");
    const admin = cell.system.client(service.port);
    const [quiet, loud] = [await admin.account(false), await admin.account(false)];
    await cell.receiver.begin(cell.run, { delayMs: 0, failingEvery: null });
    const other = `${cell.run}-other`;
    await cell.receiver.begin(other, { delayMs: 0, failingEvery: null });
    const requests = await endpointsOf(quiet, ENDPOINTS, (i) => cell.receiver.urlOf(cell.run, i));
    await endpointsOf(loud, FLOOD.endpoints, (i) => cell.receiver.urlOf(other, i));
    const alone = await measure(cell, service, requests);
    const flood = new Flood(loud);
    const before = (await cell.receiver.report(other)).delivered;
    const used = await cell.countCpu(service);
    const began = performance.now();
    flood.start();
    const beside = await measure(cell, service, requests);
    const seconds = (performance.now() - began) / 1_000;
    const delivered = (await cell.receiver.report(other)).delivered - before;
    const cpu = cpuPerItem(await used(), delivered);
    const refused = await flood.stop();
    await service.stop();
    await cell.receiver.forget(other);
    const figures: Figures = {};
    for (const [name, value] of Object.entries(alone)) {
      figures[`${name}, alone`] = value;
      figures[`${name}, beside`] = beside[name] ?? Number.NaN;
      figures[`${name}, ratio`] = (beside[name] ?? Number.NaN) / value;
    }
    return {
      ...figures,
      "the other's deliver /s": delivered / seconds,
      "the other's refused": refused,
      ...cpu,
    };
  },
};

async function endpointsOf(client: Client, count: number, urlOf: (i: number) => string): Promise<Requests> {
  const ids = await client.register(Array.from({ length: count }, (_, i) => ({ url: urlOf(i) })));
  return new Requests(ids.map((id) => client.requestTo(id)));
}

async function measure(cell: Cell, service: RunningRole, requests: Requests): Promise<Figures> {
  const load = await openLoop({
    port: service.port,
    connections: 64,
    requests,
    ratePerSecond: RATE_PER_SECOND,
    warmUpMs: WARM_UP_MS,
    durationMs: cell.seconds * 1_000,
    onWarm: () => {
      cell.receiver.instruct(cell.run, "timed");
    },
  });
  await Bun.sleep(500);
  const { latency } = await cell.receiver.report(cell.run);
  await cell.receiver.instruct(cell.run, "untimed");
  return {
    "arrival p50 ms": latency?.p50 ?? Number.NaN,
    "arrival p99 ms": latency?.p99 ?? Number.NaN,
    "accept p99 ms": load.latency?.p99 ?? Number.NaN,
  };
}

/** Sends batches of events one after the other on a few connections. */
class Flood {
  private isOver = false;
  private refused = 0;
  private readonly body: string;
  private running: Promise<unknown> | null = null;

  constructor(private readonly client: Client) {
    const event = `{"event":"order.created","data":${PAYLOAD}}`;
    this.body = `{"events":[${Array<string>(FLOOD.events).fill(event).join(",")}]}`;
  }

  start(): void {
    this.running = Promise.all(Array.from({ length: FLOOD.atOnce }, () => this.send()));
  }

  async stop(): Promise<number> {
    this.isOver = true;
    await this.running;
    return this.refused;
  }

  private async send(): Promise<void> {
    while (!this.isOver) {
      const response = await this.client.post("/events/batch", this.body);
      if (response.status !== 200) {
        this.refused++;
        await Bun.sleep(100);
      }
      await response.arrayBuffer();
    }
  }
}
