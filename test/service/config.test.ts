import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { newKey } from "../../src/accounts/authentication/api-key";
import { baseUrlOf } from "../../src/service/banner";
import { type Config, readConfig, SECRETS, type ServiceTask } from "../../src/service/config";
import { ConfigError } from "../../src/service/environment";

const JWT_SECRET = "a-jwt-secret-of-32-characters-ok";

/** The environment that production needs, and no more. */
const PRODUCTION = {
  NODE_ENV: "production",
  DATABASE_URL: "postgres://hermod:secret@db.internal:5432/hermod",
  NATS_URL: "nats://nats.internal:4222",
  HERMOD_ADMIN_KEY: "an-admin-key-of-20-characters",
  HERMOD_ENCRYPTION_KEY: Buffer.from("a key of 32 bytes for tests only").toString("base64"),
  HERMOD_PUBLIC_URL: "https://hooks.example.com",
};

/** For every variable with a format: values that match it, and values that do not. */
const VARIABLES: Record<string, { good: string[]; bad: string[] }> = {
  NODE_ENV: {
    good: ["development", "test", "staging", "preproduction"],
    bad: ["Production", "PRODUCTION", "prod", "PROD ", "productive", '"production"'],
  },
  PORT: { good: ["0", "8080", "65535", " 80 "], bad: ["65536", "-1", "80a", "1e3", "0x50", "8.5"] },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    good: ["http://127.0.0.1:4318", "https://a/b"],
    bad: ["a:4318", "grpc://a"],
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: { good: ["http://a/v1/traces"], bad: ["a"] },
  OTEL_EXPORTER_OTLP_PROTOCOL: { good: ["http/protobuf"], bad: ["grpc", "http/json"] },
  OTEL_SDK_DISABLED: { good: ["true", "false"], bad: ["1"] },
  OTEL_TRACES_EXPORTER: { good: ["otlp", "none"], bad: ["zipkin"] },
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: { good: ["http://a/v1/metrics"], bad: ["a"] },
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: { good: ["https://a/v1/logs"], bad: ["a"] },
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: { good: ["http/protobuf"], bad: ["grpc"] },
  OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: { good: ["http/protobuf"], bad: ["grpc"] },
  OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: { good: ["http/protobuf"], bad: ["http/json"] },
  OTEL_METRICS_EXPORTER: { good: ["otlp", "none"], bad: ["prometheus"] },
  OTEL_LOGS_EXPORTER: { good: ["otlp", "none"], bad: ["console"] },
  OTEL_METRIC_EXPORT_INTERVAL: { good: ["1000", "3600000"], bad: ["999", "3600001", "15s"] },
  OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: { good: ["cumulative"], bad: ["delta"] },
  OTEL_TRACES_SAMPLER: { good: ["always_on", "parentbased_traceidratio"], bad: ["jaeger_remote"] },
  OTEL_TRACES_SAMPLER_ARG: { good: ["0", "0.01", "1"], bad: ["1%", "2"] },
  HERMOD_LOG_REQUESTS: { good: ["0", "1", "0.01", ".5"], bad: ["-1", "1.01", "1%", "true", "1e-2", "."] },
  HERMOD_LOG_ATTEMPTS: { good: ["0", "1", "0.25"], bad: ["2", "all"] },
  HERMOD_LOG_LEVEL: { good: ["debug", "silent"], bad: ["loud", "INFO"] },
  DATABASE_URL: {
    good: ["postgres://a/b", "postgresql://a/b", "postgres://u:p%25@a/b"],
    bad: ["a/b", "mysql://a/b", "http://a", "postgres://u:100%@a/b", "postgres://100%:p@a/b"],
  },
  NATS_URL: {
    good: ["nats://a", "tls://a:4222, nats://u:p%40ss@b", "nats://token@a"],
    bad: ["a:4222", "http://a", "nats://a,", "nats://u:100%@a", "nats://a,nats://%zz@b"],
  },
  HERMOD_METRICS_PORT: { good: ["0", "9464"], bad: ["65536", "-1", "on"] },
  HERMOD_PROCESSES: { good: ["auto", "1", "16"], bad: ["0", "17", "all"] },
  HERMOD_POSTGRES_PORT: { good: ["5432"], bad: ["0", "65536", "pg"] },
  HERMOD_NATS_PORT: { good: ["4222"], bad: ["0", "65536", "nats"] },
  HERMOD_DATABASE_CONNECTIONS: { good: ["8", "500"], bad: ["7", "501", "many"] },
  HERMOD_QUERY_TIMEOUT: { good: ["100ms", "10s"], bad: ["99ms", "10", "soon"] },
  HERMOD_ADMIN_KEY: {
    good: ["20-characters-random", newKey()],
    bad: [
      "19-characters-alone",
      "x".repeat(20),
      newKey().slice(0, -1),
      `hmd_${"x1y2z3".repeat(9).slice(0, 49)}`,
      "ключ-на-двадцать-знаков",
      "a key with blanks in it",
    ],
  },
  HERMOD_JWT_SECRET: { good: [JWT_SECRET], bad: [JWT_SECRET.slice(1), "x".repeat(32)] },
  HERMOD_JWKS_URL: { good: ["https://id.example.com/keys"], bad: ["file:///keys", "id.example.com"] },
  HERMOD_DEFAULT_PLAN: { good: ["free", "my-plan_2"], bad: ["Free", "my plan", "-", "x".repeat(65)] },
  HERMOD_CORS_ORIGINS: {
    good: ["https://a.example", "http://localhost:5173, https://a.example:8443"],
    bad: [
      "*",
      "null",
      "a.example",
      "https://a.example/",
      "https://A.example",
      "https://a.example,",
      "ftp://a",
    ],
  },
  HERMOD_TRUSTED_PROXIES: {
    good: ["10.0.0.0/8", "192.0.2.7, fd00::/8, ::1"],
    bad: ["all", "10.0.0.0/33", "10.0.0.0/8/8", "example.com", "10.0.0.1,"],
  },
  HERMOD_CELLS: {
    good: ["eu-1=https://eu-1.example.com", "a=http://127.0.0.1:3001, b=http://127.0.0.1:3002"],
    bad: [
      "eu-1",
      "eu-1=eu-1.example.com",
      "EU=https://a.example",
      "a=https://a.example/path",
      "a=http://a,a=http://b",
    ],
  },
  HERMOD_CELLS_NATS_URL: { good: ["nats://a:4222", "tls://a,tls://b"], bad: ["http://a", "a:4222"] },
  HERMOD_CONSOLE: { good: ["on", "off"], bad: ["true", "no"] },
  HERMOD_PORTAL: { good: ["on", "off"], bad: ["true", "no"] },
  HERMOD_PORTAL_ORIGINS: { good: ["https://a.example"], bad: ["*", "https://a.example/app"] },
  HERMOD_ALLOW_STATIC_RSA: { good: ["true", "false"], bad: ["yes", "1"] },
  HERMOD_REQUIRE_HTTPS: { good: ["true", "false"], bad: ["yes", "1", "TRUE"] },
  HERMOD_EGRESS_PROXY: {
    good: ["http://proxy:3128", "http://user:p%40ss@10.0.0.1:3128/", "http://[::1]:8080"],
    bad: ["proxy:3128", "https://proxy:3128", "socks5://proxy:1080", "http://proxy:3128/path", "http://"],
  },
  HERMOD_EGRESS_RESOLVE: { good: ["hermod"], bad: ["here", "Proxy"] },
  HERMOD_PARTITIONS: { good: ["1", "1024"], bad: ["0", "1025", "1.5"] },
  HERMOD_STREAM_REPLICAS: { good: ["1", "5"], bad: ["0", "6"] },
  HERMOD_STREAM_MAX_BYTES: { good: ["1048576"], bad: ["1048575", "1GB"] },
  HERMOD_LEASE_TTL: { good: ["500ms", "5s"], bad: ["499ms", "0s", "5"] },
  HERMOD_SWEEP_INTERVAL: { good: ["50ms"], bad: ["49ms", "-1s"] },
  HERMOD_ATTEMPT_TIMEOUT: { good: ["100ms", "1m"], bad: ["99ms", "1 m"] },
  HERMOD_RETRY_SCHEDULE: {
    good: ["1s", "1s, 5s,30s"],
    bad: ["1s,", "1s;5s", "1s,now", "1s,,5s", "0s,0s", "1s,366d", "999999999d", Array(101).fill("1s").join()],
  },
  HERMOD_DISABLE_AFTER: { good: ["1s", "365d"], bad: ["999ms", "5 days", "366d"] },
  HERMOD_RESPONSE_BODY: { good: ["1024", "65536"], bad: ["0", "1023", "65537", "4KiB"] },
  HERMOD_RETENTION: { good: ["1d", "90d", "3650d"], bad: ["23h", "3651d", "forever"] },
  HERMOD_COLD_STORE: { good: ["/srv/cold", "s3://bucket/folder"], bad: ["cold", "s3://", "https://bucket"] },
  HERMOD_MOVE_TO: { good: ["postgres://u:p@next/hermod"], bad: ["next", "mysql://next/hermod"] },
  HERMOD_MOVE_FROM: { good: ["postgres://u:p@inside/hermod"], bad: ["inside", "mysql://inside/hermod"] },
  HERMOD_MOVE_DEADLINE: { good: ["1m", "24h"], bad: ["59s", "31d", "soon"] },
  HERMOD_MAX_IN_FLIGHT: { good: ["1", "60000"], bad: ["0", "60001"] },
  HERMOD_INTAKE_QUEUE: { good: ["1", "1000000"], bad: ["0", "1000001"] },
  HERMOD_DRAIN_TIMEOUT: { good: ["0s", "25s"], bad: ["never"] },
};

const folder = mkdtempSync(join(tmpdir(), "hermod-config-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The path of a file with this content. */
function fileWith(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** A value for each secret. */
const SECRET_VALUES: Record<(typeof SECRETS)[number], string> = {
  DATABASE_URL: PRODUCTION.DATABASE_URL,
  NATS_URL: PRODUCTION.NATS_URL,
  HERMOD_CELLS_NATS_URL: "nats://user:secret@directory:4222",
  HERMOD_ADMIN_KEY: PRODUCTION.HERMOD_ADMIN_KEY,
  HERMOD_ENCRYPTION_KEY: PRODUCTION.HERMOD_ENCRYPTION_KEY,
  HERMOD_JWT_SECRET: JWT_SECRET,
  HERMOD_OIDC_CLIENT_SECRET: "a-client-secret-of-a-provider",
  HERMOD_EGRESS_PROXY: "http://user:secret@proxy:3128",
  HERMOD_SMTP_URL: "smtp://user:secret@mail:587",
  HERMOD_COLD_S3_SECRET: "a-secret-of-a-bucket",
  HERMOD_MOVE_TO: "postgres://user:secret@next/hermod",
  HERMOD_MOVE_FROM: "postgres://user:secret@inside/hermod",
};

const WITH_SECRETS = {
  NODE_ENV: "production",
  HERMOD_PUBLIC_URL: "https://hooks.example.com",
  HERMOD_OIDC_ISSUER: "https://id.example.com",
  HERMOD_OIDC_CLIENT_ID: "hermod",
  HERMOD_SMTP_FROM: "alerts@example.com",
  HERMOD_SMTP_RECIPIENTS: "@example.com",
  HERMOD_COLD_STORE: "s3://bucket/folder",
};

function problemsOf(env: Record<string, string | undefined>, task?: ServiceTask): readonly string[] {
  try {
    readConfig(env, task);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

/** Returns the variables that the problems are about. Each problem begins with its variable. */
function named(problems: readonly string[]): string[] {
  return problems.map((problem) => problem.split(" ")[0] ?? "").sort();
}

test("nothing needs to be set outside production", () => {
  const config = readConfig({});
  expect(config).toMatchObject({
    production: false,
    host: "127.0.0.1",
    port: 3000,
    databaseUrl: null,
    natsUrl: null,
    partitions: 32,
    leaseTtlMs: 5_000,
    attemptTimeoutMs: 15_000,
    responseBodyBytes: 4_096,
    disableAfterMs: 5 * 86_400_000,
    retentionMs: 30 * 86_400_000,
  });
  const [s, m, h] = [1_000, 60_000, 3_600_000];
  expect(config.retrySchedule).toEqual([s, 5 * s, 30 * s, 2 * m, 10 * m, 30 * m, h, 2 * h, 4 * h, 8 * h]);
});

test.each(Object.entries(VARIABLES))("%s: values that it accepts and refuses", (name, { good, bad }) => {
  for (const value of good)
    expect({ value, problems: problemsOf({ [name]: value }) }).toEqual({ value, problems: [] });
  for (const value of bad)
    expect({ value, named: named(problemsOf({ [name]: value })) }).toEqual({ value, named: [name] });
});

test("every invalid value is named at once, and nothing else", () => {
  // The two sources of JWTs exclude each other, so only one of them is drawn.
  const { HERMOD_JWKS_URL: _, ...together } = VARIABLES;
  const choices = Object.entries(together).map(([name, { good, bad }]) =>
    fc.record({ name: fc.constant(name), isBad: fc.boolean(), at: fc.nat() }).map(({ isBad, at }) => {
      const values = isBad ? bad : good;
      return { name, isBad, value: values[at % values.length] };
    }),
  );
  fc.assert(
    fc.property(fc.tuple(...choices), (chosen) => {
      const problems = problemsOf(Object.fromEntries(chosen.map(({ name, value }) => [name, value])));
      const bad = chosen.filter(({ isBad }) => isBad).map(({ name }) => name);
      expect(named(problems)).toEqual(bad.sort());
    }),
  );
});

test("a value that another part of the service would refuse later is named with the others", () => {
  const bad = {
    HERMOD_ENCRYPTION_KEY: "too short",
    HERMOD_ALLOW_PRIVATE_NETWORKS: "10.0.0.0/99",
    NATS_URL: "http://nats:4222",
  };
  for (const [name, value] of Object.entries(bad))
    expect(named(problemsOf({ [name]: value }))).toEqual([name]);
  const base64 = (length: number) =>
    Buffer.from(Array.from({ length }, (_, i) => (i * i) % 251)).toString("base64");
  for (const HERMOD_ENCRYPTION_KEY of [
    base64(31),
    base64(33),
    `a:${base64(32)},b:${base64(16)}`,
    "!".repeat(44),
  ])
    expect(named(problemsOf({ HERMOD_ENCRYPTION_KEY }))).toEqual(["HERMOD_ENCRYPTION_KEY"]);
  const both = { HERMOD_JWT_SECRET: JWT_SECRET, HERMOD_JWKS_URL: "https://id.example.com/keys" };
  expect(problemsOf(both)).toHaveLength(1);
});

test("an empty variable counts as unset", () => {
  const blank = Object.fromEntries(Object.keys(VARIABLES).flatMap((name) => [[name, "  "]]));
  expect(readConfig(blank)).toEqual(readConfig({}));
});

test("production starts with what it needs, on every interface except for metrics", () => {
  const hosts = { host: "::", metricsHost: "127.0.0.1" };
  expect(readConfig(PRODUCTION)).toMatchObject({ production: true, ...hosts });
  expect(readConfig({ ...PRODUCTION, HOST: "::" })).toMatchObject(hosts);
  expect(readConfig({ ...PRODUCTION, NODE_ENV: " production\n" }).production).toBe(true);
});

test("production names everything missing at once, with invalid values", () => {
  const { NODE_ENV, ...required } = PRODUCTION;
  expect(named(problemsOf({ NODE_ENV }))).toEqual(Object.keys(required).sort());
  expect(named(problemsOf({ NODE_ENV, PORT: "x" }))).toEqual([...Object.keys(required), "PORT"].sort());
  for (const name of Object.keys(required)) {
    expect(named(problemsOf({ ...PRODUCTION, [name]: undefined }))).toEqual([name]);
    expect(named(problemsOf({ ...PRODUCTION, [name]: " " }))).toEqual([name]);
  }
});

test("production makes links over https only, at an address that is set", () => {
  for (const url of ["http://hooks.example.com", "HTTP://hooks.example.com", "http://127.0.0.1:3000"]) {
    for (const task of ["all", "api", "dispatcher"] as const)
      expect(problemsOf({ ...PRODUCTION, HERMOD_PUBLIC_URL: url }, task)).toEqual([
        expect.stringMatching(/^HERMOD_PUBLIC_URL must begin with https:/),
      ]);
    expect(problemsOf({ HERMOD_PUBLIC_URL: url.toLowerCase() })).toEqual([]);
  }
  const without = { ...PRODUCTION, HERMOD_PUBLIC_URL: undefined };
  expect(problemsOf(without)).toEqual([expect.stringContaining("links to the portal")]);
  expect(problemsOf({ ...without, HERMOD_PORTAL: "off" })).toEqual([]);
  const oidc = {
    HERMOD_OIDC_ISSUER: "https://id.example.com",
    HERMOD_OIDC_CLIENT_ID: "hermod",
    HERMOD_OIDC_CLIENT_SECRET: "a-secret-of-20-characters",
  };
  expect(named(problemsOf({ ...without, ...oidc, HERMOD_PORTAL: "off" }))).toEqual(["HERMOD_PUBLIC_URL"]);
  expect(problemsOf({ ...PRODUCTION, ...oidc })).toEqual([]);
});

test.each<[ServiceTask, (keyof typeof PRODUCTION)[]]>([
  ["all", ["DATABASE_URL", "HERMOD_ADMIN_KEY", "HERMOD_ENCRYPTION_KEY", "HERMOD_PUBLIC_URL", "NATS_URL"]],
  ["api", ["DATABASE_URL", "HERMOD_ADMIN_KEY", "HERMOD_ENCRYPTION_KEY", "HERMOD_PUBLIC_URL", "NATS_URL"]],
  ["dispatcher", ["DATABASE_URL", "HERMOD_ENCRYPTION_KEY", "NATS_URL"]],
  ["services", []],
  ["migrate", ["DATABASE_URL"]],
])("production needs for %s %j and no more", (task, needed) => {
  const { NODE_ENV } = PRODUCTION;
  expect(named(problemsOf({ NODE_ENV }, task))).toEqual(needed);
  const given = Object.fromEntries(needed.map((name) => [name, PRODUCTION[name]]));
  expect(problemsOf({ NODE_ENV, ...given }, task)).toEqual([]);
});

test("a host in brackets is the address in them, as is one without", () => {
  for (const HOST of ["[::1]", "::1"]) {
    const config = readConfig({ HOST, HERMOD_METRICS_HOST: HOST });
    expect(config.metricsHost).toBe("::1");
    expect(config.host).toBe("::1");
    expect(baseUrlOf(config, 3000)).toBe("http://[::1]:3000");
  }
});

test("metrics have another port than the API or the router, if there is one", () => {
  const problem = ["HERMOD_METRICS_PORT must differ from PORT, the port of requests, which is 3000"];
  expect(problemsOf({ HERMOD_METRICS_PORT: "3000" })).toEqual(problem);
  expect(problemsOf({ HERMOD_METRICS_PORT: "3000", PORT: "3000" }, "api")).toEqual(problem);
  const cells = { HERMOD_CELLS: "here=https://here.example.com", HERMOD_CELLS_NATS_URL: "nats://directory" };
  expect(problemsOf({ HERMOD_METRICS_PORT: "3000", ...cells }, "router")).toEqual(problem);
  expect(problemsOf({ HERMOD_METRICS_PORT: "3000" }, "dispatcher")).toEqual([]);
  expect(problemsOf({ HERMOD_METRICS_PORT: "0", PORT: "0" })).toEqual([]);
});

test("names can be left to the proxy only if there is one", () => {
  const HERMOD_EGRESS_RESOLVE = "proxy";
  expect(problemsOf({ HERMOD_EGRESS_RESOLVE })).toEqual([
    "HERMOD_EGRESS_RESOLVE=proxy needs HERMOD_EGRESS_PROXY",
  ]);
  const together = { HERMOD_EGRESS_RESOLVE, HERMOD_EGRESS_PROXY: "http://proxy:3128" };
  expect(readConfig(together)).toMatchObject({ egressResolve: "proxy" });
});

describe("e-mail", () => {
  const MAIL = {
    HERMOD_SMTP_URL: "smtp://hermod:p%40ss@mail.example.com",
    HERMOD_SMTP_FROM: "Hermod <alerts@Example.com>",
    HERMOD_SMTP_RECIPIENTS: "@example.com, Ops@Example.org",
  };

  test("has a server, a sender and a list of recipients", () => {
    expect(readConfig({}).mail).toBeNull();
    expect(readConfig(MAIL).mail).toMatchObject({
      server: {
        host: "mail.example.com",
        port: 587,
        isSecure: false,
        login: { user: "hermod", pass: "p@ss" },
      },
      from: { name: "Hermod", address: "alerts@example.com" },
    });
    const { server } = readConfig({ ...MAIL, HERMOD_SMTP_URL: "smtps://[::1]" }).mail ?? {};
    expect(server).toEqual({ host: "::1", port: 465, isSecure: true, login: null });
  });

  test.each(Object.keys(MAIL))("needs %s, where e-mails are sent or permitted", (name) => {
    const env = { ...MAIL, [name]: undefined };
    const problem = [`${name} must be set, since another HERMOD_SMTP_ variable is`];
    expect(problemsOf(env)).toEqual(problem);
    expect(problemsOf(env, "dispatcher")).toEqual(problem);
    expect(problemsOf(env, "migrate")).toEqual([]);
  });

  test.each([
    ["HERMOD_SMTP_URL", ["mail:587", "http://mail", "smtp://", "smtp://user@mail", "smtp://:pass@mail"]],
    ["HERMOD_SMTP_URL", ["smtp://mail/?tls=never", "smtp://mail/path", "smtp://user:100%@mail"]],
    [
      "HERMOD_SMTP_FROM",
      ["Hermod", "Hermod <alerts>", "a@example.com, b@example.com", "<>", "A\nB <a@example.com>"],
    ],
    [
      "HERMOD_SMTP_RECIPIENTS",
      ["example.com", "@", "@example..com", "ops@a.example;b@a.example", "a@a.example,", "*@a"],
    ],
  ])("with another form of %s is refused, and named", (name, values) => {
    for (const value of values)
      expect({ value, named: named(problemsOf({ ...MAIL, [name]: value })) }).toEqual({
        value,
        named: [name],
      });
  });
});

test("a problem reveals no secret", () => {
  const secret = "hunter2";
  const problems = problemsOf({
    ...PRODUCTION,
    HERMOD_ADMIN_KEY: secret,
    HERMOD_JWT_SECRET: secret,
    DATABASE_URL: `mysql://user:${secret}@host/db`,
    HERMOD_EGRESS_PROXY: `https://user:${secret}@proxy:3128`,
    HERMOD_SMTP_URL: `smtp://user:${secret}@mail/path`,
    HERMOD_SMTP_FROM: "alerts@example.com",
    HERMOD_SMTP_RECIPIENTS: "*",
  });
  expect(named(problems)).toEqual([
    "DATABASE_URL",
    "HERMOD_ADMIN_KEY",
    "HERMOD_EGRESS_PROXY",
    "HERMOD_JWT_SECRET",
    "HERMOD_SMTP_URL",
  ]);
  expect(problems.join()).not.toContain(secret);
});

test("requirements on JWTs need a source of JWTs", () => {
  const claims = { HERMOD_JWT_ISSUER: "https://id.example.com", HERMOD_JWT_AUDIENCE: "hermod" };
  expect(named(problemsOf(claims))).toEqual(["HERMOD_JWT_AUDIENCE", "HERMOD_JWT_ISSUER"]);
  expect(problemsOf({ ...claims, HERMOD_JWT_SECRET: JWT_SECRET })).toEqual([]);
  expect(problemsOf({ ...claims, HERMOD_JWKS_URL: "https://id.example.com/keys" })).toEqual([]);
  // A dispatcher with the API's settings, but not its secrets.
  expect(() => readConfig(claims, "dispatcher")).not.toThrow();
});

test("credentials for NATS are checked, and need a configured server", () => {
  const problems = (env: Record<string, string>) => {
    try {
      readConfig(env);
    } catch (error) {
      return error instanceof ConfigError ? error.problems : [];
    }
  };
  const HERMOD_NATS_CREDENTIALS = "/nowhere/user.creds";
  expect(problems({ HERMOD_NATS_CREDENTIALS })).toEqual([
    expect.stringMatching(/^HERMOD_NATS_CREDENTIALS can't be used: ENOENT/),
    "HERMOD_NATS_CREDENTIALS needs NATS_URL, the server that the credentials are for",
  ]);
  expect(problems({ HERMOD_NATS_CREDENTIALS, NATS_URL: "nats://a" })).toHaveLength(1);
});

test("an unknown HERMOD_ variable is reported", () => {
  const settings = { ...VARIABLES, HERMOD_DATA_DIR: ".", HERMOD_JWT_ISSUER: "a", HERMOD_JWT_AUDIENCE: "b" };
  const known = Object.keys(settings).filter((name) => name.startsWith("HERMOD_"));
  const others = ["HERMOD_URL", "HERMOD_KEY", "HERMOD_SERVICE_HOST", "HERMOD_PORT_3000_TCP_ADDR", "PATH"];
  const misspelt = ["HERMOD_ATTEMPT_TIMOUT", "HERMOD_KEYS"];
  const env = Object.fromEntries([...known, ...others, ...misspelt].map((name) => [name, ""]));
  expect(readConfig(env).unknown).toEqual(misspelt);
});

test("the dispatchers' metrics have ports behind the API's, which nothing else may have", () => {
  const read = (more: object) => () => readConfig({ HERMOD_PROCESSES: "3", ...more });
  expect(read({ PORT: "3002", HERMOD_METRICS_PORT: "3000" })).toThrow("PORT must not be from 3000 to 3002");
  expect(read({ HERMOD_METRICS_PORT: "65534" })).toThrow("HERMOD_METRICS_PORT must be at most 65533");
  expect(read({ PORT: "3003", HERMOD_METRICS_PORT: "3000" })()).toMatchObject({ processes: 3 });
});

test("variables that Kubernetes sets for services named hermod, hermod-nats and the like are ignored", () => {
  const of = (service: string, port: number) => ({
    [`${service}_SERVICE_HOST`]: "10.0.0.7",
    [`${service}_SERVICE_PORT`]: String(port),
    [`${service}_SERVICE_PORT_TCP_MAIN`]: String(port),
    [`${service}_PORT`]: `tcp://10.0.0.7:${port}`,
    [`${service}_PORT_${port}_TCP`]: `tcp://10.0.0.7:${port}`,
    [`${service}_PORT_${port}_TCP_ADDR`]: "10.0.0.7",
  });
  const env = {
    ...of("HERMOD", 3000),
    ...of("HERMOD_NATS", 4222),
    ...of("HERMOD_POSTGRES", 5432),
    ...of("HERMOD_METRICS", 9464),
  };
  expect(readConfig(env)).toEqual(readConfig({}));
});

test("the configuration cannot be changed after it was read", () => {
  const config = readConfig({});
  expect(() => Object.assign(config, { port: 1 })).toThrow();
  expect(() => (config.retrySchedule as number[]).push(1)).toThrow();
  const keys: (keyof Config)[] = ["port", "retrySchedule"];
  expect(keys.every((key) => config[key] !== undefined)).toBe(true);
});

test("a duration out of bounds is refused, with the bounds written as durations", () => {
  expect(problemsOf({ HERMOD_RETENTION: "1h" })).toEqual([
    "HERMOD_RETENTION must be a duration from 1d to 3650d, such as 30d",
  ]);
  expect(problemsOf({ HERMOD_QUERY_TIMEOUT: "soon" })).toEqual([
    "HERMOD_QUERY_TIMEOUT must be a duration from 100ms to 1h, such as 10s",
  ]);
});

test("the common endpoint gets traces, and metrics and logs on request; a signal's own endpoint turns it on", () => {
  const exported = (env: Record<string, string>) => {
    const { traces, metrics, logs } = readConfig(env).otlp;
    return [traces !== null && "traces", metrics !== null && "metrics", logs && "logs"].filter(Boolean);
  };
  const common = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://a:4318" };
  expect(exported({})).toEqual([]);
  expect(exported(common)).toEqual(["traces"]);
  const all = { ...common, OTEL_METRICS_EXPORTER: "otlp", OTEL_LOGS_EXPORTER: "otlp" };
  expect(exported(all)).toEqual(["traces", "metrics", "logs"]);
  expect(exported({ ...all, OTEL_TRACES_EXPORTER: "none" })).toEqual(["metrics", "logs"]);
  expect(exported({ ...all, OTEL_SDK_DISABLED: "true" })).toEqual([]);
  expect(exported({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://a/v1/metrics" })).toEqual(["metrics"]);
  expect(exported({ OTEL_LOGS_EXPORTER: "otlp" })).toEqual(["logs"]);
});

describe("an identity provider", () => {
  const PROVIDER = {
    HERMOD_OIDC_ISSUER: "https://id.example.com",
    HERMOD_OIDC_CLIENT_ID: "hermod",
    HERMOD_OIDC_CLIENT_SECRET: SECRET_VALUES.HERMOD_OIDC_CLIENT_SECRET,
  };

  test("gives roles by their names, or as the variable says", () => {
    expect(readConfig({}).oidc).toBeNull();
    expect(readConfig(PROVIDER).oidc).toMatchObject({ roleClaim: "roles", scopes: "openid profile email" });
    expect(readConfig(PROVIDER).oidc?.roles.get("operator")).toBe("operator");
    const roles = readConfig({ ...PROVIDER, HERMOD_OIDC_ROLES: "On call=operator, cn=ops=admin" }).oidc
      ?.roles;
    expect([...(roles ?? [])]).toEqual([
      ["On call", "operator"],
      ["cn=ops", "admin"],
    ]);
  });

  test.each([
    ["HERMOD_OIDC_ROLES", "ops"],
    ["HERMOD_OIDC_ROLES", "ops=owner"],
    ["HERMOD_OIDC_ROLES", "=admin"],
    ["HERMOD_OIDC_ISSUER", "id.example.com"],
    ["HERMOD_OIDC_CLIENT_SECRET", "short"],
    ["HERMOD_OIDC_CLIENT_ID", ""],
  ])("with %s=%s is refused, and named", (name, value) => {
    expect(named(problemsOf({ ...PROVIDER, [name]: value }))).toEqual([name]);
  });

  test("needs https in production", () => {
    const env = { ...PRODUCTION, ...PROVIDER, HERMOD_OIDC_ISSUER: "http://id.example.com" };
    expect(named(problemsOf(env))).toEqual(["HERMOD_OIDC_ISSUER"]);
  });
});

test("every secret can come from a file, as if it were in its variable", () => {
  const files = SECRETS.map((name) => [`${name}_FILE`, fileWith(name, `${SECRET_VALUES[name]}\n`)]);
  const fromFiles = readConfig({ ...WITH_SECRETS, ...Object.fromEntries(files) });
  expect(fromFiles).toEqual(readConfig({ ...WITH_SECRETS, ...SECRET_VALUES }));
  expect(fromFiles.unknown).toEqual([]);
  expect(readConfig({ ...PRODUCTION, ...Object.fromEntries(files.map(([name]) => [name, " "])) })).toEqual(
    readConfig(PRODUCTION),
  );
});

test.each([...SECRETS])("%s: a file that can't be used is the one problem, and is named", (name) => {
  const { [name]: value, ...others } = { ...WITH_SECRETS, ...SECRET_VALUES };
  const variable = `${name}_FILE`;
  const problem = (env: Record<string, string>) => {
    const problems = problemsOf({ ...others, ...env });
    expect(problems).toHaveLength(1);
    return problems[0];
  };
  const missing = join(folder, "missing");
  expect(problem({ [variable]: missing })).toMatch(new RegExp(`^${variable} can't be read: .*${missing}`));
  expect(problem({ [variable]: folder })).toStartWith(`${variable} can't be read: EISDIR`);
  const empty = fileWith("empty", " \n");
  expect(problem({ [variable]: empty })).toBe(`${variable} names an empty file: ${empty}`);
  expect(problem({ [variable]: fileWith(name, value), [name]: value })).toBe(
    `${variable} and ${name} exclude each other; set one of them`,
  );
});

test("a bad value from a file is named by its variable, and not printed", () => {
  const problems = problemsOf({ HERMOD_ADMIN_KEY_FILE: fileWith("short", "hunter2\n") });
  expect(problems).toEqual(["HERMOD_ADMIN_KEY needs at least 20 characters"]);
});

test("a problem caused by an unusable secret file is not reported twice", () => {
  const missing = join(folder, "missing");
  const env = {
    NATS_URL_FILE: missing,
    HERMOD_NATS_CREDENTIALS: "/nowhere/user.creds",
    HERMOD_EGRESS_PROXY_FILE: missing,
    HERMOD_EGRESS_RESOLVE: "proxy",
    HERMOD_JWT_SECRET_FILE: missing,
    HERMOD_JWT_ISSUER: "https://id.example.com",
  };
  expect(named(problemsOf(env))).toEqual([
    "HERMOD_EGRESS_PROXY_FILE",
    "HERMOD_JWT_SECRET_FILE",
    "HERMOD_NATS_CREDENTIALS",
    "NATS_URL_FILE",
  ]);
});

test("a cell and a router need the list of cells and the directory", () => {
  const settings = { HERMOD_CELLS: "eu-1=http://eu,us-1=http://us", HERMOD_CELLS_NATS_URL: "nats://a" };
  const needed = Object.keys(settings);
  expect(named(problemsOf({ HERMOD_CELL: "eu-1" }))).toEqual(needed);
  expect(named(problemsOf({}, "router"))).toEqual(needed);
  expect(problemsOf({ ...settings, HERMOD_CELL: "eu-2" })).toEqual([
    "HERMOD_CELL must be one of HERMOD_CELLS, which has eu-1, us-1",
  ]);
  expect(readConfig({ ...settings, HERMOD_CELL: "us-1" }).cells?.own).toBe("us-1");
  expect(readConfig({ HERMOD_CELL: "us-1" }, "dispatcher").cells).toBeNull();
});

test("old deliveries move to files at an age below the retention, and only with a store", () => {
  const store = { HERMOD_COLD_STORE: "/srv/cold" };
  expect(problemsOf({ ...store, HERMOD_COLD_AFTER: "7d" })).toEqual([]);
  expect(problemsOf({ ...store, HERMOD_COLD_AFTER: "1d" })).toEqual([
    "HERMOD_COLD_AFTER must be a duration from 2d to 3650d, such as 7d",
  ]);
  expect(problemsOf({ ...store, HERMOD_COLD_AFTER: "30d" })).toEqual([
    "HERMOD_COLD_AFTER must be shorter than HERMOD_RETENTION, after which deliveries are deleted",
  ]);
  for (const [name, value] of [
    ["HERMOD_COLD_AFTER", "7d"],
    ["HERMOD_COLD_S3_REGION", "eu-central-1"],
  ] as const)
    expect(problemsOf({ [name]: value })).toEqual([
      `${name} needs HERMOD_COLD_STORE, the folder or bucket for the files`,
    ]);
});
