import type { Exchange } from "../../src/attempt/exchange";
import { AUTHORITY } from "../attempt/certificates";
import { isInstalled, type ProxyKind, RealProxy } from "../attempt/real-proxy";
import { createSender, exchangeOf, type TestSender, to } from "../attempt/sending";
import { SlowRelay } from "../attempt/slow-relay";
import { until } from "../support/faults/until";
import { RunningReceiver } from "./running-receiver";
import type { Runtime } from "./runtimes";

/** A receiver, and the proxy that webhooks go through to it. */
export type Trial = Readonly<{ name: string; runtime: Runtime; proxy: ProxyKind | null }>;

/** The results of a receiver's webhooks. */
export type Result = Readonly<{
  webhooks: number;
  /** Webhooks that were answered before their body was read. */
  early: number;
  /** Writes that met a connection which the receiver had closed before they arrived: of requests, and of the ends of TLS. */
  late: number;
  /** Bodies that were read more than once. */
  repeats: number;
  /** Bytes of webhooks that count as delivered, and that the receiver has not read. */
  missing: number;
  failures: readonly string[];
}>;

/** A webhook that was sent. No two bodies of a trial have the same length, so the receiver names a body by its length. */
type Sent = Readonly<{ length: number; exchange: Exchange }>;

const KEEP_ALIVE_MS = 1_000;
const DELAY_MS = 40;
/** Accounts that send at the same time, each on connections of its own, and what each sends. */
const ACCOUNTS = 40;
const WEBHOOKS = 25;
/** Around the moment at which a request and the receiver's closing cross each other on the way. */
const GAP_MS = { least: KEEP_ALIVE_MS - 3 * DELAY_MS, most: KEEP_ALIVE_MS + DELAY_MS / 2 };
const LEAST_LENGTH = 100;
const EARLY_LENGTHS = [200_000, 400_000, 600_000, 800_000, 1_000_000];

/** Sends webhooks to a receiver over a long link; null if it or its proxy is not installed. */
export async function tryReceiver({ runtime, proxy: kind }: Trial): Promise<Result | null> {
  if (kind !== null && !isInstalled(kind)) return null;
  const receiver = await RunningReceiver.start(runtime, KEEP_ALIVE_MS);
  if (receiver === null) return null;
  const relay = await SlowRelay.open(receiver.port, { delayMs: DELAY_MS });
  const proxy = kind === null ? null : await RealProxy.start(kind);
  const sender = createSender({
    timeoutMs: 15_000,
    egressProxy: proxy?.url,
    lookup: async () => [{ address: "127.0.0.1", family: 4 }],
    tls: { certificateAuthorities: AUTHORITY },
  });
  try {
    const url = `${runtime.isSecure ? "https" : "http"}://hook.test:${relay.port}`;
    const accounts = Array.from({ length: ACCOUNTS }, (_, n) => sendWithGaps(sender, `${url}/`, n));
    const sent = (await Promise.all(accounts)).flat();
    const sizes = runtime.canAnswerEarly ? EARLY_LENGTHS : [];
    const target = { url: `${url}/early`, account: "early" };
    const early = await Promise.all(sizes.map((length) => sendOne(sender, target, length)));
    const all = [...sent, ...early];
    const missing = () => missingOf(all, new Set(receiver.lengths));
    // The trial reports how many never arrived.
    await until(() => missing() === 0, { what: "the last request at the receiver" }).catch(() => {});
    return {
      webhooks: all.length,
      early: early.length,
      late: relay.late,
      repeats: receiver.lengths.length - new Set(receiver.lengths).size,
      missing: missing(),
      failures: all.flatMap(failureIn),
    };
  } finally {
    sender.close();
    relay.close();
    await proxy?.stop();
    await receiver.stop();
  }
}

async function sendWithGaps(sender: TestSender, url: string, nth: number): Promise<Sent[]> {
  const sent: Sent[] = [];
  for (let n = 0; n < WEBHOOKS; n++) {
    const length = LEAST_LENGTH + nth * WEBHOOKS + n;
    sent.push(await sendOne(sender, { url, account: `account ${nth}` }, length));
    await Bun.sleep(GAP_MS.least + Math.random() * (GAP_MS.most - GAP_MS.least));
  }
  return sent;
}

async function sendOne(
  sender: TestSender,
  { url, account }: Readonly<{ url: string; account: string }>,
  length: number,
): Promise<Sent> {
  const owner = { account, endpoint: account, isFailing: false };
  const exchange = await exchangeOf(sender, { ...to(url), owner, body: "x".repeat(length) });
  return { length, exchange };
}

function missingOf(sent: readonly Sent[], read: ReadonlySet<number>): number {
  const lost = sent.filter(({ length, exchange }) => exchange.acknowledged && !read.has(length));
  return lost.reduce((sum, { length }) => sum + length, 0);
}

function failureIn({ exchange: { acknowledged, status, error, errorDetail } }: Sent): string[] {
  return acknowledged && error === null ? [] : [`${status} ${error} ${errorDetail}`];
}
