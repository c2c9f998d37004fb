import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { findServers } from "../src/embedded/leftover";
import { type Folder, makeFolder, natsMark, postgresMark } from "./embedded/folder";
import { until } from "./support/faults/until";
import { testDatabase } from "./support/postgres";
import { programFor } from "./support/program";

setDefaultTimeout(120_000);

type Start = { folder: Folder; args?: string[]; env?: Record<string, string>; log?: string };

/** Starts the service as a process, and returns its output and its log. */
function start({ folder, args = [], env = {}, log = join(folder.path, "log") }: Start) {
  const output = join(folder.path, "output");
  const child = Bun.spawn([...programFor(env), ...args], {
    env: { PATH: process.env.PATH ?? "", PORT: "0", HERMOD_DATA_DIR: folder.dataDir, ...env },
    stdin: "ignore",
    stdout: Bun.file(output),
    stderr: Bun.file(log),
  });
  return { child, said: () => readFile(output, "utf8"), logged: () => readFile(log, "utf8") };
}

test("a SIGTERM while Postgres does not answer ends a start at once, without an error", async () => {
  await using folder = await makeFolder();
  const asked = Promise.withResolvers<void>();
  using mute = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { open: () => asked.resolve(), data() {} },
  });
  const DATABASE_URL = `postgres://hermod:hermod@127.0.0.1:${mute.port}/hermod`;
  const env = { DATABASE_URL, NATS_URL: "nats://127.0.0.1:9" };
  const { child, logged } = start({ folder, args: ["dispatcher"], env });
  await asked.promise;
  const begin = performance.now();
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
  // Before it would give up on this Postgres by itself, which takes 12 s.
  expect(performance.now() - begin).toBeLessThan(10_000);
  expect(await logged()).not.toContain("could not start");
});

test("a start that fails names the Postgres that can't be reached", async () => {
  await using folder = await makeFolder();
  const env = { DATABASE_URL: "postgres://hermod:secret@127.0.0.1:9/hermod", NATS_URL: "nats://127.0.0.1:9" };
  const { child, logged } = start({ folder, args: ["dispatcher"], env });
  expect(await child.exited).toBe(1);
  expect(await logged()).toBe(
    "Hermod could not start: Postgres can't be used: connect ECONNREFUSED 127.0.0.1:9\n",
  );
});

test("migrate needs only the database, even in production, and says that it is done", async () => {
  await using folder = await makeFolder();
  const database = await testDatabase();
  const env = { NODE_ENV: "production", DATABASE_URL: database.url };
  const { child, said, logged } = start({ folder, args: ["migrate"], env });
  const code = await child.exited;
  await database.drop();
  expect({ code, said: await said(), logged: await logged() }).toEqual({
    code: 0,
    said: "The database has all migrations of this version.\n",
    logged: "",
  });
});

test.skipIf(!existsSync("/dev/full"))(
  "a log on a full disk does not stop a process from ending",
  async () => {
    await using folder = await makeFolder();
    const { child } = start({
      folder,
      args: ["dispatcher"],
      env: { HERMOD_NONSENSE: "1" },
      log: "/dev/full",
    });
    expect(await child.exited).toBe(2);
  },
);

test("a SIGTERM while the embedded servers start leaves none running, and the data folder unlocked", async () => {
  await using folder = await makeFolder();
  const { child, logged } = start({ folder, args: ["services"] });
  await until(async () => (await logged()).includes("creating the database cluster"), {
    what: "the cluster",
  });
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
  expect(await findServers(postgresMark(folder.dataDir))).toEqual([]);
  expect(await findServers(natsMark(folder.dataDir))).toEqual([]);
  const names = await readdir(folder.dataDir);
  expect(names.filter((name) => name.startsWith("postgres.new-") || name === "lock.json")).toEqual([]);
});

test("a lock file that can't be removed does not spoil a stop", async () => {
  await using folder = await makeFolder();
  const { child, said, logged } = start({ folder, args: ["services"] });
  await until(async () => (await said()).includes("NATS_URL="), { what: "the servers" });
  const holder = join(folder.dataDir, "lock.json");
  await rm(holder);
  await mkdir(holder);
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
  expect(await logged()).toContain("could not remove lock.json");
});

test("doctor prints its findings, and its exit code says whether one is a fault", async () => {
  await using folder = await makeFolder();
  const well = start({ folder, args: ["doctor"], env: { HERMOD_MAX_IN_FLIGHT: "100" } });
  expect(await well.child.exited).toBe(0);
  expect(await well.said()).toEndWith("\nAll is well.\n");
  const ill = start({ folder, args: ["doctor", "dispatcher"], env: { NATS_URL: "nats://127.0.0.1:9" } });
  expect(await ill.child.exited).toBe(1);
  expect(await ill.said()).toContain("fault    nats      can't be used: CONNECTION_REFUSED");
  const wrong = start({ folder, args: ["doctor"], env: { NODE_ENV: "production" } });
  expect(await wrong.child.exited).toBe(2);
  expect(await wrong.logged()).toContain("DATABASE_URL must be set when NODE_ENV is production");
});
