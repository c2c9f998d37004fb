import { isBrokenKey } from "./accounts/api-key";
import type { JwtSettings } from "./accounts/jwt";
import { createAddressPolicy } from "./attempt/address";
import { type EgressProxy, parseProxyUrl } from "./attempt/egress-proxy";
import { parseDatabaseUrl } from "./db/address";
import { parseDuration } from "./runtime/duration";
import { type EncryptionKey, parseEncryptionKeys } from "./runtime/encryption-key";
import { LOG_LEVELS, type LogLevel } from "./runtime/log";
import { messageOf } from "./runtime/message-of";
import { credentialsIn } from "./stream/credentials";

/** The most that is waited for: more than anyone does; and timers are off beyond 24 days. */
const LONGEST_WAIT = "1h";
/** The most that Postgres is to count with: its intervals end somewhere. */
const LONGEST_INTERVAL = "365d";

/** The environment, read once, checked and frozen. Durations are milliseconds. */
export type Config = Readonly<{
  production: boolean;
  host: string;
  port: number;
  /** Where metrics and health are told; null: nowhere. 0 takes a free one. */
  metricsPort: number | null;
  logLevel: LogLevel;
  dataDir: string;
  /** Null: the embedded server. */
  databaseUrl: string | null;
  natsUrl: string | null;
  /** A file with the JWT and the seed to connect with. */
  natsCredentials: string | null;
  postgresPort: number | null;
  natsPort: number | null;
  databasePoolSize: number;
  queryTimeoutMs: number;
  /** Origins whose pages may use the API. */
  corsOrigins: readonly string[];
  adminKey: string | null;
  encryptionKeys: readonly EncryptionKey[] | null;
  /** Null: no JWT is taken. */
  jwt: JwtSettings | null;
  allowPrivateNetworks: string | null;
  requireHttps: boolean;
  /** The proxy that webhooks leave through, credentials included. */
  egressProxy: EgressProxy | null;
  partitions: number;
  streamReplicas: number;
  streamMaxBytes: number;
  leaseTtlMs: number;
  sweepIntervalMs: number;
  attemptTimeoutMs: number;
  retrySchedule: readonly number[];
  disableAfterMs: number;
  retentionMs: number;
  maxInFlight: number;
  intakeQueue: number;
  drainTimeoutMs: number;
  /** Variables that are named as settings are, but are none: misspelt, as a rule. */
  unknown: readonly string[];
}>;

/** Every problem of the environment at once, so that it is mended in one go. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "ConfigError";
  }
}

type Environment = Record<string, string | undefined>;

const OF_THE_COMMAND_LINE = ["HERMOD_URL", "HERMOD_KEY"];
/** What Kubernetes tells every container of a service that is called hermod, or hermod-nats… */
const SERVICE_NAME = /^HERMOD_(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_\w+)$/;
/** …and where it is, in `HERMOD_PORT` or `HERMOD_NATS_PORT`: no port that anyone has asked us for. */
const SERVICE_ADDRESS = /^(tcp|udp|sctp):\/\//;

/** Reads and checks the environment; throws `ConfigError`. */
export function readConfig(env: Environment): Config {
  const read = new Reader(env);
  const production = env.NODE_ENV === "production";
  const config: Config = Object.freeze({
    production,
    host: read.text("HOST") ?? (production ? "0.0.0.0" : "127.0.0.1"),
    port: read.integer("PORT", 3000, 0, 65_535),
    metricsPort: read.port("HERMOD_METRICS_PORT", 0),
    logLevel: read.oneOf("HERMOD_LOG_LEVEL", LOG_LEVELS, "info"),
    dataDir: read.text("HERMOD_DATA_DIR") ?? ".hermod",
    databaseUrl: read.checked("DATABASE_URL", parseDatabaseUrl),
    natsUrl: read.urls("NATS_URL", ["nats:", "tls:"]),
    natsCredentials: read.checked("HERMOD_NATS_CREDENTIALS", credentialsIn),
    postgresPort: read.port("HERMOD_POSTGRES_PORT"),
    natsPort: read.port("HERMOD_NATS_PORT"),
    databasePoolSize: read.integer("HERMOD_DATABASE_POOL", 12, 4, 200),
    queryTimeoutMs: read.duration("HERMOD_QUERY_TIMEOUT", "10s", "100ms", LONGEST_WAIT),
    corsOrigins: read.origins("HERMOD_CORS_ORIGINS"),
    adminKey: read.adminKey("HERMOD_ADMIN_KEY", 20),
    encryptionKeys: read.parsed("HERMOD_ENCRYPTION_KEY", parseEncryptionKeys),
    jwt: read.jwt(),
    allowPrivateNetworks: read.checked("HERMOD_ALLOW_PRIVATE_NETWORKS", (allowPrivateNetworks) =>
      createAddressPolicy({ production, allowPrivateNetworks }),
    ),
    requireHttps: read.flag("HERMOD_REQUIRE_HTTPS"),
    egressProxy: read.parsed("HERMOD_EGRESS_PROXY", parseProxyUrl),
    partitions: read.integer("HERMOD_PARTITIONS", 64, 1, 1_024),
    streamReplicas: read.integer("HERMOD_STREAM_REPLICAS", 1, 1, 5),
    streamMaxBytes: read.integer("HERMOD_STREAM_MAX_BYTES", 1_073_741_824, 1_048_576, 2 ** 50),
    leaseTtlMs: read.duration("HERMOD_LEASE_TTL", "5s", "500ms", LONGEST_WAIT),
    sweepIntervalMs: read.duration("HERMOD_SWEEP_INTERVAL", "2s", "50ms", LONGEST_WAIT),
    attemptTimeoutMs: read.duration("HERMOD_ATTEMPT_TIMEOUT", "15s", "100ms", LONGEST_WAIT),
    retrySchedule: read.schedule("HERMOD_RETRY_SCHEDULE", "1s,5s,30s,2m,10m,30m,1h,2h,4h,8h"),
    disableAfterMs: read.duration("HERMOD_DISABLE_AFTER", "5d", "1s", LONGEST_INTERVAL),
    // A day is how long an Idempotency-Key is answered with its delivery.
    retentionMs: read.duration("HERMOD_RETENTION", "30d", "1d", "3650d"),
    maxInFlight: read.integer("HERMOD_MAX_IN_FLIGHT", 16_384, 1, 60_000),
    intakeQueue: read.integer("HERMOD_INTAKE_QUEUE", 10_000, 1, 1_000_000),
    drainTimeoutMs: read.duration("HERMOD_DRAIN_TIMEOUT", "25s", "0s", LONGEST_WAIT),
    // After all that are read.
    unknown: read.unknown(),
  });
  if (config.natsCredentials !== null && config.natsUrl === null) {
    read.problem("HERMOD_NATS_CREDENTIALS is for the server of NATS_URL, which is not set");
  }
  if (production) read.requireInProduction();
  read.finish();
  return config;
}

class Reader {
  private readonly problems: string[] = [];
  private readonly names = new Set<string>();

  constructor(private readonly env: Environment) {}

  text(name: string): string | null {
    this.names.add(name);
    const value = this.env[name]?.trim();
    return value ? value : null;
  }

  secret(name: string, minLength: number): string | null {
    const value = this.text(name);
    if (value && value.length < minLength) this.problem(`${name} needs at least ${minLength} characters`);
    return value;
  }

  adminKey(name: string, minLength: number): string | null {
    const value = this.secret(name, minLength);
    // It goes in a header, as it is.
    if (value && !/^[\x21-\x7e]+$/.test(value))
      this.problem(`${name} must be of visible ASCII characters, without blanks`);
    if (value && isBrokenKey(value)) this.problem(`${name} begins as an API key but is not a whole one`);
    return value;
  }

  jwt(): JwtSettings | null {
    const secret = this.secret("HERMOD_JWT_SECRET", 32);
    const setUrl = this.url("HERMOD_JWKS_URL", ["http:", "https:"]);
    if (secret !== null && setUrl !== null) {
      this.problem("HERMOD_JWT_SECRET and HERMOD_JWKS_URL exclude each other");
    }
    const issuer = this.text("HERMOD_JWT_ISSUER");
    const audience = this.text("HERMOD_JWT_AUDIENCE");
    const keys = secret !== null ? { secret } : setUrl !== null ? { setUrl } : null;
    return keys && { keys, issuer, audience };
  }

  url(name: string, schemes: readonly string[]): string | null {
    return this.checkUrls(name, "a URL that begins", schemes, (value) => [value]);
  }

  urls(name: string, schemes: readonly string[]): string | null {
    return this.checkUrls(name, "one or more URLs that begin", schemes, (value) => value.split(","));
  }

  origins(name: string): readonly string[] {
    const origins =
      this.text(name)
        ?.split(",")
        .map((each) => each.trim()) ?? [];
    const isOrigin = (each: string) => /^https?:/.test(each) && URL.parse(each)?.origin === each;
    if (!origins.every(isOrigin)) {
      this.problem(`${name} must be origins with commas between them, such as https://app.example.com`);
    }
    return Object.freeze(origins);
  }

  /** A text that its own part of the service can read; `parse` throws when it can't. */
  checked(name: string, parse: (value: string) => unknown): string | null {
    this.parsed(name, parse);
    return this.text(name);
  }

  parsed<T>(name: string, parse: (value: string) => T): T | null {
    const value = this.text(name);
    try {
      return value === null ? null : parse(value);
    } catch (error) {
      const message = messageOf(error);
      const reason = message.startsWith(`${name}: `) ? message.slice(name.length + 2) : message;
      this.problem(reason.startsWith(`${name} `) ? reason : `${name} can't be used: ${reason}`);
      return null;
    }
  }

  problem(text: string): void {
    this.problems.push(text);
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const value = this.text(name);
    if (value === null) return fallback;
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    this.problem(`${name} must be a whole number from ${min} to ${max}`);
    return fallback;
  }

  port(name: string, min = 1): number | null {
    const value = this.text(name);
    return value === null || SERVICE_ADDRESS.test(value) ? null : this.integer(name, 0, min, 65_535);
  }

  /** The fallback and the bounds as they are written in the variable. */
  duration(name: string, fallback: string, least: string, most: string): number {
    const ms = parseDuration(this.text(name) ?? fallback);
    if (ms !== null && ms >= msOf(least) && ms <= msOf(most)) return ms;
    this.problem(`${name} must be a duration from ${least} to ${most}, such as ${fallback}`);
    return msOf(fallback);
  }

  schedule(name: string, fallback: string): readonly number[] {
    const delays = (this.text(name) ?? fallback).split(",").map(parseDuration);
    // The waits together are the time in which a delivery is tried again.
    const valid = delays.filter((ms): ms is number => ms !== null && ms > 0 && ms <= msOf(LONGEST_INTERVAL));
    if (valid.length !== delays.length || delays.length > 100) {
      this.problem(
        `${name} must be up to 100 durations above 0 and up to ${LONGEST_INTERVAL} with commas between them, such as 1s,30s,5m`,
      );
    }
    return Object.freeze(valid);
  }

  oneOf<T extends string>(name: string, choices: readonly T[], fallback: T): T {
    const value = this.text(name);
    if (value === null) return fallback;
    const choice = choices.find((each) => each === value);
    if (!choice) this.problem(`${name} must be one of ${choices.join(", ")}`);
    return choice ?? fallback;
  }

  /** False unless set. */
  flag(name: string): boolean {
    return this.oneOf(name, ["true", "false"], "false") === "true";
  }

  unknown(): readonly string[] {
    const isOfOthers = (name: string, value: string) =>
      OF_THE_COMMAND_LINE.includes(name) || SERVICE_NAME.test(name) || SERVICE_ADDRESS.test(value);
    const names = Object.entries(this.env).flatMap(([name, value = ""]) =>
      name.startsWith("HERMOD_") && !this.names.has(name) && !isOfOthers(name, value) ? [name] : [],
    );
    return Object.freeze(names);
  }

  requireInProduction(): void {
    for (const name of ["DATABASE_URL", "NATS_URL", "HERMOD_ADMIN_KEY", "HERMOD_ENCRYPTION_KEY"]) {
      if (this.text(name) === null) this.problem(`${name} must be set when NODE_ENV is production`);
    }
  }

  finish(): void {
    if (this.problems.length > 0) throw new ConfigError(this.problems);
  }

  private checkUrls(
    name: string,
    what: string,
    schemes: readonly string[],
    split: (value: string) => string[],
  ): string | null {
    const value = this.text(name);
    if (value === null) return null;
    const urls = split(value).map((each) => URL.parse(each.trim()));
    if (!urls.every((url) => schemes.includes(url?.protocol ?? ""))) {
      this.problem(`${name} must be ${what} with ${schemes.join("// or ")}//`);
    } else if (!urls.every((url) => isEncoded(url?.username ?? "") && isEncoded(url?.password ?? ""))) {
      this.problem(`${name} has a name or password that is not percent-encoded: a % is written %25`);
    }
    return value;
  }
}

/** Milliseconds of a duration of our own. */
function msOf(duration: string): number {
  const ms = parseDuration(duration);
  if (ms === null) throw new Error(`${duration} is not a duration`);
  return ms;
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
