import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { connect } from "nats";
import { checkNats } from "../../src/doctor/nats";
import { natsBinary } from "../../src/embedded/nats-binary";
import { type Service, startService } from "../../src/service/service";
import { natsOptions } from "../../src/stream/connection";
import { STREAM } from "../../src/stream/topology";
import { type Folder, makeFolder } from "../embedded/folder";
import { atEnd } from "../support/at-end";
import { until } from "../support/faults/until";
import { freePort } from "../support/free-port";
import { keepingLog } from "../support/keeping-log";
import { NATS_COMMAND } from "../support/nats-command";
import { useDatabase } from "../support/postgres";
import { ADMIN_KEY, configOn } from "../support/service-config";

setDefaultTimeout(120_000);

// Digits and an "e", as random hexadecimal digits may be: NATS reads a number there without quotation marks.
const PASSWORD = "7e4";
const port = freePort();
const url = `nats://hermod:${PASSWORD}@127.0.0.1:${port}`;

const database = await useDatabase();
const folder: Folder = await makeFolder();
const server = await startSample();
atEnd(async () => {
  server.kill();
  await server.exited;
  await folder[Symbol.asyncDispose]();
});

/** Starts a server with deploy/nats/nats.conf. Only its folder and its port for health are others. */
async function startSample(): Promise<Bun.Subprocess> {
  const sample = await Bun.file(join(import.meta.dir, "../../deploy/nats/nats.conf")).text();
  const config = join(folder.path, "nats.conf");
  const monitor = `127.0.0.1:${freePort()}`;
  await Bun.write(config, sample.replace("/data", folder.path).replace("127.0.0.1:8222", monitor));
  const command = NATS_COMMAND ?? (await natsBinary({ dataDir: folder.path }));
  const started = Bun.spawn([command, "-c", config, "-a", "127.0.0.1", "-p", String(port)], {
    env: { ...process.env, NATS_PASSWORD: `"${PASSWORD}"` },
    stdout: "ignore",
    stderr: "ignore",
  });
  await until(async () => (await fetch(`http://${monitor}/healthz`)).ok, { what: "a healthy NATS" });
  return started;
}

test("a delivery passes the stream with the permissions of the sample nats.conf, and nothing is refused", async () => {
  // A sweep would bring the delivery without the stream.
  const env = { NATS_URL: url, HERMOD_SWEEP_INTERVAL: "1h" };
  const config = await configOn(database, folder.dataDir, env);
  const { log, lines } = keepingLog();
  const services: Service[] = [];
  try {
    services.push(await startService(config, "dispatcher", log), await startService(config, "api", log));
    const isFollowing = () => lines.some(({ msg }) => String(msg).startsWith("reading the subjects"));
    await until(isFollowing, { what: "a dispatcher that reads the stream" });
    const { promise: delivered, resolve } = Promise.withResolvers<void>();
    using receiver = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => {
        resolve();
        return new Response();
      },
    });
    const send = (path: string, body: object) =>
      fetch(`http://127.0.0.1:${services[1]?.port}/v1${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const endpoint = (await (await send("/endpoints", { url: receiver.url.href })).json()) as { id: string };
    await send("/webhooks", { endpoint_id: endpoint.id, event: "order.paid", data: {} });
    await delivered;
    expect(await checkNats(config)).not.toContainEqual(expect.objectContaining({ state: "fault" }));
  } finally {
    await Promise.all(services.map((service) => service.stop()));
  }
  expect(JSON.stringify(lines)).not.toMatch(/permissions|stream: deliveries continue/i);
});

test("the user of the sample nats.conf reaches its own stream, and no other one", async () => {
  const nats = await connect({ ...natsOptions(url, null), reconnect: false, timeout: 2_000 });
  try {
    const manager = await nats.jetstreamManager();
    expect((await manager.streams.info(STREAM)).config.name).toBe(STREAM);
    await manager.streams.purge(STREAM);
    const other = manager.streams.add({ name: "OTHER", subjects: ["other"] });
    await expect(other).rejects.toThrow();
    const refused = nats.status()[Symbol.asyncIterator]().next();
    nats.publish("other", "text");
    expect((await refused).value).toMatchObject({ data: "PERMISSIONS_VIOLATION" });
  } finally {
    await nats.close();
  }
});
