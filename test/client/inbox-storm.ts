import { join } from "node:path";
import type { Hermod, NewWebhook } from "../../src/client";
import type { InboxOptions } from "../../src/client/inbox/index.ts";
import { Cluster } from "../support/faults/cluster";
import type { HermodProcess } from "../support/faults/hermod-process";
import { Random } from "../support/faults/random";
import { until } from "../support/faults/until";
import { DistantLink } from "./distant-link";
import { type Driver, newReceiver, ReceiverProcess } from "./inbox-receiver";

/** Webhooks that a request of the sender has. */
const SENT_AT_ONCE = 50;
/** Webhooks that the sender is ahead of the receiver, so that it sends until the end. */
const AHEAD = 200;
const LONG = { withinMs: 3_600_000 };

type Storm = Readonly<{
  cluster: Cluster;
  service: HermodProcess;
  /** The databases of the receivers. `command` runs one in another language, on Postgres. */
  receivers: readonly Readonly<{ driver: Driver; address: string; command?: readonly string[] }>[];
  /** Webhooks to each receiver. */
  count: number;
  /** How often the receivers, the service, Postgres and NATS are killed, all at once. */
  kills: number;
  roundTripMs: number;
  ordering?: "ordered" | "unordered";
  /** The share of answers that are lost; one in five by default. */
  lost?: number;
}>;

/** `sent`: the payloads in the order in which Hermod accepted them; `done`: those of the effects, in their order. */
type StormResult = Readonly<{ sent: readonly number[]; done: readonly number[]; seconds: number }>;

/**
 * Sends webhooks to receivers with inboxes over links that shuffle requests and lose answers. Kills both sides meanwhile. Resolves
 * once the work of all is done.
 */
export async function storm(options: Storm): Promise<StormResult[]> {
  const { cluster, service, count, kills } = options;
  const random = new Random(11);
  const opened = await Promise.all(options.receivers.map((each) => FarReceiver.open(options, each, random)));
  const killer = async () => {
    for (let i = 1; i <= kills; i++) {
      await until(() => opened.every(({ link }) => link.answered >= (i * count) / (kills + 1)), LONG);
      await Promise.all(opened.map((each) => each.kill()));
      await service.kill(await cluster.embedded.pids());
      await Promise.all([service.start(), ...opened.map((each) => each.start())]);
    }
  };
  const results = opened.map((each) => each.result(() => cluster.client.api, count));
  const [all] = await Promise.all([Promise.all(results), killer()]);
  // A repeat that comes after all may do no work either.
  await cluster.settled();
  return Promise.all(
    opened.map(async (each, i) => ({ sent: [], seconds: 0, ...all[i], done: await each.close() })),
  );
}

/** A receiver in a process of its own behind a link, its endpoint, and the sender. */
class FarReceiver {
  private process: ReceiverProcess | null = null;

  private constructor(
    private readonly database: Storm["receivers"][number],
    private readonly inbox: InboxOptions,
    readonly link: DistantLink,
  ) {}

  static async open(
    storm: Storm,
    database: Storm["receivers"][number],
    random: Random,
  ): Promise<FarReceiver> {
    const { cluster, roundTripMs, lost = 0.2, ordering = "unordered" } = storm;
    const link = new DistantLink({ random, roundTripMs, lost });
    const inFlight = ordering === "unordered" ? { max_in_flight: 100 } : {};
    const { endpoint, secret } = await cluster.client.newEndpoint(link.url, { ordering, ...inFlight });
    const receiver = new FarReceiver(database, { endpoint, secrets: secret, ordered: true }, link);
    await receiver.start();
    return receiver;
  }

  async start(): Promise<void> {
    const { driver, address, command } = this.database;
    this.process = await ReceiverProcess.start({ driver, address, options: this.inbox }, command);
    this.link.receiver = this.process.port;
  }

  async kill(): Promise<void> {
    this.link.receiver = null;
    await this.process?.kill();
  }

  /** Sends webhooks, and waits until the work of all is done. */
  async result(api: () => Hermod, count: number): Promise<{ sent: number[]; seconds: number }> {
    const began = performance.now();
    const hasRoom = (sent: number) => until(() => sent < this.link.answered + AHEAD, LONG);
    const sent = await sendAll(api, this.inbox.endpoint, count, hasRoom);
    const reader = await this.reader();
    await until(async () => (await reader.effects()).length >= count, { ...LONG, pollMs: 200 });
    const seconds = (performance.now() - began) / 1_000;
    await reader.close();
    return { sent, seconds };
  }

  /** Returns the payloads of the effects. */
  async close(): Promise<number[]> {
    await this.kill();
    this.link[Symbol.dispose]();
    const reader = await this.reader();
    const effects = await reader.effects();
    await reader.close();
    return effects.map(({ n }) => n);
  }

  private reader() {
    return newReceiver(this.database.driver, this.database.address, this.inbox);
  }
}

/** Sends numbered webhooks, each request until it is answered. Returns the numbers in the order in which they were accepted. */
async function sendAll(
  api: () => Hermod,
  endpoint: string,
  count: number,
  hasRoom: (sent: number) => Promise<boolean>,
): Promise<number[]> {
  const sent: number[] = [];
  let missing = Array.from({ length: count }, (_, i) => i + 1);
  while (missing.length > 0) {
    await hasRoom(sent.length);
    const numbers = missing.slice(0, SENT_AT_ONCE);
    const webhooks = numbers.map((n): NewWebhook => ({ endpoint_id: endpoint, event: "a.b", data: { n } }));
    const idempotencyKey = crypto.randomUUID();
    const { results } = await until(() => api().webhooks.sendMany(webhooks, { idempotencyKey }));
    const accepted = new Set(numbers.filter((_, i) => results[i] && "webhook" in results[i]));
    sent.push(...accepted);
    missing = missing.filter((n) => !accepted.has(n));
  }
  return sent;
}

/** Measures with a receiver 50 ms away: `bun test/client/inbox-storm.ts [count] [driver] [address]`. */
if (import.meta.main) {
  const [count = "50000", driver = "bun:sqlite", given] = process.argv.slice(2);
  await using cluster = await Cluster.start({ postgres: "embedded" });
  const service = await cluster.launch("all", "all");
  const receivers = (name: string) => [
    { driver: driver as Driver, address: given ?? join(cluster.folder, `${name}.sqlite`) },
  ];
  const far = { cluster, service, roundTripMs: 50 };
  const slowly = { ...far, receivers: receivers("one"), count: 200, kills: 0, lost: 0 };
  const [one] = await storm({ ...slowly, ordering: "ordered" });
  const [many] = await storm({ ...far, receivers: receivers("many"), count: Number(count), kills: 5 });
  if (!one || !many) throw new Error("no receiver");
  const [slow, fast] = [one.sent.length / one.seconds, many.sent.length / many.seconds];
  const isExact = Bun.deepEquals(many.sent, many.done);
  console.log({ isExact, effects: many.done.length, seconds: many.seconds, fast, slow, ratio: fast / slow });
}
