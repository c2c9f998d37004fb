import { broken, drips, failsAtRandom, failsFirst, hangs, healthy, slow } from "../support/faults/behaviour";
import { Cluster, KEY } from "../support/faults/cluster";
import { EventLoad } from "../support/faults/event-load";
import type { HermodProcess } from "../support/faults/hermod-process";
import { Load } from "../support/faults/load";
import { Random, shareOf } from "../support/faults/random";
import { ResettingReceiver } from "../support/faults/resetting-receiver";
import { TcpProxy } from "../support/faults/tcp-proxy";
import { Rests } from "./rests";

export const LEASE_MS = 2_000;
const ENV = {
  HERMOD_LEASE_TTL: `${LEASE_MS}ms`,
  HERMOD_ATTEMPT_TIMEOUT: "1500ms",
  HERMOD_QUERY_TIMEOUT: "2s",
};
const SENDS_PER_SECOND = 300;
const EVENTS_PER_SECOND = 2;
const SCHEDULED_PER_SECOND = 20;
const DELIVER_AFTER_SECONDS = 2;
/** Endpoints of each kind that are set inactive now and then. */
const RESTING_OF_EACH = 2;
const RESET_SHARE = 0.2;
/** Ordering keys of the sends. Some sends have none. */
const KEYS = [null, "customer-1", "customer-2", "ü 100%", "customer-4"];

/** A process that dispatches, with its own network proxy to each server. */
export type Dispatcher = { process: HermodProcess; toPostgres: TcpProxy; toNats: TcpProxy };

/** Everything that a run of faults needs: several processes of the service, receivers of every kind, and a load. */
export class Stage implements AsyncDisposable {
  readonly apis: HermodProcess[] = [];
  readonly dispatchers: Dispatcher[] = [];
  private readonly resetting: ResettingReceiver[] = [];
  private readonly endpoints: string[] = [];
  private readonly troubled: string[] = [];
  private readonly held: string[] = [];
  private readonly skipping: string[] = [];

  private constructor(
    readonly cluster: Cluster,
    private readonly seed: number,
  ) {}

  static async set(seed: number, apis: number, dispatchers: number): Promise<Stage> {
    const stage = new Stage(await Cluster.start({ postgres: "own", env: ENV }), seed);
    try {
      for (let i = 1; i <= apis; i++) stage.apis.push(await stage.cluster.launch(`api-${i}`, "api"));
      // One of them accepts too, and passes deliveries of its own partitions on without NATS: in memory, or to its child.
      await stage.addDispatcher("both", "all", { HERMOD_PROCESSES: seed % 2 === 0 ? "1" : "2" });
      for (let i = 2; i <= dispatchers; i++) await stage.addDispatcher(`dispatcher-${i}`, "dispatcher");
      await stage.addReceivers();
      return stage;
    } catch (error) {
      await stage[Symbol.asyncDispose]();
      throw error;
    }
  }

  startLoad(): Load {
    const { urls, endpoints, seed } = this;
    const random = new Random(seed);
    const load = { endpoints, keys: KEYS, random, workers: 16, perSecond: SENDS_PER_SECOND };
    return new Load({ apis: urls, key: KEY, ...load }).start();
  }

  /** Starts sends that are due later. */
  startScheduled(): Load {
    const { urls, endpoints, seed } = this;
    const random = new Random(seed + 1);
    const load = { endpoints, keys: KEYS, random, workers: 2, perSecond: SCHEDULED_PER_SECOND };
    return new Load({ apis: urls, key: KEY, deliverAfter: DELIVER_AFTER_SECONDS, ...load }).start();
  }

  /** Starts events for every endpoint. Skipping ones get them only while they are active. */
  startEvents(): EventLoad {
    const { urls, skipping } = this;
    const endpoints = this.endpoints.filter((each) => !skipping.includes(each));
    return new EventLoad({
      others: skipping,
      ownIds: true,
      apis: urls,
      key: KEY,
      endpoints,
      keys: KEYS,
      workers: 2,
      perSecond: EVENTS_PER_SECOND,
    }).start();
  }

  rests(): Rests {
    const { urls: apis, held, skipping } = this;
    return new Rests({ apis, held, skipping });
  }

  /** Lets receivers that never answer recover, so that their deliveries can end. */
  calm(): void {
    for (const endpoint of this.troubled) this.cluster.receivers.change(endpoint, healthy);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster[Symbol.asyncDispose]();
    const proxies = this.dispatchers.flatMap(({ toPostgres, toNats }) => [toPostgres, toNats]);
    await Promise.all([
      ...proxies.map((proxy) => proxy.end()),
      ...this.resetting.map((each) => each.close()),
    ]);
  }

  /** The URLs of all processes that accept. */
  private get urls(): string[] {
    const processes = [...this.apis, ...this.dispatchers.map(({ process }) => process)];
    return processes.filter(({ role }) => role !== "dispatcher").map(({ url }) => url);
  }

  private async addDispatcher(
    name: string,
    role: "all" | "dispatcher",
    more: Record<string, string> = {},
  ): Promise<void> {
    const { postgres, nats } = this.cluster;
    const [toPostgres, toNats] = await Promise.all([TcpProxy.to(postgres.url), TcpProxy.to(nats.url)]);
    const servers = { DATABASE_URL: toPostgres.urlFor(postgres.url), NATS_URL: toNats.urlFor(nats.url) };
    const env = { ...servers, ...more };
    const process = await this.cluster.launch(name, role, env);
    this.dispatchers.push({ process, toPostgres, toNats });
  }

  private async addReceivers(): Promise<void> {
    const { cluster, seed } = this;
    const kinds = [
      cluster.newEndpoints(20, healthy),
      cluster.newEndpoints(10, slow(30)),
      cluster.newEndpoints(20, failsAtRandom(seed, 0.2)),
      cluster.newEndpoints(4, failsFirst(1)),
      cluster.newEndpoints(6, failsAtRandom(seed, 0.2), { ordering: "unordered", max_in_flight: 5 }),
      cluster.newEndpoints(10, failsAtRandom(seed, 0.2), { ordering: "by_key", max_in_flight: 5 }),
      cluster.newEndpoints(4, slow(30), { ordering: "by_key", max_in_flight: 3, rate_limit: 20 }),
      cluster.newEndpoints(4, slow(30), { ordering: "unordered", rate_limit: 10 }),
      cluster.newEndpoints(4, failsAtRandom(seed, 0.2), { rate_limit: 20 }),
      this.newResettingEndpoints(4),
    ];
    const sound = await Promise.all(kinds);
    this.endpoints.push(...sound.flat());
    this.held.push(...sound.flatMap((kind) => kind.slice(0, RESTING_OF_EACH)));
    this.skipping.push(
      ...(await cluster.newEndpoints(3, failsAtRandom(seed, 0.1), { while_inactive: "skip" })),
    );
    this.endpoints.push(...this.skipping);
    const troubled = [hangs, drips, broken].map((behaviour) => cluster.newEndpoints(1, behaviour));
    this.troubled.push(...(await Promise.all(troubled)).flat());
    this.endpoints.push(...this.troubled);
  }

  private async newResettingEndpoints(count: number): Promise<string[]> {
    const { cluster, seed, resetting } = this;
    const make = async () => {
      const receiver = await ResettingReceiver.listen(
        cluster.book,
        ({ webhookId, attempt }) => shareOf(`${seed}/${webhookId}/${attempt}`) < RESET_SHARE,
      );
      resetting.push(receiver);
      const subscription = await cluster.client.newEndpoint(receiver.url);
      receiver.open(subscription);
      return subscription.endpoint;
    };
    return Promise.all(Array.from({ length: count }, make));
  }
}
