import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writability } from "../../src/installation/writability";
import { startService } from "../../src/service/service";
import { atEnd } from "../support/at-end";
import { terminateBackends } from "../support/faults/postgres-server";
import { until } from "../support/faults/until";
import { keepingLog } from "../support/keeping-log";
import { useDatabase } from "../support/postgres";
import { ADMIN_KEY, configOn } from "../support/service-config";

setDefaultTimeout(120_000);

const BEGUN = /^Postgres refuses writes: /;
const OVER = "Postgres takes writes again";

const folder = await mkdtemp(join(tmpdir(), "hermod-refused-"));
const database = await useDatabase();
atEnd(() => rm(folder, { recursive: true }));

test("while Postgres is read-only one warning says why, health and metrics show it, and 503s are logged once a second", async () => {
  const { lines, log } = keepingLog();
  const env = { HERMOD_METRICS_PORT: "0" };
  const service = await startService(await configOn(database, folder, env), "all", log);
  const monitor = `http://127.0.0.1:${service.metricsPort}`;
  const post = (path: string, body: object) =>
    fetch(`http://127.0.0.1:${service.port}/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const writable = async () =>
    /^hermod_postgres_writable (\d)$/m.exec(await (await fetch(`${monitor}/metrics`)).text())?.[1];
  const health = async (query = "") => {
    const answer = await fetch(`${monitor}/health/ready${query}`);
    return { status: answer.status, body: JSON.parse(await answer.text()) };
  };
  const created = await post("/endpoints", { url: "http://127.0.0.1:9/" });
  const { id } = JSON.parse(await created.text());
  const send = () => post("/webhooks", { endpoint_id: id, event: "a.b", data: {} });
  expect(await writable()).toBe("1");

  const name = new URL(database.url).pathname.slice(1);
  const setReadOnly = async (state: "on" | "off") => {
    await database.db.transaction(async (sql) => {
      await sql.unsafe(
        `set transaction read write; alter database ${name} set default_transaction_read_only = ${state}`,
      );
    });
    await terminateBackends(database.url, 1, 0);
  };
  await setReadOnly("on");
  const began = performance.now();
  const statuses: number[] = [];
  while (statuses.filter((status) => status === 503).length < 100) statuses.push((await send()).status);
  const refusedS = (performance.now() - began) / 1_000;
  expect(await writable()).toBe("0");
  await until(async () => (await health()).body.writes === false, { what: "health that shows it" });
  const answer = { status: "degraded", postgres: true, writes: false };
  expect(await health()).toMatchObject({ status: 200, body: answer });
  expect(await health("?require=writes")).toMatchObject({
    status: 503,
    body: { ...answer, status: "unready" },
  });
  await setReadOnly("off");
  await until(async () => (await send()).status === 201, { what: "an accepted send" });
  await until(async () => (await writable()) === "1", { what: "the metric", withinMs: 60_000 });
  await service.stop();

  const begun = lines.filter(({ msg }) => BEGUN.test(String(msg)));
  expect(begun).toMatchObject([{ level: 40, code: "25006", error: expect.stringContaining("read-only") }]);
  expect(lines.filter(({ msg }) => msg === OVER)).toMatchObject([
    { level: 30, refused_for_ms: expect.any(Number) },
  ]);
  const refusals = lines.filter(({ msg }) => msg === "could not serve a request; answered 503");
  expect(refusals[0]).toMatchObject({ level: 40, request_id: expect.any(String), error: expect.any(String) });
  expect(refusals.some(({ code }) => code === "25006")).toBeTrue();
  expect(refusals.length).toBeLessThan(refusedS + 30);
});

test("refusals that go on while the probe writes are one outage", async () => {
  const { lines, log } = keepingLog();
  let now = 0;
  const waits: (() => void)[] = [];
  const clock = {
    now: () => now,
    monotonic: () => now,
    after: (_: number, fire: () => void) => {
      waits.push(fire);
      return () => {};
    },
  };
  const writability = new Writability({ clock, log, probe: async () => {} });
  const diskFull = Object.assign(new Error("No space left on device"), { code: "53100" });
  writability.failed(new Error("of a statement"));
  expect(writability.isWritable).toBeTrue();
  for (; now < 20_000; now += 500) {
    writability.failed(diskFull);
    await Bun.sleep(0);
    waits.shift()?.();
  }
  expect(lines).toMatchObject([{ code: "53100", error: "No space left on device" }]);
  while (!writability.isWritable && now < 40_000) {
    now += 500;
    waits.shift()?.();
    await Bun.sleep(0);
  }
  expect(lines.map(({ msg }) => msg)).toEqual([expect.stringMatching(BEGUN), OVER]);
  await writability.stop();
});
