import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportJWK, generateKeyPair } from "jose";
import { connect, DiscardPolicy } from "nats";
import { DEFAULT_ACCOUNT } from "../../src/accounts/account";
import { examine, reportOf } from "../../src/doctor/doctor";
import type { Finding } from "../../src/doctor/finding";
import { ALL_EVENTS } from "../../src/domain/event-filter";
import { natsBinary } from "../../src/embedded/nats-binary";
import { onPort } from "../../src/embedded/port";
import { Endpoints } from "../../src/endpoints/endpoint";
import { readConfig, type ServiceTask } from "../../src/service/config";
import { ALL_SUBJECTS, STREAM } from "../../src/stream/topology";
import { parseEncryptionKeys } from "../../src/vault/encryption-key";
import { Vault } from "../../src/vault/vault";
import { ForwardProxy, type ForwardProxyOptions } from "../attempt/forward-proxy";
import { isInstalled, REAL_PROXIES, RealProxy } from "../attempt/real-proxy";
import { CERTIFICATE, KEY as TLS_KEY } from "../db/certificates";
import { MailReceiver } from "../feeds/mail-receiver";
import { CLIENT_ID, CLIENT_SECRET, startProvider, type TestProvider } from "../oidc/provider";
import { startCollector } from "../otlp/collector";
import { until } from "../support/faults/until";
import { NATS_COMMAND } from "../support/nats-command";
import { useDatabase } from "../support/postgres";
import { testNatsUrl } from "../support/servers";

const database = await useDatabase();
const natsUrl = await testNatsUrl();

const TLS = { key: TLS_KEY, cert: CERTIFICATE };
const [KEY, OTHER_KEY] = [randomBytes(32).toString("base64"), randomBytes(32).toString("base64")] as const;

type Environment = Record<string, string>;

async function findings(env: Environment, role: ServiceTask): Promise<readonly Finding[]> {
  const given = { DATABASE_URL: database.url, NATS_URL: natsUrl, HERMOD_ENCRYPTION_KEY: KEY };
  return examine(readConfig({ ...given, HERMOD_MAX_IN_FLIGHT: "100", ...env }, role), role);
}

const lineOf = ({ state, subject, text }: Finding) => `${state} ${subject}: ${text}`;

/** Returns the faults and warnings. The server of the tests never syncs, which is a fault. */
async function troubles(env: Environment = {}, role: ServiceTask = "all"): Promise<string[]> {
  return (await findings(env, role)).filter(isTrouble).map(lineOf);
}

/** Returns every finding about one subject. */
async function about(
  subject: Finding["subject"],
  env: Environment,
  role: ServiceTask = "all",
): Promise<string[]> {
  return (await findings(env, role)).filter((each) => each.subject === subject).map(lineOf);
}

const isTrouble = ({ state, text }: Finding) =>
  state !== "ok" && !/^(fsync|full_page_writes) is off/.test(text);

test("a sound installation has no faults, and doctor changes nothing", async () => {
  const tables = () => database.db.run((sql) => sql`select relname, reltuples from pg_class order by 1`);
  const before = await tables();
  expect(await troubles()).toEqual([]);
  expect(await tables()).toEqual(before);
});

test("a sound installation with embedded servers has no faults, and gets no data folder", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hermod-doctor-"));
  const env = { HERMOD_DATA_DIR: join(folder, "a", "b"), HERMOD_MAX_IN_FLIGHT: "100" };
  expect((await examine(readConfig(env))).filter(isTrouble)).toEqual([]);
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});

test("the store of old deliveries is written, read and deleted from", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hermod-doctor-store-"));
  try {
    expect(await troubles({ HERMOD_COLD_STORE: folder })).toEqual([]);
    expect(await readdir(join(folder, "doctor"))).toEqual([]);
    const [trouble] = await troubles({ HERMOD_COLD_STORE: "/dev/null/store" });
    expect(trouble).toStartWith("fault files: /dev/null/store can't be used: ");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a mail server is asked, and its password is not shown", async () => {
  const server = await MailReceiver.open({ ...TLS, secure: true });
  const url = `smtps://hermod:wrong-secret@localhost:${server.port}`;
  const env = { HERMOD_SMTP_FROM: "alerts@example.com", HERMOD_SMTP_RECIPIENTS: "*" };
  const mailTroubles = (HERMOD_SMTP_URL: string) => troubles({ ...env, HERMOD_SMTP_URL });
  expect(await mailTroubles(url)).toEqual([
    `warning mail: localhost:${server.port} can't be used: unable to verify the first certificate. Check HERMOD_SMTP_URL.`,
  ]);
  const plain = await MailReceiver.open();
  expect(await mailTroubles(`smtp://127.0.0.1:${plain.port}`)).toEqual([]);
  expect(plain.recipients).toEqual([]);
  await server.close();
  await plain.close();
});

describe("doctor finds", () => {
  test("servers that don't answer", async () => {
    const found = await troubles({
      DATABASE_URL: "postgres://a:b@127.0.0.1:9/c",
      NATS_URL: "nats://127.0.0.1:9",
    });
    expect(found).toEqual([
      expect.stringMatching(/^fault postgres: .*ECONNREFUSED 127.0.0.1:9. Check DATABASE_URL/),
      expect.stringMatching(/^fault nats: can't be used: CONNECTION_REFUSED. Check NATS_URL/),
    ]);
  });

  test("an encryption key that does not open the stored secrets", async () => {
    const vault = new Vault(parseEncryptionKeys(OTHER_KEY));
    const endpoints = new Endpoints(database.db, () => 0, vault);
    const wanted = { url: "https://example.com/", description: null, eventFilter: ALL_EVENTS };
    await database.db.transaction((sql) => endpoints.create(sql, DEFAULT_ACCOUNT, wanted));
    expect(await troubles()).toEqual([
      expect.stringMatching(
        /^fault postgres: HERMOD_ENCRYPTION_KEY does not open the secrets of 1 endpoints/,
      ),
    ]);
    expect(await troubles({ HERMOD_ENCRYPTION_KEY: `${KEY},${OTHER_KEY}` })).toEqual([]);
    await database.db.run((sql) => sql`delete from endpoints`);
  });

  test("another number of partitions, a later version's migration and an old transaction", async () => {
    await database.db.run((sql) => sql`insert into settings (name, value) values ('partitions', '8')`);
    await database.db.run(
      (sql) => sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', 1)`,
    );
    expect(await troubles()).toEqual([
      expect.stringMatching(/^warning postgres: it has 1 migrations of another version/),
      expect.stringMatching(/^fault postgres: HERMOD_PARTITIONS is 32, but .* made with 8/),
    ]);
    await database.db.run((sql) => sql`delete from settings`);
    await database.db.run((sql) => sql`delete from drizzle.__drizzle_migrations where hash = 'later'`);
  });

  test("a read-only server", async () => {
    const url = new URL(database.url);
    url.searchParams.set("default_transaction_read_only", "on");
    expect(await troubles({ DATABASE_URL: url.toString() })).toEqual([
      expect.stringMatching(/^fault postgres: default_transaction_read_only is on: set it to off/),
    ]);
  });

  test("a NATS account without JetStream, and one with too little storage", async () => {
    await using server = await natsWithAccounts();
    expect(await troubles({ NATS_URL: server.urlOf("none") })).toEqual([
      expect.stringMatching(/^warning nats: max_payload is 65536/),
      expect.stringMatching(/^fault nats: JetStream can't be used: .*Enable it for Hermod's account/),
    ]);
    expect(await troubles({ NATS_URL: server.urlOf("small") })).toEqual([
      expect.stringMatching(/^warning nats: max_payload is 65536/),
      expect.stringMatching(
        /^warning nats: the account may store 1048576 bytes, less than HERMOD_STREAM_MAX_BYTES/,
      ),
    ]);
    expect(await troubles({ NATS_URL: server.urlOf("nobody") })).toEqual([
      expect.stringMatching(/^fault nats: can't be used: .*Authorization Violation/),
    ]);
  });

  test("too few open files, and an unknown variable", async () => {
    expect(await troubles({ HERMOD_MAX_IN_FLIGHT: "60000", HERMOD_RETRIES: "3" })).toEqual([
      "warning machine: unknown variables: HERMOD_RETRIES. Correct or remove them.",
      expect.stringMatching(/^warning machine: \d+ open files allow \d+ attempts at a time, not 60000/),
    ]);
  });
});

describe("the egress proxy:", () => {
  const accepts = (port: number) => `ok proxy: accepts a request for a tunnel to port ${port}`;

  async function checked(options: ForwardProxyOptions, user = "", env: Environment = {}): Promise<string[]> {
    const proxy = await ForwardProxy.open(options);
    try {
      const HERMOD_EGRESS_PROXY = `http://${user}${proxy.address}`;
      return await about("proxy", { HERMOD_EGRESS_PROXY, ...env });
    } finally {
      proxy.close();
    }
  }

  test("a proxy that opens tunnels is sound", async () => {
    const credentials = { credentials: "hermod:secret" };
    expect(await checked(credentials, "hermod:secret@")).toEqual([accepts(443), accepts(80)]);
  });

  test("wrong credentials, a forbidden port and answers of no proxy are found", async () => {
    expect(await checked({ credentials: "hermod:secret" }, "hermod:wrong@")).toEqual([
      "fault proxy: refuses the user and password of HERMOD_EGRESS_PROXY: correct them",
    ]);
    expect(await checked({ allowed: /:443$/ })).toEqual([
      accepts(443),
      expect.stringMatching(/^warning proxy: answers .* port 80 with status 403: allow CONNECT to this port/),
    ]);
    expect(await checked({ allowed: /:443$/ }, "", { HERMOD_REQUIRE_HTTPS: "true" })).toEqual([accepts(443)]);
    expect(await checked({ refusal: "HTTP/1.1 405 No\r\ncontent-length: 0\r\n\r\n" })).toEqual(
      [443, 80].map(
        (port) =>
          `fault proxy: answers a request for a tunnel to port ${port} with status 405: let it open tunnels (CONNECT)`,
      ),
    );
    expect(await checked({ refusal: "220 mail.example.com ESMTP\r\n" })).toEqual([
      expect.stringMatching(/^fault proxy: gives no answer in HTTP/),
    ]);
  });

  test("an unreachable proxy is found, unless the role sends nothing", async () => {
    const env = { HERMOD_EGRESS_PROXY: "http://127.0.0.1:9" };
    expect(await about("proxy", env, "dispatcher")).toEqual([
      expect.stringMatching(/^fault proxy: can't be reached: .*ECONNREFUSED.*Check HERMOD_EGRESS_PROXY/),
    ]);
    expect(await about("proxy", env, "api")).toEqual([]);
  });

  describe.each(Object.entries(REAL_PROXIES))("%s", (_, kind) => {
    test.skipIf(!isInstalled(kind))("is sound with its default configuration", async () => {
      const proxy = await RealProxy.start(kind);
      try {
        const found = await about("proxy", { HERMOD_EGRESS_PROXY: proxy.url });
        expect(found).toEqual([accepts(443), accepts(80)]);
      } finally {
        await proxy.stop();
      }
    });
  });
});

describe("the identity provider:", () => {
  const PUBLIC_URL = "https://hooks.example.com";
  let provider: TestProvider;
  beforeAll(async () => {
    provider = await startProvider([`${PUBLIC_URL}/console/oidc/callback`]);
  });
  afterAll(() => provider.stop());

  const checked = (env: Environment, role: ServiceTask = "all") =>
    about(
      "oidc",
      {
        HERMOD_OIDC_ISSUER: provider.issuer,
        HERMOD_OIDC_CLIENT_ID: CLIENT_ID,
        HERMOD_OIDC_CLIENT_SECRET: CLIENT_SECRET,
        HERMOD_PUBLIC_URL: PUBLIC_URL,
        ...env,
      },
      role,
    );

  test("a provider that knows the client and its address is sound, and is asked only for the API", async () => {
    expect(await checked({})).toEqual([
      `ok oidc: ${provider.issuer} answers, and publishes its keys`,
      "ok oidc: accepts the client hermod",
      `ok oidc: begins a sign-in that leads back to ${PUBLIC_URL}/console/oidc/callback`,
    ]);
    expect(await checked({}, "dispatcher")).toEqual([]);
  });

  test("a wrong client, secret and address are found", async () => {
    const refused = expect.stringMatching(
      /^fault oidc: refuses the client \w+: check HERMOD_OIDC_CLIENT_ID and HERMOD_OIDC_CLIENT_SECRET$/,
    );
    const answers = expect.stringMatching(/^ok oidc: .* answers/);
    expect(await checked({ HERMOD_OIDC_CLIENT_ID: "nobody" })).toEqual([answers, refused]);
    expect(await checked({ HERMOD_OIDC_CLIENT_SECRET: "secret-of-somebody-5530" })).toEqual([
      answers,
      refused,
    ]);
    expect(await checked({ HERMOD_PUBLIC_URL: "https://other.example.com" })).toEqual([
      answers,
      "ok oidc: accepts the client hermod",
      expect.stringMatching(
        /^fault oidc: answers .* status 400: register the address https:\/\/other.example.com\/console\/oidc\/callback/,
      ),
    ]);
  });

  test("an unreachable provider, or another one, is found", async () => {
    expect(await checked({ HERMOD_OIDC_ISSUER: "http://127.0.0.1:9" })).toEqual([
      expect.stringMatching(/^fault oidc: can't be used: .*Check HERMOD_OIDC_ISSUER/),
    ]);
    const byName = provider.issuer.replace("127.0.0.1", "localhost");
    expect(await checked({ HERMOD_OIDC_ISSUER: byName })).toEqual([
      expect.stringMatching(/^fault oidc: can't be used: .*Check HERMOD_OIDC_ISSUER/),
    ]);
  });
});

test("a key set without a usable key, and one that can't be fetched, are found", async () => {
  const { publicKey } = await generateKeyPair("RS256");
  const sets = new Map([
    ["/good", { keys: [await exportJWK(publicKey)] }],
    ["/empty", { keys: [] }],
  ]);
  await using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) => {
      const set = sets.get(new URL(url).pathname);
      return set ? Response.json(set) : new Response(null, { status: 404 });
    },
  });
  const checked = (path: string, role: ServiceTask = "all") =>
    about("jwt", { HERMOD_JWKS_URL: new URL(path, server.url).href }, role);
  expect(await checked("/good")).toEqual(["ok jwt: HERMOD_JWKS_URL has keys for RS256"]);
  expect(await checked("/empty")).toEqual([
    "fault jwt: HERMOD_JWKS_URL has no key for RS256, ES256, EdDSA: publish one there",
  ]);
  expect(await checked("/nothing")).toEqual([
    expect.stringMatching(
      /^fault jwt: the JSON Web Key Set can't be fetched: .* status 404. Check HERMOD_JWKS/,
    ),
  ]);
  expect(await checked("/nothing", "dispatcher")).toEqual([]);
});

/** A NATS server with two accounts: one without JetStream, one with little storage. */
async function natsWithAccounts() {
  const folder = await mkdtemp(join(tmpdir(), "hermod-doctor-nats-"));
  const port = await onPort(join(folder, "port"), undefined, async (free) => free);
  const user = (name: string) => `users: [{ user: ${name}, password: p }]`;
  await Bun.write(
    join(folder, "nats.conf"),
    `listen: "127.0.0.1:${port}"
     max_payload: 65536
     jetstream { store_dir: "${folder}/store" }
     accounts {
       none { ${user("none")} }
       small { jetstream { max_file: 1048576, max_mem: 0 }, ${user("small")} }
     }`,
  );
  const command = NATS_COMMAND ?? (await natsBinary({ dataDir: folder }));
  const child = Bun.spawn([command, "-c", join(folder, "nats.conf")], { stdout: "ignore", stderr: "ignore" });
  const urlOf = (name: string) => `nats://${name}:p@127.0.0.1:${port}`;
  const options = { servers: `127.0.0.1:${port}`, user: "small", pass: "p" };
  const nats = await until(() => connect(options), { what: "NATS" });
  await nats.close();
  return {
    urlOf,
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await child.exited;
      await rm(folder, { recursive: true });
    },
  };
}

test("a stream that is smaller than wanted, and stores nothing, is found by a message", async () => {
  await using server = await natsWithAccounts();
  const nats = await connect({ servers: server.urlOf("small").replace(/.*@/, ""), user: "small", pass: "p" });
  const { streams } = await nats.jetstreamManager();
  const stream = { name: STREAM, subjects: [ALL_SUBJECTS], max_bytes: 1_000, discard: DiscardPolicy.New };
  await streams.add(stream);
  const found = () => about("nats", { NATS_URL: server.urlOf("small") });
  expect(await found()).toContain(`ok nats: the stream ${STREAM} stores messages`);
  expect(await found()).toContainEqual(
    expect.stringMatching(
      /^warning nats: the stream may hold 1000 bytes, and HERMOD_STREAM_MAX_BYTES is \d+/,
    ),
  );
  await streams.update(STREAM, { ...stream, max_bytes: 1 });
  expect(await found()).toContainEqual(
    expect.stringMatching(/^fault nats: the stream \w+ stores nothing: maximum bytes exceeded/),
  );
  await nats.close();
});

test("a collector is checked with an empty export for each exported signal", async () => {
  const collector = startCollector((path) =>
    path === "/v1/logs" ? new Response("no logs here", { status: 404 }) : null,
  );
  const exported = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_METRICS_EXPORTER: "otlp" };
  expect(await troubles(exported)).toEqual([]);
  const refused =
    "warning collector: does not accept logs: status 404 Not Found. Check OTEL_EXPORTER_OTLP_ENDPOINT and " +
    "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT, or set OTEL_LOGS_EXPORTER=none.";
  expect(await troubles({ ...exported, OTEL_LOGS_EXPORTER: "otlp" })).toEqual([refused]);
  await collector.stop();
  expect(collector).toMatchObject({ spans: [], metrics: [], lines: [] });
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = collector.url;
  try {
    expect(await troubles(exported)).toEqual([
      expect.stringMatching(/^warning collector: does not accept traces: .*ECONNREFUSED/),
      expect.stringMatching(/^warning collector: does not accept metrics: .*ECONNREFUSED/),
    ]);
  } finally {
    delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  }
}, 120_000);

test("a router needs its cells and its directory, and neither servers nor a data folder of its own", async () => {
  using cell = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const found = await findings(
    {
      DATABASE_URL: "",
      NATS_URL: "",
      HERMOD_DATA_DIR: "/proc/no/folder",
      HERMOD_CELLS: `here=http://127.0.0.1:${cell.port},away=http://127.0.0.1:9`,
      HERMOD_CELLS_NATS_URL: natsUrl,
    },
    "router",
  );
  expect(found.filter(({ state }) => state === "fault").map(lineOf)).toEqual([
    expect.stringContaining("fault cells: away does not answer at http://127.0.0.1:9"),
  ]);
  expect(found.map(({ text }) => text)).toContainEqual(
    expect.stringMatching(/^Bun sends \d+ requests at a time/),
  );
});

test("the report has a line for each finding, and counts faults and warnings", () => {
  const findings: Finding[] = [
    { state: "ok", subject: "nats", text: "fine" },
    { state: "warning", subject: "machine", text: "slow" },
    { state: "fault", subject: "postgres", text: "broken" },
  ];
  expect(reportOf(findings)).toBe(
    "ok       nats      fine\nwarning  machine   slow\nfault    postgres  broken\nFaults: 1, warnings: 1.\n",
  );
  expect(reportOf(findings.slice(0, 1))).toEndWith("\nAll is well.\n");
});
