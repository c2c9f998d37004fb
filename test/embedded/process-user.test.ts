import { expect, setDefaultTimeout, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { chownSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../../src/embedded/postgres";
import { namedUser, postgresUser } from "../../src/embedded/process-user";
import { copyCheckout } from "./checkout";
import { withSql } from "./clients";
import { makeFolder } from "./folder";
import { runService } from "./service-process";

setDefaultTimeout(120_000);

const ROOT = process.getuid?.() === 0;
const NOBODY = { uid: 65_534, gid: 65_534 };

function canRun(account: typeof NOBODY): boolean {
  return spawnSync(process.execPath, ["--version"], { ...account, cwd: "/", stdio: "ignore" }).status === 0;
}

function stages(): string[] {
  const names = ["/var/lib", tmpdir()].flatMap((parent) => readdirSync(parent));
  return names.filter((name) => name.startsWith("hermod-postgres-"));
}

test("Postgres runs as the user postgres; without one as nobody; without that as the first other user, never as root", () => {
  const root = "root:x:0:0:root:/root:/bin/sh";
  const daemon = "daemon:x:1:1::/:/bin/false";
  const nobody = "nobody:x:65534:65534::/:/bin/false";
  const postgres = "postgres:x:70:71::/:/bin/sh";
  expect(namedUser([root, daemon, nobody, postgres].join("\n"))).toEqual({ uid: 70, gid: 71 });
  expect(namedUser([root, daemon, nobody].join("\n"))).toEqual(NOBODY);
  expect(namedUser([root, daemon].join("\n"))).toEqual({ uid: 1, gid: 1 });
  expect(namedUser(`${root}\n`)).toBeUndefined();
});

test.skipIf(!ROOT)("root starts the servers from a checkout that only root can enter", async () => {
  await using folder = await makeFolder(0o700);
  const checkout = copyCheckout(folder.path);
  const before = stages();
  const killed = runService(folder.dataDir, ["postgres", "nats"], { checkout });
  const { postgres } = await killed.started;
  expect(stages()).toHaveLength(before.length + 1);
  await withSql(postgres?.url ?? "", (sql) => sql`create table kept ()`);
  await killed.end("SIGKILL");

  const service = runService(folder.dataDir, ["postgres", "nats"], { checkout });
  const again = await service.started;
  await withSql(again.postgres?.url ?? "", (sql) => sql`select from kept`);
  expect(await service.end("SIGINT")).toEqual({ code: 0, output: "drained" });
  expect(stages()).toEqual(before);
});

test.skipIf(!ROOT)(
  "a cluster that root copied without its owner is refused, and the error says what to do",
  async () => {
    await using folder = await makeFolder();
    const cluster = join(folder.dataDir, "postgres");
    await Bun.write(join(cluster, "PG_VERSION"), "18");
    const { message } = await startPostgres(folder).then(
      () => ({ message: "it started" }),
      (error) => error,
    );
    const [advice = "", uid, gid] = /chown -R (\d+):(\d+) .*$/.exec(message) ?? [];
    expect(message).toBe(
      `The database in ${cluster} belongs to root, but Postgres does not run as root. A copy made with cp -a keeps its owner. ` +
        `Give it to an ordinary user: ${advice}`,
    );
    expect(advice).toEndWith(` ${cluster}`);
    chownSync(cluster, Number(uid), Number(gid));
    expect(await postgresUser(cluster)).toEqual({ uid: Number(uid), gid: Number(gid) });
  },
);

test.skipIf(!ROOT || !canRun(NOBODY))("an ordinary user starts the servers", async () => {
  await using folder = await makeFolder(0o755);
  const checkout = copyCheckout(folder.path);
  chownSync(folder.path, NOBODY.uid, NOBODY.gid);
  const service = runService(join(folder.path, ".hermod"), ["postgres", "nats"], { checkout, ...NOBODY });
  const { postgres } = await service.started;
  await withSql(postgres?.url ?? "", (sql) => sql`create table kept ()`);
  expect(await service.end("SIGINT")).toEqual({ code: 0, output: "drained" });
});

test.skipIf(!ROOT || !canRun(NOBODY))("a user without a name gets advice", async () => {
  await using folder = await makeFolder(0o755);
  const nameless = { uid: 61_234, gid: 0 };
  const checkout = copyCheckout(folder.path);
  chownSync(folder.path, nameless.uid, nameless.gid);
  const service = runService(join(folder.path, ".hermod"), ["postgres"], { checkout, ...nameless });
  await expect(service.started).rejects.toThrow(
    /user 61234 has none\. Give it one in \/etc\/passwd.*hermod:x:61234:0:.*set DATABASE_URL/,
  );
});
