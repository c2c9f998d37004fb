import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { type Folder, makeFolder } from "./embedded/folder";

setDefaultTimeout(30_000);

const ROOT = join(import.meta.dir, "..");

/** A Postgres that never answers: a dispatcher is connected to it for as long as its process lives. */
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

function spawn(command: string[], { dataDir }: Folder, databaseUrl: string) {
  const env = {
    PATH: process.env.PATH ?? "",
    DATABASE_URL: databaseUrl,
    NATS_URL: "nats://127.0.0.1:9",
    HERMOD_DATA_DIR: dataDir,
  };
  return Bun.spawn(command, { cwd: ROOT, env, stdio: ["pipe", "ignore", "ignore"] });
}

test("a service ends with the `bun start` in front of it, though that was killed", async () => {
  await using folder = await makeFolder();
  using postgres = mutePostgres();
  const runner = spawn([process.execPath, "start", "dispatcher"], folder, postgres.url);
  await postgres.connected;
  runner.kill("SIGKILL");
  // Before it would give this Postgres up by itself, which takes it 12 s.
  expect(await Promise.race([postgres.closed, Bun.sleep(4_000)])).toBe("closed");
});

test("a service that was started directly outlives the shell that did so", async () => {
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
  // That something does not happen can but be watched for a while: whether whoever started it is gone is looked at every half second.
  expect(await Promise.race([postgres.closed, Bun.sleep(1_500)])).toBeUndefined();
});
