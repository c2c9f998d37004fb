// Sends while this process can't open files, then again once it can, and prints the results. Run it with a low limit on open
// files.
import { closeSync, openSync } from "node:fs";
import type { ExchangeResult } from "../../src/attempt/exchange";
import { ForwardProxy } from "./forward-proxy";
import { answer, Receiver } from "./receiver";
import { createSender, to } from "./sending";

const receiver = await Receiver.answering(answer(200));
const proxy = await ForwardProxy.open();
const pair = async () =>
  [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ] as const;
const direct = createSender();
const SENDS: Record<string, () => Promise<ExchangeResult>> = {
  address: () => direct.send(to(`${receiver.url}?${Math.random()}`)),
  "a name's two addresses": () =>
    createSender({ lookup: pair }).send(to(`http://hook.test:${receiver.port}/`)),
  "a look-up": () => direct.send(to(`http://localhost:${receiver.port}/`)),
  proxy: () => createSender({ egressProxy: `http://${proxy.address}` }).send(to(receiver.url)),
};

async function sendAll(): Promise<Record<string, unknown>> {
  const results: Record<string, unknown> = {};
  for (const [name, send] of Object.entries(SENDS)) {
    const result = await send();
    results[name] = result.kind === "exchanged" ? (result.exchange.error ?? result.exchange.status) : result;
  }
  return results;
}

const taken: number[] = [];
try {
  for (;;) taken.push(openSync("/dev/null", "r"));
} catch {
  // No file is left to open.
}
const without = await sendAll();
for (const file of taken) closeSync(file);
process.stdout.write(JSON.stringify({ without, again: await sendAll() }));
process.exit(0);
