import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { NatsConnection } from "nats";
import { type EndpointId, fromText, newId } from "../../src/domain/ids";
import { encodeHints } from "../../src/stream/hint";
import { check } from "../support/faults/checker/check";
import { Cluster, KEY } from "../support/faults/cluster";
import type { HermodProcess } from "../support/faults/hermod-process";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { until } from "../support/faults/until";
import { streamSigner } from "../support/signers";

setDefaultTimeout(120_000);

const STRANGERS_KEY = Buffer.alloc(32, 9).toString("base64");
const FORGED = '{"marker":"forged"}';

let cluster: Cluster;
let dispatcher: HermodProcess;
let stranger: NatsConnection;
let load: Load;
let endpoint: EndpointId;
/** Genuine messages that the attacker has seen. */
const messages: { subject: string; data: Uint8Array }[] = [];

// Without sweeps, so that a delivery that arrives was in an accepted message.
beforeAll(async () => {
  cluster = await Cluster.start({ postgres: "shared", env: { HERMOD_SWEEP_INTERVAL: "1h" } });
  [, dispatcher] = await Promise.all([
    cluster.launch("api", "api"),
    cluster.launch("dispatcher", "dispatcher"),
  ]);
  const reads = async () =>
    (await dispatcher.logged()).some(({ msg }) => msg.startsWith("reading the subjects"));
  await until(reads, { what: "a dispatcher that reads the stream" });
  stranger = await cluster.nats.connect();
  const endpoints = await cluster.newEndpoints(1);
  endpoint = fromText("ep", endpoints[0] ?? "") as EndpointId;
  const apis = [cluster.client.baseUrl];
  load = new Load({ apis, key: KEY, endpoints, random: new Random(3), workers: 1 });
  await sendAndReceive(5);
});

afterAll(() => cluster[Symbol.asyncDispose]());

async function sendAndReceive(count: number): Promise<void> {
  await load.sendAll(count);
  const missing = new Set(
    load.sends.flatMap(({ outcome }) => (outcome.kind === "accepted" ? [outcome.id] : [])),
  );
  const allCame = () => {
    for (const { webhookId } of cluster.book.receipts) missing.delete(webhookId);
    return missing.size === 0;
  };
  await until(allCame, { what: "every delivery sent" });
}

function lastMessage() {
  const last = messages.at(-1);
  if (!last) throw new Error("nothing was published");
  return last;
}

/** Makes a message with the endpoint's next sequence, as only the API does. */
function forged(): Uint8Array {
  const ids = { id: newId("wh"), accountId: newId("acc"), endpointId: endpoint };
  const sequence = load.sends.length + 1;
  return encodeHints([
    {
      ...ids,
      partition: 0,
      sequence,
      event: "forged",
      orderingKey: null,
      eventExternalId: null,
      revision: 0,
      data: FORGED,
    },
  ]);
}

/** Puts the first line of a message that the attacker has seen before a body of its own. */
function underAnothersLine(body: Uint8Array): Uint8Array {
  const genuine = Buffer.from(lastMessage().data);
  return Buffer.concat([genuine.subarray(0, genuine.indexOf("\n") + 1), body]);
}

const forgeries: [what: string, forge: () => Uint8Array][] = [
  ["without a signature", forged],
  ["signed with a key of its own", () => streamSigner(STRANGERS_KEY).sign(lastMessage().subject, forged())],
  ["under the first line of a genuine message", () => underAnothersLine(forged())],
  [
    "under a genuine line with a later time",
    () => {
      const text = Buffer.from(underAnothersLine(forged())).toString("latin1");
      return Buffer.from(
        text.replace(/ (\d{16}) /, (_, sent) => ` ${BigInt(sent) + 1n} `),
        "latin1",
      );
    },
  ],
];

test.each(forgeries)("a payload of a client of NATS is sent to no receiver: %s", async (_, forge) => {
  const listening = stranger.subscribe("hermod.deliveries.>", {
    callback: (_, { subject, data }) => messages.push({ subject, data: data.slice() }),
  });
  const seen = messages.length;
  await stranger.flush();
  await sendAndReceive(1);
  await until(() => messages.length > seen, { what: "a genuine message" });
  listening.unsubscribe();
  const before = cluster.book.receipts.length;
  stranger.publish(lastMessage().subject, forge());
  await stranger.flush();
  // Anything made of the forged message is over by then, since it came first.
  await sendAndReceive(1);
  expect(cluster.book.receipts.length).toBe(before + 1);
});

test("a genuine message that is repeated is not sent again", async () => {
  const before = cluster.book.receipts.length;
  for (const { subject, data } of messages) stranger.publish(subject, data);
  await stranger.flush();
  await sendAndReceive(1);
  expect(cluster.book.receipts.length).toBe(before + 1);
});

test("the operator is warned once, with the subject and the reason", async () => {
  const warnings = (await dispatcher.logged()).filter(({ msg }) =>
    msg.startsWith("messages from NATS refused"),
  );
  expect(warnings).toMatchObject([
    { level: 40, subject: lastMessage().subject, reason: "not a message of Hermod", refused: 1 },
  ]);
  await cluster.settled();
  expect(check(await cluster.evidence([load]))).toEqual([]);
});
