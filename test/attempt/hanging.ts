/**
 * Runs rounds of 500 exchanges with a receiver that accepts and never answers, beside exchanges with a healthy one.
 * A separate process, because its memory is measured.
 */
import { answer, Receiver } from "./receiver";
import { createSender, exchangeOf, to } from "./sending";

const ROUNDS = 4;
const hanging = await Receiver.open();
const healthy = await Receiver.answering(answer(200, "ok"));
const sender = createSender({ timeoutMs: 1_200 });

let timeouts = 0;
let mostOpen = 0;
let slowestHealthyMs = 0;

async function round(): Promise<void> {
  const exchanges = Array.from({ length: 500 }, () => exchangeOf(sender, to(hanging.url)));
  for (let i = 0; i < 4; i++) {
    await Bun.sleep(80);
    const { durationMs, status } = await exchangeOf(sender, to(healthy.url));
    slowestHealthyMs = Math.max(slowestHealthyMs, status === 200 ? durationMs : Number.POSITIVE_INFINITY);
    mostOpen = Math.max(mostOpen, hanging.open);
  }
  for (const { error } of await Promise.all(exchanges)) if (error === "timeout") timeouts++;
  hanging.requests.length = 0;
}

async function memory(): Promise<number> {
  await Bun.sleep(100);
  Bun.gc(true);
  return process.memoryUsage().rss;
}

// The first round fills the caches.
await round();
const before = await memory();
for (let i = 1; i < ROUNDS; i++) await round();
const grownBytes = (await memory()) - before;

console.log(
  JSON.stringify({
    rounds: ROUNDS,
    timeouts,
    mostOpen,
    slowestHealthyMs,
    openAfter: hanging.open,
    inFlightAfter: sender.inFlight,
    grownBytes,
  }),
);
process.exit();
