// `bun run demo`: starts Hermod unless it runs in this folder, registers receivers of its own, and sends events to them.
import { join } from "node:path";
import { findConnection } from "../cli/connection";
import { fetchLocally } from "../cli/local-fetch";
import { NO_PROFILES } from "../cli/profiles";
import { Hermod } from "../client";
import { openDataDir, secretIn } from "../embedded/data-dir";
import { systemClock } from "../runtime/clock";
import { createLog } from "../runtime/log";
import { baseUrlOf } from "../service/banner";
import { readConfig } from "../service/config";
import { launcherGone } from "../service/launcher";
import { startService } from "../service/service";
import { BEHAVIOURS, DemoReceiver } from "./receiver";

const EVENTS = ["order.created", "order.paid", "invoice.paid", "user.updated"];
const CUSTOMERS = 5;
const EVERY_MS = 400;

/** A Hermod to talk to; `stop` ends one that was started here. */
type DemoService = { hermod: Hermod; url: string; stop(): Promise<void> };

/** Connects to the service of this folder. Starts one in this process where none runs. */
async function connect(): Promise<DemoService> {
  const running = await findConnection({}, process.env, NO_PROFILES).catch(() => null);
  if (running)
    return {
      hermod: new Hermod({ ...running, fetch: fetchLocally }),
      url: running.url,
      stop: async () => {},
    };
  say("Starting Hermod …");
  const given = readConfig(process.env);
  const adminKey = given.adminKey ?? (await secretIn(join(await openDataDir(given.dataDir), "admin-key")));
  const config = Object.freeze({ ...given, adminKey });
  const { port, stop } = await startService(config, "all", createLog("warn"));
  const url = baseUrlOf(config, port ?? config.port);
  return { hermod: new Hermod({ url, key: adminKey, fetch: fetchLocally }), url, stop };
}

async function sendEvents(hermod: Hermod, ended: AbortSignal): Promise<void> {
  for (let n = 1; !ended.aborted; n++) {
    const event = EVENTS[n % EVENTS.length] ?? "order.created";
    await hermod.events.publish({ event, data: { number: n, customer: `customer-${n % CUSTOMERS}` } });
    await Bun.sleep(EVERY_MS);
  }
}

async function run(): Promise<void> {
  const ended = endedBySignal();
  const { hermod, url, stop } = await connect();
  const ids: string[] = [];
  try {
    await using receiver = new DemoReceiver(say);
    for (const behaviour of BEHAVIOURS) {
      const endpoint = await hermod.endpoints.create({
        url: receiver.urlOf(behaviour),
        description: `demo: ${behaviour.about}`,
      });
      receiver.trust(behaviour, endpoint.signing_secret);
      ids.push(endpoint.id);
      say(`${behaviour.name.padEnd(10)} ${endpoint.id}  ${behaviour.about}`);
    }
    say(`\nAPI ${url}/v1 · docs ${url}/swagger · Ctrl-C ends the demo and deletes its endpoints\n`);
    await sendEvents(hermod, ended);
    for (const id of ids) await hermod.endpoints.delete(id);
  } finally {
    await stop();
  }
}

function endedBySignal(): AbortSignal {
  const ending = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => ending.abort());
  launcherGone(systemClock, process.env).then(() => ending.abort());
  return ending.signal;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

await run();
process.exit(0);
