import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chown, copyFile, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { parseDatabaseUrl } from "../../src/db/address";
import { Database } from "../../src/db/database";
import { type EmbeddedPostgres, startPostgres } from "../../src/embedded/postgres";
import { migrateDatabase } from "../../src/installation/migrate";
import { createLog } from "../../src/runtime/log";
import { AUTHORITY as ANOTHER_AUTHORITY } from "../attempt/certificates";
import { copyCluster } from "../support/cluster-copy";
import { Journal } from "../support/faults/journal";
import { PostgresServer } from "../support/faults/postgres-server";
import { until } from "../support/faults/until";
import { AUTHORITY, CERTIFICATE, KEY } from "./certificates";

describe("a URL is read as libpq reads it:", () => {
  const read = (text: string) => {
    const { hosts, ports, path, ...others } = parseDatabaseUrl(text);
    const places = path ?? hosts.map((host, i) => `${host} ${ports[i]}`).join();
    return { places, ...others };
  };
  test.each([
    ["postgres://a", { places: "a 5432", username: undefined, database: undefined, ssl: "prefer" }],
    ["postgresql://u@a:6000/d", { places: "a 6000", username: "u", password: undefined, database: "d" }],
    ["postgres://u:p%40%2F:x@a/d%20e", { username: "u", password: "p@/:x", database: "d e" }],
    ["postgres://u:p@[::1]:6000/d", { places: "::1 6000" }],
    ["postgres://u:p@a:1,[fe80::1],c/d", { places: "a 1,fe80::1 5432,c 5432" }],
    ["postgres:///d?host=/run/pg&port=6000", { places: "/run/pg/.s.PGSQL.6000", database: "d" }],
    ["postgres://u@%2Frun%2Fpg/d", { places: "/run/pg/.s.PGSQL.5432", username: "u" }],
    ["postgres://u@/d?host=a,b:2&port=6000", { places: "a 6000,b 2" }],
    ["postgres://a?application_name=a+b", { parameters: { application_name: "a+b" } }],
    [
      "postgres://a?user=u&password=p%40&dbname=d",
      { username: "u", password: "p@", database: "d", parameters: {} },
    ],
    ["postgres://a?sslmode=disable", { ssl: false, parameters: {} }],
    ["postgres://a?ssl=false", { ssl: false }],
    ["postgres:///b?host=/run/postgresql", { ssl: false }],
    ["postgres:///b?host=/run/postgresql&sslmode=require", { ssl: false, parameters: {} }],
    ["postgres://a?sslmode=require&sslnegotiation=direct", { sslnegotiation: "direct", parameters: {} }],
    ["postgres://a?sslnegotiation=postgres", { sslnegotiation: undefined, parameters: {} }],
    [
      "postgres://a?sslmode=verify-full&ssl_min_protocol_version=TLSv1.3&sslpassword=x",
      { ssl: { passphrase: "x", minVersion: "TLSv1.3" } },
    ],
    [
      "postgres://a?sslmode=require&channel_binding=require",
      { ignored: ["channel_binding"], parameters: {} },
    ],
    ["postgres://a?sslmode=prefer", { ssl: "prefer" }],
    ["postgres://a?sslmode=allow", { ssl: "prefer" }],
    ["postgres://a?sslmode=require", { ssl: { rejectUnauthorized: false } }],
    ["postgres://a?ssl=true", { ssl: {} }],
    ["postgres://a?sslmode=verify-full", { ssl: {} }],
    ["postgres://a?sslmode=require&sslrootcert=system", { ssl: {} }],
    ["postgres://a?target_session_attrs=read-write", { target: "primary", parameters: {} }],
    ["postgres://a?target_session_attrs=standby", { target: "standby", parameters: {} }],
    ["postgres://a?target_session_attrs=any", { target: undefined, parameters: {} }],
    ["postgres://a?channel_binding=prefer&keepalives=1&connect_timeout=5", { parameters: {}, ignored: [] }],
    [
      "postgres://a?application_name=b&work_mem=8MB",
      { parameters: { application_name: "b", work_mem: "8MB" } },
    ],
    ["postgres://a?ssl=true&sslmode=disable", { ssl: false, parameters: {} }],
  ])("%s", (text, expected) => {
    const found: Record<string, unknown> = read(text);
    // Whole: an empty object matches any other.
    for (const [name, value] of Object.entries(expected)) expect([name, found[name]]).toEqual([name, value]);
  });

  test.each([
    ["mysql://a/b", "must begin with postgres://"],
    ["a/b", "must begin with postgres://"],
    ["postgres://u:100%@a/b", "percent-encoded"],
    ["postgres://u:p/q@a/b", "%2F"],
    ["postgres://u:p#q@a/b", "%23"],
    ["postgres://u:p@a?port=x", "host and port"],
    ["postgres://a:0/b", "host and port"],
    ["postgres://a:65536/b", "host and port"],
    ["postgres://a:1,b:x/c", "host and port"],
    ["postgres://a?sslmode=always", "sslmode must be one of disable, allow"],
    ["postgres://a?sslnegotiation=direct", "sslnegotiation=direct needs sslmode=require"],
    ["postgres://a?sslmode=require&sslnegotiation=tls", "sslnegotiation must be one of"],
    ["postgres://a?ssl_mode=verify-full", "ssl_mode is not supported: use sslmode"],
    ["postgres://a?sslaccept=strict", "sslaccept is not supported"],
    ["postgres://a?sslcrl=/a.crl", "sslcrl is not supported"],
    ["postgres://a?require_auth=scram-sha-256", "require_auth can't be followed"],
    ["postgres://a?service=mine", "service can't be followed"],
    ["postgres://a?sslmode=verify-ca&sslrootcert=/nowhere.crt", "sslrootcert can't be read"],
    ["postgres://a?target_session_attrs=best", "target_session_attrs must be one of"],
  ])("%s is refused: %s", (text, reason) => {
    expect(() => parseDatabaseUrl(text)).toThrow(reason);
  });

  test("an invalid URL is not repeated in the error, since it contains a password", () => {
    for (const text of ["postgres://u:hunter/2@a/b", "postgres://u:hunter#2@a/b", "postgres://u:hunter%@a"]) {
      expect(() => parseDatabaseUrl(text)).toThrow(/^(?!.*hunter)/s);
    }
  });

  test("any name and password can be percent-encoded", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, unit: "grapheme" }),
        fc.string({ minLength: 1 }),
        (username, password) => {
          const text = `postgres://${encodeURIComponent(username)}:${encodeURIComponent(password)}@a/d`;
          expect(read(text)).toMatchObject({ username, password, places: "a 5432", database: "d" });
        },
      ),
    );
  });
});

describe("a Postgres with TLS", () => {
  let folder: string;
  let server: EmbeddedPostgres;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hermod-tls-"));
    await copyCluster(join(folder, "data"));
    server = await startPostgres({ dataDir: join(folder, "data") });
    const cluster = join(folder, "data/postgres");
    const { uid, gid } = await stat(join(cluster, "PG_VERSION"));
    for (const [name, text] of Object.entries({ "server.crt": CERTIFICATE, "server.key": KEY })) {
      await writeFile(join(cluster, name), text, { mode: 0o600 });
      await chown(join(cluster, name), uid, gid);
    }
    await asked(server.adminUrl, async (db) => {
      await db.run((sql) => sql`alter system set ssl = on`);
      await db.run((sql) => sql`select pg_reload_conf()`);
    });
    await writeFile(join(folder, "ca.crt"), AUTHORITY);
    await writeFile(join(folder, "other.crt"), ANOTHER_AUTHORITY);
  }, 120_000);
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  async function asked<T>(url: string, ask: (db: Database) => Promise<T>): Promise<T> {
    const log = createLog("silent");
    const db = new Database({ url, size: 2, statementTimeoutMs: 5_000, queryTimeoutMs: 5_000, log });
    try {
      return await ask(db);
    } finally {
      await db.close();
    }
  }

  const at = (host: string, query: string) =>
    `${server.url.replace("127.0.0.1", host)}?${query.replaceAll("$", `${folder}/`)}`;

  const isEncrypted = (url: string) =>
    asked(url, async (db) => {
      const [row] = await db.run(
        (sql) => sql<{ ssl: boolean }[]>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`,
      );
      return row?.ssl;
    });

  test.each([
    ["127.0.0.1", "sslmode=disable", false],
    ["127.0.0.1", "sslmode=prefer", true],
    ["127.0.0.1", "", true],
    ["127.0.0.1", "sslmode=require&sslnegotiation=direct", true],
    ["127.0.0.1", "sslmode=require", true],
    ["127.0.0.1", "sslmode=verify-ca&sslrootcert=$ca.crt", true],
    ["localhost", "sslmode=verify-full&sslrootcert=$ca.crt", true],
  ])("at %s with %p: encrypted %p", async (host, query, expected) => {
    expect(await isEncrypted(at(host, query))).toBe(expected);
  });

  test.each([
    ["127.0.0.1", "sslmode=verify-full&sslrootcert=$ca.crt", "certificate's altnames"],
    ["localhost", "sslmode=verify-full&sslrootcert=$other.crt", "verify"],
    ["localhost", "sslmode=require&sslrootcert=$other.crt", "verify"],
    ["localhost", "sslmode=verify-full", "verify"],
  ])("at %s with %p: an unknown server is refused: %s", async (host, query, reason) => {
    await expect(isEncrypted(at(host, query))).rejects.toThrow(reason);
  });

  test("transactions and migrations connect the same way", async () => {
    const url = at("localhost", "sslmode=verify-full&sslrootcert=$ca.crt");
    await migrateDatabase(url);
    const rows = await asked(url, (db) =>
      db.transaction((sql) => sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`),
    );
    expect(rows).toMatchObject([{ ssl: true }]);
    const strangers = at("localhost", "sslmode=verify-full&sslrootcert=$other.crt");
    await expect(migrateDatabase(strangers)).rejects.toThrow("Postgres can't be used");
  });

  test("of several hosts the first that answers is used, also a local socket", async () => {
    const { port, username, password } = new URL(server.url);
    const several = `postgres://${username}:${password}@127.0.0.1:1,localhost:${port}/hermod?target_session_attrs=read-write`;
    expect(await isEncrypted(several)).toBeTrue();
    // The embedded server has no socket of its own.
    const bridge = createServer((end) => {
      end.pipe(connect(Number(port), "127.0.0.1")).pipe(end);
    }).listen(join(folder, ".s.PGSQL.6000"));
    const socket = `postgres://${username}:${password}@/hermod?host=${folder}&port=6000`;
    expect(await isEncrypted(socket)).toBeFalse();
    bridge.close();
  });

  test("with several hosts, writes go to the one that is no standby, wherever it stands", async () => {
    const journal = new Journal();
    await copyCluster(join(folder, "first"));
    const first = await PostgresServer.start(join(folder, "first"), journal);
    // The service has one password for both.
    await mkdir(join(folder, "second"), { mode: 0o700 });
    await copyFile(join(folder, "first/postgres.password"), join(folder, "second/postgres.password"));
    const second = await PostgresServer.start(join(folder, "second"), journal);
    for (const { url } of [first, second])
      await asked(url, (db) => db.run((sql) => sql`create sequence written`));
    const portOf = ({ url }: PostgresServer) => Number(new URL(url).port);
    const hosts = `127.0.0.1:${portOf(first)},127.0.0.1:${portOf(second)}`;
    const both = `${first.url.replace(new URL(first.url).host, hosts)}?target_session_attrs=read-write`;
    const promoteFirst = await first.becomeStandby();
    await asked(both, async (db) => {
      const written = async () => {
        const [row] = await db.run(
          (sql) => sql<{ port: number }[]>`
            with written as (select nextval('written')) select inet_server_port() as port from written`,
        );
        return row?.port;
      };
      expect(await written()).toBe(portOf(second));
      await second.becomeStandby();
      await promoteFirst();
      await until(async () => (await written().catch(() => null)) === portOf(first), {
        what: "a write at the promoted server",
      });
    });
    await Promise.all([first.close(), second.close()]);
  }, 120_000);
});
