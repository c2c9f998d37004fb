import { join } from "node:path";
import { webhookHeaders } from "../../src/attempt/webhook-request";
import type { InboxOptions } from "../../src/client/inbox/index.ts";
import { type DeliveryId, leastIdAt, toText } from "../../src/domain/ids";
import { Random } from "../support/faults/random";
import { until } from "../support/faults/until";
import { type Driver, newReceiver } from "./inbox-receiver";

export const ENDPOINT = "ep_01k9x3v5q8e7bt2m4n6p8r0s2t";
export const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=";

type Sent = { id?: number; key?: string | null; secret?: string; body?: string };

/** A request as Hermod sends it. The payload has the number of the id. */
export function webhook(
  sequence: number,
  { id = sequence, key = null, secret = SECRET, body = JSON.stringify({ n: id }) }: Sent = {},
): Request {
  const deliveryId = idOf(id);
  const delivery = { id: deliveryId, event: "a.b", orderingKey: key, sequence };
  const headers = webhookHeaders(delivery, {
    webhookId: toText("wh", deliveryId),
    attempt: 1,
    timestamp: Math.floor(Date.now() / 1_000),
    secrets: [secret],
    added: null,
    body,
  });
  return new Request("http://127.0.0.1/hooks", { method: "POST", headers, body });
}

function idOf(n: number): DeliveryId {
  return `${leastIdAt(1_700_000_000_000).slice(0, 24)}${n.toString(16).padStart(12, "0")}` as DeliveryId;
}

type Storm = Readonly<{
  driver: Driver;
  address: string;
  count: number;
  kills: number;
  /** Requests at the same time; 100 by default, the most that an unordered endpoint may have. */
  inFlight?: number;
  /** How long an answer takes on its way, in milliseconds. */
  distanceMs?: number;
}>;

const OPTIONS: InboxOptions = { endpoint: ENDPOINT, secrets: SECRET, ordered: true };

/**
 * Sends webhooks to a receiver that is killed now and then: several at a time, in an order that differs from the numbers by up to
 * 200, one in five again. Sends each until it is answered 2xx, as Hermod does. Resolves once the work of all is done.
 */
export async function storm({ driver, address, count, kills, inFlight = 100, distanceMs = 0 }: Storm) {
  const random = new Random(11);
  const numbers = Array.from({ length: count }, (_, i) => i + 1);
  const repeated = numbers.filter(() => random.next() < 0.2);
  const order = [...numbers, ...repeated]
    .map((n) => ({ n, at: n + 200 * random.next() }))
    .toSorted((a, b) => a.at - b.at);
  let child = await start(driver, address);
  let [next, answered, killed] = [0, 0, 0];
  const send = async (n: number) => {
    for (;;) {
      const { method, headers, body } = webhook(n);
      const sent = { method, headers, body: await new Response(body).text() };
      const status = await fetch(`http://127.0.0.1:${child.port}/`, sent).then(
        (answer) => answer.status,
        () => 0,
      );
      if (distanceMs > 0) await Bun.sleep(distanceMs);
      if (status >= 200 && status < 300) return;
      await Bun.sleep(20);
    }
  };
  const sender = async () => {
    for (let each = order[next++]; each; each = order[next++]) {
      await send(each.n);
      answered++;
    }
  };
  const killer = async () => {
    for (let i = 1; i <= kills; i++) {
      await until(() => answered >= (i * order.length) / (kills + 1), { withinMs: 3_600_000 });
      child.kill("SIGKILL");
      await child.exited;
      killed++;
      child = await start(driver, address);
    }
  };
  const began = performance.now();
  await Promise.all([killer(), ...Array.from({ length: inFlight }, sender)]);
  const reader = await newReceiver(driver, address, OPTIONS);
  await until(async () => (await reader.effects()).length >= count, { pollMs: 200 });
  const seconds = (performance.now() - began) / 1_000;
  const effects = await reader.effects();
  await reader.close();
  child.kill();
  await child.exited;
  return { killed, seconds, sequences: effects.map(({ sequence }) => sequence) };
}

async function start(driver: Driver, address: string) {
  const program = join(import.meta.dir, "inbox-receiver.ts");
  const argument = JSON.stringify({ driver, address, options: OPTIONS });
  const child = Bun.spawn([process.execPath, program, argument], { stdout: "pipe", stderr: "inherit" });
  const { value } = await child.stdout.getReader().read();
  const port = Number(new TextDecoder().decode(value));
  return { port, exited: child.exited, kill: (signal?: NodeJS.Signals) => child.kill(signal) };
}

/** Measures with a receiver 50 ms away: `bun test/client/inbox-storm.ts [count] [driver] [address]`. */
if (import.meta.main) {
  const [count = "50000", driver = "bun:sqlite", given] = process.argv.slice(2);
  const addressOf = (name: string) => given ?? `/tmp/hermod-inbox-${process.pid}-${name}.sqlite`;
  const far = { driver: driver as Driver, distanceMs: 50 };
  const one = await storm({ ...far, address: addressOf("one"), count: 100, kills: 0, inFlight: 1 });
  const many = await storm({ ...far, address: addressOf("many"), count: Number(count), kills: 5 });
  const isExact = many.sequences.every((n, i) => n === i + 1) && many.sequences.length === Number(count);
  const [slow, fast] = [120 / one.seconds, (1.2 * Number(count)) / many.seconds];
  console.log({
    isExact,
    killed: many.killed,
    seconds: many.seconds,
    requestsPerSecond: fast,
    ratio: fast / slow,
  });
}
