import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { spawn } from "node:child_process";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { findServers } from "../../src/embedded/leftover";
import { startPostgres } from "../../src/embedded/postgres";
import { postgresUser } from "../../src/embedded/process-user";
import { withSql } from "./clients";
import { type Folder, makeFolder, postgresMark } from "./folder";

setDefaultTimeout(120_000);

// One cluster for all tests of this file, because making it takes longer than the tests.
let folder: Folder;
beforeAll(async () => {
  folder = await makeFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

async function addRow(url: string): Promise<number> {
  return withSql(url, async (sql) => {
    await sql`create table if not exists kept (id int generated always as identity)`;
    await sql`insert into kept default values`;
    return (await sql`select from kept`).length;
  });
}

test("data, port and credentials survive a restart", async () => {
  const first = await startPostgres({ ...folder, settings: { work_mem: "5MB" } });
  expect(new URL(first.url)).toMatchObject({
    username: "hermod",
    hostname: "127.0.0.1",
    pathname: "/hermod",
  });
  await expectSound(first.adminUrl);
  await expectOrdinary(first.url);
  await expectPrivate(folder.dataDir);
  expect(await addRow(first.url)).toBe(1);
  await first.stop();
  expect(await first.exited).toEqual({ code: 0, signal: null });

  const second = await startPostgres(folder);
  expect(second.url).toBe(first.url);
  expect(await addRow(second.url)).toBe(2);
  await second.stop();
  expect(await findServers(postgresMark(folder.dataDir))).toEqual([]);

  // A taken port is an error if it was configured, otherwise another one is used.
  const port = Number(new URL(first.url).port);
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(port, "127.0.0.1", resolve));
  await expect(startPostgres({ ...folder, port })).rejects.toThrow("Address already in use");
  const third = await startPostgres(folder);
  expect(new URL(third.url).port).not.toBe(String(port));
  await third.stop();
  holder.close();
});

/** Checks that it is durable, uses Unicode, listens on loopback only, and needs the password. */
async function expectSound(url: string): Promise<void> {
  const rows = await withSql(url, (sql) => sql`select name, setting from pg_settings`);
  expect(Object.fromEntries(rows.map((row) => [row.name, row.setting]))).toMatchObject({
    fsync: "on",
    synchronous_commit: "on",
    server_encoding: "UTF8",
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    work_mem: "5120",
  });
  const wrong = url.replace(/:s\w+@/, ":wrong@");
  await expect(withSql(wrong, async (sql) => await sql`select 1`)).rejects.toThrow("authentication failed");
}

/** Checks that the role owns its database, and can neither administer the server nor read its files. */
async function expectOrdinary(url: string): Promise<void> {
  const [role] = await withSql(
    url,
    (sql) => sql`select rolname, rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
      (select count(*)::int from pg_auth_members where member = pg_roles.oid) as memberships,
      (select datdba = pg_roles.oid from pg_database where datname = current_database()) as owns
      from pg_roles where rolname = current_user`,
  );
  expect(role).toEqual({
    rolname: "hermod",
    rolsuper: false,
    rolcreaterole: false,
    rolcreatedb: false,
    rolreplication: false,
    rolbypassrls: false,
    memberships: 0,
    owns: true,
  });
  const programs = withSql(url, (sql) => sql`copy (select 1) to program 'true'`);
  await expect(programs).rejects.toThrow("permission denied");
}

async function expectPrivate(dataDir: string): Promise<void> {
  for (const name of ["", ...(await readdir(dataDir))]) {
    expect((await stat(join(dataDir, name))).mode & 0o077).toBe(0);
  }
}

test("a start works after a SIGKILL of the server, even if another process has its pid by now", async () => {
  const first = await startPostgres(folder);
  const rows = await addRow(first.url);
  await first.kill();
  expect(await first.exited).toEqual({ code: null, signal: "SIGKILL" });

  const second = await startPostgres(folder);
  expect(await addRow(second.url)).toBe(rows + 1);
  await second.kill();

  const account = await postgresUser(join(folder.dataDir, "postgres"));
  const other = spawn("sleep", ["60"], { ...account, stdio: "ignore" });
  const lockFile = join(folder.dataDir, "postgres/postmaster.pid");
  await writeFile(
    lockFile,
    (await readFile(lockFile, "utf8")).replace(String(second.pid), String(other.pid)),
  );
  const third = await startPostgres(folder);
  expect(await addRow(third.url)).toBe(rows + 2);
  expect(other.exitCode ?? other.signalCode).toBeNull();
  other.kill("SIGKILL");
  await third.stop();
});

test("a failed start shows the last log lines, and what to do", async () => {
  const start = startPostgres({ ...folder, settings: { shared_buffers: "much" } });
  await expect(start).rejects.toThrow(/invalid value for parameter "shared_buffers": "much".*DATABASE_URL/s);
  expect(await findServers(postgresMark(folder.dataDir))).toEqual([]);

  // A password that is not the cluster's.
  for (const name of ["postgres.password", "postgres-admin.password"]) {
    const file = join(folder.dataDir, name);
    const password = await readFile(file);
    await writeFile(file, "other\n");
    await expect(startPostgres(folder)).rejects.toThrow(`${name} is not the cluster's password`);
    await writeFile(file, password);
  }
  expect(await findServers(postgresMark(folder.dataDir))).toEqual([]);
});
