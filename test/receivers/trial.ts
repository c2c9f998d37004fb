import type { Exchange } from "../../src/attempt/exchange";
import { createSender, exchangeOf, type TestSender, to } from "../attempt/sending";
import { SlowRelay } from "../attempt/slow-relay";
import { RunningReceiver } from "./running-receiver";
import type { Runtime } from "./runtimes";

/** What a receiver's webhooks came to. */
export type Result = Readonly<{
  name: string;
  webhooks: number;
  /** Requests that met a connection which the receiver had closed before they arrived. */
  late: number;
  /** Bodies that were read more than once. */
  repeats: number;
  /** Webhooks with an early answer, and the bytes that are missing of those that count as delivered. */
  early: number;
  missing: number;
  failures: readonly string[];
}>;

const KEEP_ALIVE_MS = 1_000;
const DELAY_MS = 40;
/** Accounts that send at the same time, each on connections of its own, and what each sends. */
const ACCOUNTS = 40;
const WEBHOOKS = 8;
/** Around the moment at which a request and the receiver's closing cross each other on the way. */
const GAP_MS = { least: KEEP_ALIVE_MS - 3 * DELAY_MS, most: KEEP_ALIVE_MS + DELAY_MS / 2 };
const SIZES = [200_000, 400_000, 600_000, 800_000, 1_000_000];

/** Sends webhooks to a receiver over a long link; null if it can't run here. */
export async function tryReceiver(runtime: Runtime): Promise<Result | null> {
  const receiver = await RunningReceiver.start(runtime, KEEP_ALIVE_MS);
  if (receiver === null) return null;
  const relay = await SlowRelay.open(receiver.port, { delayMs: DELAY_MS });
  const sender = createSender({ timeoutMs: 15_000 });
  try {
    const url = `http://127.0.0.1:${relay.port}`;
    const accounts = Array.from({ length: ACCOUNTS }, (_, n) =>
      sendWithGaps(sender, `${url}/`, `account ${n}`),
    );
    const exchanges = (await Promise.all(accounts)).flat();
    const read = receiver.lengths.length;
    const early = runtime.canAnswerEarly
      ? await Promise.all(SIZES.map((size) => sendEarly(sender, url, size)))
      : [];
    const wanted = early.reduce((sum, each, n) => sum + (each.acknowledged ? (SIZES[n] ?? 0) : 0), 0);
    const arrived = () => receiver.lengths.slice(read).reduce((sum, length) => sum + length, 0);
    for (let waits = 0; arrived() < wanted && waits < 100; waits++) await Bun.sleep(100);
    return {
      name: runtime.name,
      webhooks: exchanges.length,
      late: relay.late,
      repeats: read - exchanges.length,
      early: early.length,
      missing: wanted - arrived(),
      failures: [...exchanges, ...early].flatMap(failureIn),
    };
  } finally {
    sender.close();
    relay.close();
    await receiver.stop();
  }
}

async function sendWithGaps(sender: TestSender, url: string, account: string): Promise<Exchange[]> {
  const owner = { account, endpoint: account, isFailing: false };
  const exchanges: Exchange[] = [];
  for (let n = 0; n < WEBHOOKS; n++) {
    exchanges.push(await exchangeOf(sender, { ...to(url), owner }));
    await Bun.sleep(GAP_MS.least + Math.random() * (GAP_MS.most - GAP_MS.least));
  }
  return exchanges;
}

function sendEarly(sender: TestSender, url: string, size: number): Promise<Exchange> {
  return exchangeOf(sender, { ...to(`${url}/early`), body: "x".repeat(size) });
}

function failureIn({ acknowledged, status, error, errorDetail }: Exchange): string[] {
  return acknowledged && error === null ? [] : [`${status} ${error} ${errorDetail}`];
}
