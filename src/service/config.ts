import { availableParallelism } from "node:os";
import { isBrokenKey } from "../accounts/authentication/api-key";
import type { JwtSettings } from "../accounts/authentication/jwt";
import { DEFAULT_PLAN, PLAN_NAME } from "../accounts/plan";
import { basePathProblem } from "../api/edge/base-path";
import { TrustedProxies } from "../api/edge/trusted-proxies";
import { type EgressProxy, parseProxyUrl } from "../attempt/connections/egress-proxy";
import { createAddressPolicy } from "../attempt/targets/address";
import type { NameResolution } from "../attempt/targets/resolver";
import { parseDatabaseUrl } from "../db/address";
import { parseRoles, ROLES_BY_NAME } from "../domain/role";
import { parseNamedAddress } from "../feeds/mail/mail-address";
import type { MailSettings } from "../feeds/mail/mail-sender";
import { parseMailServer } from "../feeds/mail/mail-server";
import { Recipients } from "../feeds/mail/recipients";
import type { OidcSettings } from "../oidc/identity-provider";
import { LOG_LEVELS, type LogLevel } from "../runtime/log";
import { isGuessable } from "../runtime/text/guessable";
import { credentialsIn } from "../stream/connection";
import { type EncryptionKey, parseEncryptionKeys } from "../vault/encryption-key";
import { type CellSettings, readCells } from "./cell-settings";
import { type ColdSettings, readCold } from "./cold-settings";
import { type Environment, EnvironmentReader, isServiceAddress } from "./environment";
import { type MoveAddresses, readMove } from "./move-settings";
import { type OtlpSettings, readOtlp } from "./otlp-settings";
import { LEAST_CONNECTIONS } from "./pool-sizes";

/** The longest configurable wait. Timers misbehave beyond 24 days. */
const LONGEST_WAIT = "1h";
/** The longest interval that Postgres calculates with, well within its limits. */
const LONGEST_INTERVAL = "365d";

/** The settings from the environment, checked and frozen. Durations are in milliseconds. */
export type Config = Readonly<{
  production: boolean;
  host: string;
  port: number;
  /** The address of metrics and health, which need no key. */
  metricsHost: string;
  /** The port of metrics and health; null for no such server, 0 for a free port. */
  metricsPort: number | null;
  logLevel: LogLevel;
  otlp: OtlpSettings;
  /** The shares of requests and of attempts that are logged, from 0 to 1. */
  logRequests: number;
  logAttempts: number;
  dataDir: string;
  /** Null for the embedded server. */
  databaseUrl: string | null;
  natsUrl: string | null;
  /** A file with the JWT and the seed for NATS. */
  natsCredentials: string | null;
  postgresPort: number | null;
  natsPort: number | null;
  /** Most connections to Postgres of this process. */
  databaseConnections: number;
  queryTimeoutMs: number;
  /** Origins whose pages may use the API. */
  corsOrigins: readonly string[];
  /** True if the API serves the console at /console. */
  console: boolean;
  /** True if the API serves the portal at /portal. */
  portal: boolean;
  /** Origins whose pages may embed the portal. */
  portalOrigins: readonly string[];
  /** Networks of the proxies whose X-Forwarded-For is believed; null for none. */
  trustedProxies: string | null;
  /** The origin at which browsers reach this service; null to use the host of each request. */
  publicUrl: string | null;
  adminKey: string | null;
  /** The plan of new accounts. */
  defaultPlan: string;
  encryptionKeys: readonly EncryptionKey[] | null;
  /** Null to accept no JWT. */
  jwt: JwtSettings | null;
  /** Null for a console without an identity provider. */
  oidc: OidcSettings | null;
  allowPrivateNetworks: string | null;
  requireHttps: boolean;
  /** True if receivers may use TLS 1.2 with static RSA key exchange. */
  allowStaticRsa: boolean;
  /** The proxy for webhooks, with its credentials. */
  egressProxy: EgressProxy | null;
  egressResolve: NameResolution;
  /** Null for a service that sends no e-mail. */
  mail: MailSettings | null;
  /** Null for an installation without cells. */
  cells: CellSettings | null;
  /** One with the API, the others deliver. With 1 the same process does both. Other roles than `all` have 1. */
  processes: number;
  partitions: number;
  streamReplicas: number;
  streamMaxBytes: number;
  leaseTtlMs: number;
  sweepIntervalMs: number;
  attemptTimeoutMs: number;
  retrySchedule: readonly number[];
  disableAfterMs: number;
  /** An endpoint counts as blocked when a delivery has held back its order for this long. */
  blockedAfterMs: number;
  retentionMs: number;
  /** Null if all deliveries stay in Postgres. */
  cold: ColdSettings | null;
  /** Null but for the task that moves an account. */
  move: MoveAddresses | null;
  auditRetentionMs: number;
  /** Most bytes of a response body that are kept. */
  responseBodyBytes: number;
  maxInFlight: number;
  apiConnections: number;
  intakeQueue: number;
  drainTimeoutMs: number;
  /** Unknown variables with Hermod's prefix, probably misspelt. */
  unknown: readonly string[];
}>;

const SERVERS = ["DATABASE_URL", "NATS_URL"];

/** Variables with secrets. Each may be read from a file instead: `<name>_FILE` is its path. */
export const SECRETS = [
  "DATABASE_URL",
  "NATS_URL",
  "HERMOD_CELLS_NATS_URL",
  "HERMOD_ADMIN_KEY",
  "HERMOD_ENCRYPTION_KEY",
  "HERMOD_JWT_SECRET",
  "HERMOD_OIDC_CLIENT_SECRET",
  "HERMOD_EGRESS_PROXY",
  "HERMOD_SMTP_URL",
  "HERMOD_COLD_S3_SECRET",
  "HERMOD_MOVE_TO",
  "HERMOD_MOVE_FROM",
] as const;

/** The variables that each task requires in production, where Hermod invents no defaults for them. */
const NEEDS = {
  all: [...SERVERS, "HERMOD_ADMIN_KEY", "HERMOD_ENCRYPTION_KEY"],
  api: [...SERVERS, "HERMOD_ADMIN_KEY", "HERMOD_ENCRYPTION_KEY"],
  dispatcher: [...SERVERS, "HERMOD_ENCRYPTION_KEY"],
  router: [],
  services: [],
  migrate: ["DATABASE_URL"],
  export: [],
  import: ["DATABASE_URL", "HERMOD_ENCRYPTION_KEY"],
  move: ["HERMOD_ENCRYPTION_KEY"],
} as const satisfies Record<string, readonly string[]>;

export type ServiceTask = keyof typeof NEEDS;

export function isTask(name: string): name is ServiceTask {
  return Object.hasOwn(NEEDS, name);
}

/** Variables of the command line, and variables that Kubernetes sets for a service called hermod or hermod-nats. */
const NOT_OURS = /^HERMOD_(URL|KEY|ACCOUNT|(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_\w+))$/;

/** Reads and checks the environment for a task. Throws `ConfigError`. */
export function readConfig(env: Environment, task: ServiceTask = "all"): Config {
  const read = new EnvironmentReader(env, SECRETS);
  const production = readProduction(read);
  const hasApi = task === "all" || task === "api";
  // At least a day, because an Idempotency-Key is answered with its delivery for a day.
  const retentionMs = read.duration("HERMOD_RETENTION", "30d", "1d", "3650d");
  const config: Config = Object.freeze({
    production,
    host: readHost(read, "HOST") ?? (production ? "::" : "127.0.0.1"),
    port: read.integer("PORT", 3000, 0, 65_535),
    metricsHost: readHost(read, "HERMOD_METRICS_HOST") ?? "127.0.0.1",
    metricsPort: read.port("HERMOD_METRICS_PORT", 0),
    logLevel: read.oneOf("HERMOD_LOG_LEVEL", LOG_LEVELS, "info"),
    otlp: readOtlp(read),
    logRequests: read.share("HERMOD_LOG_REQUESTS"),
    logAttempts: read.share("HERMOD_LOG_ATTEMPTS"),
    dataDir: read.text("HERMOD_DATA_DIR") ?? ".hermod",
    databaseUrl: read.checked("DATABASE_URL", parseDatabaseUrl),
    natsUrl: read.urls("NATS_URL", ["nats:", "tls:"]),
    natsCredentials: read.checked("HERMOD_NATS_CREDENTIALS", credentialsIn),
    postgresPort: read.port("HERMOD_POSTGRES_PORT"),
    natsPort: read.port("HERMOD_NATS_PORT"),
    databaseConnections: read.integer("HERMOD_DATABASE_CONNECTIONS", 26, LEAST_CONNECTIONS, 500),
    queryTimeoutMs: read.duration("HERMOD_QUERY_TIMEOUT", "10s", "100ms", LONGEST_WAIT),
    corsOrigins: read.origins("HERMOD_CORS_ORIGINS"),
    console: read.switch("HERMOD_CONSOLE"),
    portal: read.switch("HERMOD_PORTAL"),
    trustedProxies: read.checked("HERMOD_TRUSTED_PROXIES", (text) => new TrustedProxies(text)),
    publicUrl: readPublicUrl(read, production),
    portalOrigins: read.origins("HERMOD_PORTAL_ORIGINS"),
    adminKey: readAdminKey(read),
    defaultPlan: readDefaultPlan(read),
    encryptionKeys: read.parsed("HERMOD_ENCRYPTION_KEY", parseSafeEncryptionKeys),
    jwt: readJwt(read, production),
    oidc: readOidc(read, production),
    allowPrivateNetworks: read.checked("HERMOD_ALLOW_PRIVATE_NETWORKS", (allowPrivateNetworks) =>
      createAddressPolicy({ production, allowPrivateNetworks }),
    ),
    requireHttps: read.flag("HERMOD_REQUIRE_HTTPS"),
    allowStaticRsa: read.flag("HERMOD_ALLOW_STATIC_RSA"),
    egressProxy: read.parsed("HERMOD_EGRESS_PROXY", parseProxyUrl),
    egressResolve: read.oneOf("HERMOD_EGRESS_RESOLVE", ["hermod", "proxy"], "hermod"),
    mail: readMail(read),
    cells: readCells(read, task === "router" ? task : hasApi ? "api" : null),
    processes: readProcesses(read, task),
    partitions: read.integer("HERMOD_PARTITIONS", 32, 1, 1_024),
    streamReplicas: read.integer("HERMOD_STREAM_REPLICAS", 1, 1, 5),
    streamMaxBytes: read.integer("HERMOD_STREAM_MAX_BYTES", 1_073_741_824, 1_048_576, 2 ** 50),
    leaseTtlMs: read.duration("HERMOD_LEASE_TTL", "5s", "500ms", LONGEST_WAIT),
    sweepIntervalMs: read.duration("HERMOD_SWEEP_INTERVAL", "2s", "50ms", LONGEST_WAIT),
    attemptTimeoutMs: read.duration("HERMOD_ATTEMPT_TIMEOUT", "15s", "100ms", LONGEST_WAIT),
    retrySchedule: read.schedule(
      "HERMOD_RETRY_SCHEDULE",
      "1s,5s,30s,2m,10m,30m,1h,2h,4h,8h",
      LONGEST_INTERVAL,
    ),
    disableAfterMs: read.duration("HERMOD_DISABLE_AFTER", "5d", "1s", LONGEST_INTERVAL),
    blockedAfterMs: read.duration("HERMOD_BLOCKED_AFTER", "15m", "1s", LONGEST_INTERVAL),
    retentionMs,
    cold: readCold(read, retentionMs),
    move: readMove(read, task === "move"),
    auditRetentionMs: read.duration("HERMOD_AUDIT_RETENTION", "365d", "1d", "3650d"),
    responseBodyBytes: read.integer("HERMOD_RESPONSE_BODY", 4_096, 1_024, 65_536),
    maxInFlight: read.integer("HERMOD_MAX_IN_FLIGHT", 16_384, 1, 60_000),
    apiConnections: read.integer("HERMOD_API_CONNECTIONS", 2_048, 16, 60_000),
    intakeQueue: read.integer("HERMOD_INTAKE_QUEUE", 10_000, 1, 1_000_000),
    drainTimeoutMs: read.duration("HERMOD_DRAIN_TIMEOUT", "25s", "0s", LONGEST_WAIT),
    // Comes last, after all known variables were read.
    unknown: Object.freeze(
      read.unread("HERMOD_").filter((name) => !NOT_OURS.test(name) && !isServiceAddress(env[name] ?? "")),
    ),
  });
  if (task !== "migrate" && config.natsCredentials !== null && !read.isGiven("NATS_URL")) {
    read.problem("HERMOD_NATS_CREDENTIALS needs NATS_URL, the server that the credentials are for");
  }
  if (config.egressResolve === "proxy" && !read.isGiven("HERMOD_EGRESS_PROXY")) {
    read.problem("HERMOD_EGRESS_RESOLVE=proxy needs HERMOD_EGRESS_PROXY");
  }
  const listens = hasApi || task === "router";
  if (listens && config.metricsPort === config.port && config.port !== 0) {
    read.problem(`HERMOD_METRICS_PORT must differ from PORT, the port of requests, which is ${config.port}`);
  }
  if (task === "all") refuseTakenPorts(read, config);
  // Processes without an API may share the settings of processes with one, and lack the API's secrets.
  if (hasApi && !read.isGiven("HERMOD_JWT_SECRET") && !read.isGiven("HERMOD_JWKS_URL")) refuseJwtClaims(read);
  if (hasApi) requireTogether(read, "HERMOD_OIDC_", OIDC_PROVIDER, OIDC_OPTIONS);
  if (hasApi || task === "dispatcher") requireTogether(read, "HERMOD_SMTP_", MAIL);
  if (production) requireInProduction(read, NEEDS[task]);
  const makesLinks = config.portal || config.oidc !== null;
  if (production && hasApi && makesLinks && !read.isGiven("HERMOD_PUBLIC_URL"))
    read.problem(
      "HERMOD_PUBLIC_URL must be set when NODE_ENV is production: links to the portal and the way back from a sign-in begin with " +
        "it. With HERMOD_PORTAL=off and no HERMOD_OIDC_ISSUER none is made",
    );
  read.finish();
  return config;
}

/**
 * Reads NODE_ENV, and refuses near misses of "production": development mode prints the admin key and allows private
 * targets.
 */
function readProduction(read: EnvironmentReader): boolean {
  const mode = read.text("NODE_ENV");
  if (mode === "production") return true;
  if (mode !== null && /^\W?prod/i.test(mode))
    read.problem("NODE_ENV must be exactly production, or a word that does not begin like it");
  return false;
}

/** Reads a host; removes the brackets that an IPv6 address has in URLs. */
function readHost(read: EnvironmentReader, name: string): string | null {
  return read.text(name)?.replace(/^\[(.+)\]$/, "$1") ?? null;
}

/** The largest number of processes from one command. */
export const MOST_PROCESSES = 16;

/** Refuses ports of metrics that do not exist, or that the API has. Each child has the port behind the one before it. */
function refuseTakenPorts(read: EnvironmentReader, { metricsPort, processes, port }: Config): void {
  if (!metricsPort) return;
  const last = metricsPort + processes - 1;
  if (last > 65_535)
    read.problem(`HERMOD_METRICS_PORT must be at most ${65_536 - processes} for ${processes} processes`);
  else if (port > metricsPort && port <= last)
    read.problem(`PORT must not be from ${metricsPort} to ${last}: the processes have their metrics there`);
}

/** Reads the number of processes. `auto` is two where there are two cores or more. Other tasks have one. */
function readProcesses(read: EnvironmentReader, task: ServiceTask): number {
  const name = "HERMOD_PROCESSES";
  const isAuto = (read.text(name) ?? "auto") === "auto";
  const count = isAuto ? Math.min(2, availableParallelism()) : read.integer(name, 1, 1, MOST_PROCESSES);
  return task === "all" ? count : 1;
}

function readAdminKey(read: EnvironmentReader): string | null {
  const name = "HERMOD_ADMIN_KEY";
  const value = read.secret(name, 20);
  // The key goes into an HTTP header unchanged.
  if (value && !/^[\x21-\x7e]+$/.test(value))
    read.problem(`${name} must consist of visible ASCII characters, without blanks`);
  if (value && isBrokenKey(value)) read.problem(`${name} begins like an API key, but is incomplete`);
  return value;
}

/** Reads the address of the service: an origin, with a path where a proxy publishes it below one. */
function readPublicUrl(read: EnvironmentReader, production: boolean): string | null {
  const url = read.url("HERMOD_PUBLIC_URL", ["http:", "https:"])?.replace(/\/$/, "") ?? null;
  if (production && url !== null && /^http:/i.test(url))
    read.problem("HERMOD_PUBLIC_URL must begin with https:// when NODE_ENV is production: links have tokens");
  else if (url !== null) {
    const problem = addressProblem(url);
    if (problem !== null) read.problem(`HERMOD_PUBLIC_URL ${problem}`);
  }
  return url;
}

/** Returns what is wrong with an address that begins with http. */
function addressProblem(text: string): string | null {
  const { origin, pathname } = new URL(text);
  if (origin + (pathname === "/" ? "" : pathname) !== text)
    return "must be an origin, with or without a path, such as https://hooks.example.com or https://example.com/hermod";
  return basePathProblem(pathname.replace(/\/$/, ""));
}

function readDefaultPlan(read: EnvironmentReader): string {
  const name = read.text("HERMOD_DEFAULT_PLAN") ?? DEFAULT_PLAN;
  if (!PLAN_NAME.test(name))
    read.problem("HERMOD_DEFAULT_PLAN must be the name of a plan, such as unlimited");
  return name;
}

/** Parses encryption keys. Throws also for guessable keys. */
function parseSafeEncryptionKeys(text: string): readonly EncryptionKey[] {
  const keys = parseEncryptionKeys(text);
  const position = keys.findIndex(({ bytes }) => isGuessable(bytes)) + 1;
  if (position > 0)
    throw new Error(`key ${position} is guessable; use the output of openssl rand -base64 32`);
  return keys;
}

function readJwt(read: EnvironmentReader, production: boolean): JwtSettings | null {
  const secret = read.secret("HERMOD_JWT_SECRET", 32);
  const setUrl = read.url("HERMOD_JWKS_URL", ["http:", "https:"]);
  if (production && setUrl !== null && /^http:/i.test(setUrl)) {
    read.problem(
      "HERMOD_JWKS_URL must begin with https:// when NODE_ENV is production: over http anybody in between can replace the keys",
    );
  }
  if (secret !== null && setUrl !== null) {
    read.problem("HERMOD_JWT_SECRET and HERMOD_JWKS_URL exclude each other; set one of them");
  }
  const issuer = read.text("HERMOD_JWT_ISSUER");
  const audience = read.text("HERMOD_JWT_AUDIENCE");
  const keys = secret !== null ? { secret } : setUrl !== null ? { setUrl } : null;
  return keys && { keys, issuer, audience };
}

const OIDC_PROVIDER = ["HERMOD_OIDC_ISSUER", "HERMOD_OIDC_CLIENT_ID", "HERMOD_OIDC_CLIENT_SECRET"];
const OIDC_OPTIONS = [
  "HERMOD_OIDC_SCOPES",
  "HERMOD_OIDC_ROLE_CLAIM",
  "HERMOD_OIDC_ROLES",
  "HERMOD_OIDC_SESSION",
];

function readOidc(read: EnvironmentReader, production: boolean): OidcSettings | null {
  const issuer = read.url("HERMOD_OIDC_ISSUER", ["http:", "https:"]);
  if (production && issuer !== null && /^http:/i.test(issuer))
    read.problem("HERMOD_OIDC_ISSUER must begin with https:// when NODE_ENV is production");
  const clientId = read.text("HERMOD_OIDC_CLIENT_ID");
  const clientSecret = read.secret("HERMOD_OIDC_CLIENT_SECRET", 16);
  const scopes = read.text("HERMOD_OIDC_SCOPES") ?? "openid profile email";
  const roleClaim = read.text("HERMOD_OIDC_ROLE_CLAIM") ?? "roles";
  const roles = read.parsed("HERMOD_OIDC_ROLES", parseRoles) ?? ROLES_BY_NAME;
  const sessionSeconds = read.duration("HERMOD_OIDC_SESSION", "1h", "1m", "12h") / 1_000;
  if (issuer === null || clientId === null || clientSecret === null) return null;
  return { issuer, clientId, clientSecret, scopes, roleClaim, roles, sessionSeconds };
}

/** Requires all of `names` if one of them, or one of `options`, is given. */
function requireTogether(
  read: EnvironmentReader,
  prefix: string,
  names: string[],
  options: string[] = [],
): void {
  if (![...names, ...options].some((name) => read.isGiven(name))) return;
  for (const name of names) {
    if (!read.isGiven(name)) read.problem(`${name} must be set, since another ${prefix} variable is`);
  }
}

const MAIL = ["HERMOD_SMTP_URL", "HERMOD_SMTP_FROM", "HERMOD_SMTP_RECIPIENTS"];

function readMail(read: EnvironmentReader): MailSettings | null {
  const server = read.parsed("HERMOD_SMTP_URL", parseMailServer);
  const from = read.parsed("HERMOD_SMTP_FROM", parseNamedAddress);
  const recipients = read.parsed("HERMOD_SMTP_RECIPIENTS", Recipients.parse);
  return server && from && recipients && { server, from, recipients };
}

function refuseJwtClaims(read: EnvironmentReader): void {
  for (const name of ["HERMOD_JWT_ISSUER", "HERMOD_JWT_AUDIENCE"]) {
    if (read.text(name) === null) continue;
    read.problem(`${name} needs HERMOD_JWT_SECRET or HERMOD_JWKS_URL`);
  }
}

function requireInProduction(read: EnvironmentReader, names: readonly string[]): void {
  for (const name of names) {
    if (!read.isGiven(name)) read.problem(`${name} must be set when NODE_ENV is production`);
  }
}
