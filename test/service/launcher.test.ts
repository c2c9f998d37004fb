import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { type Folder, makeFolder } from "../embedded/folder";
import { runOutOfDescriptors } from "../support/out-of-descriptors";

setDefaultTimeout(120_000);

const ROOT = join(import.meta.dir, "../..");

/** A Postgres that never answers: a dispatcher stays connected to it for as long as its process lives. */
function mutePostgres() {
  const connected = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<"closed">();
  const socket = { open: () => connected.resolve(), close: () => closed.resolve("closed"), data() {} };
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket });
  return {
    url: `postgres://hermod:hermod@127.0.0.1:${server.port}/hermod`,
    connected: connected.promise,
    closed: closed.promise,
    // Its process then fails to start, and ends.
    [Symbol.dispose]: () => server.stop(true),
  };
}

type Variables = Record<string, string>;

function spawn(command: string[], folder: Folder, databaseUrl: string, more: Variables = {}) {
  const env = {
    PATH: process.env.PATH ?? "",
    DATABASE_URL: databaseUrl,
    NATS_URL: "nats://127.0.0.1:9",
    HERMOD_DATA_DIR: folder.dataDir,
    ...more,
  };
  return Bun.spawn(command, { cwd: ROOT, env, stdio: ["pipe", "ignore", Bun.file(logIn(folder))] });
}

function logIn({ path }: Folder): string {
  return join(path, "log");
}

/** Fails if the service ended because it gave up on its Postgres, which it does after some seconds. */
async function expectAskedToStop({ closed }: ReturnType<typeof mutePostgres>, folder: Folder): Promise<void> {
  await closed;
  expect(await Bun.file(logIn(folder)).text()).toContain("stopping: finishing what is under way");
}

test("a service ends with the `bun start` in front of it, even if that was killed", async () => {
  await using folder = await makeFolder();
  using postgres = mutePostgres();
  const runner = spawn([process.execPath, "start", "dispatcher"], folder, postgres.url);
  await postgres.connected;
  runner.kill("SIGKILL");
  await expectAskedToStop(postgres, folder);
});

const NPX = Bun.which("npx");

test.if(NPX !== null)("a service ends at a SIGTERM to the npx in front of it", async () => {
  await using folder = await makeFolder();
  using postgres = mutePostgres();
  const npx = spawn([NPX ?? "", "bun", "start", "dispatcher"], folder, postgres.url);
  await postgres.connected;
  npx.kill("SIGTERM");
  await expectAskedToStop(postgres, folder);
});

test("a service started directly outlives its shell", async () => {
  await using folder = await makeFolder();
  using postgres = mutePostgres();
  const shell = spawn(
    ["sh", "-c", '"$1" src/main.ts dispatcher & read wait', "sh", process.execPath],
    folder,
    postgres.url,
  );
  await postgres.connected;
  shell.stdin.end();
  await shell.exited;
  // That nothing happens can only be watched for a while: the launcher is checked every half second.
  expect(await Promise.race([postgres.closed, Bun.sleep(1_500)])).toBeUndefined();
});

test("a process without a free file descriptor does not consider its launcher gone", async () => {
  // The clock stops after twenty checks, which one false conclusion would end.
  const script = `
    import { launcherGone } from "./src/service/launcher.ts";
    let looks = 0;
    const clock = { after: (ms, fire) => { looks++ === 20 ? console.log("watches") : setImmediate(fire); return () => {}; } };
    setTimeout(exhaust);
    launcherGone(clock, process.env).then(() => console.log("gone"));
  `;
  const env = { npm_lifecycle_script: "exec bun src/main.ts", npm_execpath: "/usr/lib/npm/bin/npm-cli.js" };
  expect(await runOutOfDescriptors(script, env)).toBe("watches");
});

test("a service in production outlives the `bun start` in front of it", async () => {
  await using folder = await makeFolder();
  using postgres = mutePostgres();
  const production = {
    NODE_ENV: "production",
    HERMOD_ENCRYPTION_KEY: Buffer.alloc(32, "an encryption key ").toString("base64"),
  };
  const runner = spawn([process.execPath, "start", "dispatcher"], folder, postgres.url, production);
  await postgres.connected;
  runner.kill("SIGKILL");
  await runner.exited;
  // Outside production the process checks every half second.
  expect(await Promise.race([postgres.closed, Bun.sleep(1_500)])).toBeUndefined();
});
