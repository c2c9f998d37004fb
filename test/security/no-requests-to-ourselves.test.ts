import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { createAddressPolicy, familyOf } from "../../src/attempt/targets/address";
import { checkTargetUrl } from "../../src/attempt/targets/target";
import { createLog } from "../../src/runtime/log";
import { type Service, startService } from "../../src/service/service";
import { answer, Receiver } from "../attempt/receiver";
import { createSender, exchangeOf, to } from "../attempt/sending";
import { type TestDatabase, testDatabase } from "../support/postgres";
import { configOn } from "../support/service-config";

/** Addresses of this machine that others can reach. Link-local ones need a zone, which no URL has. */
const OWN = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .filter(({ internal, address }) => !internal && !/^fe80:/i.test(address))
  .map(({ address }) => address);
/** Permits every network, as an operator may whose receivers are in private ones. */
const EVERY_NETWORK = "0.0.0.0/0,::/0";

const inUrl = (address: string) => (address.includes(":") ? `[${address}]` : address);
const mapped = (address: string) => (address.includes(":") ? address : `::ffff:${address}`);

const open: { close(): void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

function opened<T extends { close(): void }>(each: T): T {
  open.push(each);
  return each;
}

describe.skipIf(OWN.length === 0)("in production our own addresses", () => {
  test.each(OWN)("can't be registered as targets: %s", (address) => {
    const policy = createAddressPolicy({ production: true, allowPrivateNetworks: EVERY_NETWORK });
    for (const host of [address, mapped(address)])
      expect(checkTargetUrl(`http://${inUrl(host)}:9464/metrics`, policy)).toEqual({
        ok: false,
        reason: "url must not point to a private or reserved address, or to this machine",
      });
  });

  test.each(OWN)("get no request by way of a name: %s", async (address) => {
    const receiver = opened(await Receiver.open({ host: address }));
    for (const found of [address, mapped(address)]) {
      const lookup = async () => [{ address: found, family: familyOf(found) ?? 4 }];
      const sender = opened(createSender({ production: true, allowPrivateNetworks: EVERY_NETWORK, lookup }));
      const exchange = await exchangeOf(sender, to(`http://hook.test:${receiver.port}/`));
      expect(exchange).toMatchObject({ status: 0, error: "blocked_address" });
    }
    expect(receiver.connections).toBe(0);
  });

  test.each(OWN)("get requests if they are listed one by one: %s", async (address) => {
    const receiver = opened(await Receiver.answering(answer(200)));
    const own = opened(
      await Receiver.open({ host: address, onRequest: ({ socket }) => socket.write(answer(200)) }),
    );
    const sender = opened(createSender({ production: true, allowPrivateNetworks: address }));
    const send = (url: string) => exchangeOf(sender, to(url));
    expect(await send(`http://${inUrl(address)}:${own.port}/`)).toMatchObject({ status: 200 });
    expect(await send(receiver.url)).toMatchObject({ status: 0, error: "blocked_address" });
  });
});

describe("the port of metrics and health", () => {
  let database: TestDatabase;
  let folder: string;
  const services: Service[] = [];
  beforeAll(async () => {
    database = await testDatabase();
    folder = await mkdtemp(join(tmpdir(), "hermod-metrics-host-"));
  });
  afterAll(async () => {
    await Promise.all(services.map((service) => service.stop()));
    await database.drop();
    await rm(folder, { recursive: true });
  });

  async function start(env: Record<string, string>): Promise<Service> {
    const config = await configOn(database, folder, { HERMOD_METRICS_PORT: "0", ...env });
    const service = await startService(config, "api", createLog("silent"));
    services.push(service);
    return service;
  }

  test("is on loopback only, wherever the API listens", async () => {
    const service = await start({ HOST: "0.0.0.0" });
    expect(await listens("127.0.0.1", service.metricsPort)).toBe(true);
    for (const address of OWN) expect(await listens(address, service.metricsPort)).toBe(false);
    const reachable = OWN.filter((address) => familyOf(address) === 4);
    for (const address of reachable) expect(await listens(address, service.port)).toBe(true);
  });

  test.skipIf(OWN.length === 0)("is on another address if HERMOD_METRICS_HOST says so", async () => {
    const [address = ""] = OWN;
    const service = await start({ HERMOD_METRICS_HOST: address });
    expect(await listens(address, service.metricsPort)).toBe(true);
    expect(await listens("127.0.0.1", service.metricsPort)).toBe(false);
  });

  test("is named if it can't be listened on", async () => {
    const started = start({ HERMOD_METRICS_HOST: "203.0.113.77", HERMOD_METRICS_PORT: "9464" });
    await expect(started).rejects.toThrow("HERMOD_METRICS_HOST 203.0.113.77 with HERMOD_METRICS_PORT 9464");
  });
});

function listens(host: string, port: number | null): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port: port ?? 0 });
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
