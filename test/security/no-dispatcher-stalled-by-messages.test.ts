import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { NatsConnection } from "nats";
import { check } from "../support/faults/checker/check";
import { Cluster, KEY } from "../support/faults/cluster";
import type { HermodProcess } from "../support/faults/hermod-process";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { until } from "../support/faults/until";
import { streamSigner } from "../support/signers";

setDefaultTimeout(120_000);

const ENDPOINTS = 20;
/** Deliveries that must arrive while the flood lasts. */
const DELIVERIES = 100;
const MEBIBYTE = 1_048_576;

let cluster: Cluster;
let dispatcher: HermodProcess;
/** The tests' Postgres is configured to lose commits in a crash. */
let warningsAtStart: number;
let stranger: NatsConnection;
const subjects = Array.from({ length: 32 }, (_, partition) => `hermod.deliveries.${partition}`);
const loads: Load[] = [];
const seen: { subject: string; data: Uint8Array }[] = [];

beforeAll(async () => {
  cluster = await Cluster.start({ postgres: "shared" });
  [, dispatcher] = await Promise.all([
    cluster.launch("api", "api"),
    cluster.launch("dispatcher", "dispatcher"),
  ]);
  const reads = async () =>
    (await dispatcher.logged()).some(({ msg }) => msg.startsWith("reading the subjects"));
  await until(reads, { what: "a dispatcher that reads the stream" });
  warningsAtStart = (await warnings()).length;
  stranger = await cluster.nats.connect();
  stranger.subscribe("hermod.deliveries.>", {
    callback: (_, { subject, data }) => {
      if (seen.length < 100) seen.push({ subject, data: data.slice() });
    },
  });
});

afterAll(async () => {
  await stranger.close();
  await cluster[Symbol.asyncDispose]();
});

const random = new Random(5);
const anySubject = () => random.pick([...subjects, "hermod.deliveries.none", "hermod.deliveries.99"]);
const signer = streamSigner(Buffer.alloc(32, 9).toString("base64"));
const huge = Buffer.alloc(MEBIBYTE - 1_000, "[");

/** The messages that an attacker publishes, and how many at a time. */
const floods: [what: string, atOnce: number, put: () => void][] = [
  ["garbage", 200, () => stranger.publish(anySubject(), Buffer.from("\n[null]\n"))],
  ["huge messages", 4, () => stranger.publish(anySubject(), huge)],
  [
    "huge messages with a false signature",
    2,
    () => {
      const subject = anySubject();
      stranger.publish(subject, signer.sign(subject, huge));
    },
  ],
  [
    "genuine messages again",
    200,
    () => {
      const { subject, data } = random.pick(seen);
      stranger.publish(subject, data);
    },
  ],
  [
    "notices",
    200,
    () =>
      stranger.publish(
        random.pick(["hermod.control.endpoint", "hermod.control.released"]),
        huge.subarray(0, 200),
      ),
  ],
];

test.each(floods)(
  "deliveries go on while an attacker floods the dispatcher's subjects with %s",
  async (_, atOnce, put) => {
    const endpoints = await cluster.newEndpoints(ENDPOINTS);
    const apis = [cluster.client.baseUrl];
    const load = new Load({ apis, key: KEY, endpoints, random: new Random(3), workers: 8, perSecond: 300 });
    loads.push(load);
    await load.sendAll(20);
    await until(() => seen.length > 0, { what: "a message" });
    const terms = await termsOfLeases();
    let isOver = false;
    const flooding = (async () => {
      while (!isOver) {
        for (let i = 0; i < atOnce; i++) put();
        await stranger.flush();
        await Bun.sleep(2);
      }
    })();
    await load.sendAll(DELIVERIES);
    const ids = new Set(
      load.sends.flatMap(({ outcome }) => (outcome.kind === "accepted" ? [outcome.id] : [])),
    );
    const missing = () => {
      for (const { webhookId } of cluster.book.receipts) ids.delete(webhookId);
      return ids.size;
    };
    await until(() => missing() === 0, { what: "every delivery, during the flood" });
    isOver = true;
    await flooding;
    expect(load.accepted).toBe(load.sends.length);
    expect(await termsOfLeases()).toEqual(terms);
    await cluster.settled();
    expect(check(await cluster.evidence(loads))).toEqual([]);
    expect(await dispatcher.memory()).toBeLessThan(600 * MEBIBYTE);
  },
);

test("the floods do not fill the log", async () => {
  const lines = (await warnings()).slice(warningsAtStart);
  const refusals = lines.filter((msg) => msg.startsWith("messages from NATS refused"));
  expect(lines.filter((msg) => !msg.startsWith("messages from NATS refused"))).toEqual([]);
  // Two kinds of subjects, once a minute each.
  expect(refusals.length).toBeWithin(1, 7);
});

/** Returns the dispatcher's warnings and errors. */
async function warnings(): Promise<string[]> {
  return (await dispatcher.logged()).filter(({ level }) => level >= 40).map(({ msg }) => msg);
}

/** A lease that was lost and taken again has another term. */
async function termsOfLeases(): Promise<unknown> {
  const sql = await cluster.sql();
  const rows = await sql`select partition, owner, term from partition_leases order by partition`;
  return [...rows];
}
