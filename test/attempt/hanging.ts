/**
 * Runs rounds of 500 exchanges with a receiver that accepts and never answers, beside exchanges with a healthy one.
 * A separate process, because its memory is measured.
 */
import { until } from "../support/faults/until";
import { answer, Receiver } from "./receiver";
import { createSender, exchangeOf, to } from "./sending";

const ROUNDS = 4;
const hanging = await Receiver.open();
const healthy = await Receiver.answering(answer(200, "ok"));
const sender = createSender({ timeoutMs: 2_000 });

let timeouts = 0;
let mostOpen = 0;
/** Number of healthy exchanges that failed, or that ended after a hanging one. */
let delayed = 0;

async function round(): Promise<void> {
  const exchanges = Array.from({ length: 500 }, () => exchangeOf(sender, to(hanging.url)));
  const firstEnd = Promise.race(exchanges);
  await until(() => hanging.open === 500);
  mostOpen = Math.max(mostOpen, hanging.open);
  for (let i = 0; i < 4; i++) {
    const first = await Promise.race([exchangeOf(sender, to(healthy.url)), firstEnd]);
    if (first.status !== 200) delayed++;
  }
  for (const { error } of await Promise.all(exchanges)) if (error === "timeout") timeouts++;
  hanging.requests.length = 0;
}

async function memory(): Promise<number> {
  await until(() => hanging.open === 0).catch(() => {});
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
    delayed,
    openAfter: hanging.open,
    inFlightAfter: sender.inFlight,
    grownBytes,
  }),
);
process.exit();
