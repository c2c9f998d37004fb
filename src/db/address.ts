import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import type postgres from "postgres";
import { messageOf } from "../runtime/errors";
import { percentDecoded } from "../runtime/text/plain-text";

/** The address of Postgres, and the options of connections to it. */
export type DatabaseAddress = Readonly<{
  /** One or more hosts, tried in turn, each with a port. */
  hosts: readonly string[];
  ports: readonly number[];
  /** A Unix socket on this machine, used instead of hosts. */
  path?: string;
  /** Default to PGUSER, PGPASSWORD and PGDATABASE. */
  username?: string;
  password?: string;
  database?: string;
  ssl: false | "prefer" | ConnectionOptions;
  /** Starts TLS with the connection, without asking the server first. */
  sslnegotiation?: "direct";
  target?: TargetSession;
  /** Settings that every session starts with. */
  parameters: Readonly<Record<string, string>>;
  /** Names of parameters that the driver can't follow, and that are safe to ignore. */
  ignored: readonly string[];
}>;

type TargetSession = NonNullable<postgres.Options<Record<string, never>>["target_session_attrs"]>;

const SCHEME = /^postgres(ql)?:\/\//;
const SHAPE = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#@]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const HOST = /^(\[[0-9a-f:.]+\]|[^:[\]]*)(?::(\d+))?$/i;
const DEFAULT_PORT = 5432;
const ENCODING = "in a name or password, / ? # and % are written %2F %3F %23 %25";

const SSL_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;
type SslMode = (typeof SSL_MODES)[number];

const NEGOTIATIONS = ["postgres", "direct"] as const;
const TARGET_SESSIONS = ["read-write", "read-only", "primary", "standby", "prefer-standby"] as const;

/** Parameters of libpq itself, unknown to servers. The driver or Hermod decides them. */
const OF_CLIENTS = new Set([
  "channel_binding",
  "connect_timeout",
  "fallback_application_name",
  "gssencmode",
  "keepalives",
  "keepalives_count",
  "keepalives_idle",
  "keepalives_interval",
  "load_balance_hosts",
  "sslcertmode",
  "sslcompression",
  "sslsni",
  "tcp_user_timeout",
]);

/** Parameters of libpq that the driver can't follow. Ignoring one would connect in another way than the URL asks. */
const IMPOSSIBLE = new Set([
  "hostaddr",
  "passfile",
  "replication",
  "require_auth",
  "requirepeer",
  "service",
  "servicefile",
]);

const TLS_VERSIONS = ["TLSv1.2", "TLSv1.3"] as const;

/**
 * Parses a URL as libpq does (PostgreSQL, "Connection URIs" and "SSL Support"). The driver lacks several hosts with
 * ports, IPv6, sockets, and the `ssl…` parameters with the files that they name. The default of `sslmode` is `prefer`, without
 * TLS over a socket. Throws an `Error` that names the problem and contains no password.
 */
export function parseDatabaseUrl(text: string): DatabaseAddress {
  const [, user, authority = "", database, query = ""] = partsOf(text.trim());
  // `URLSearchParams` reads a plus sign as a blank, which holds for forms only.
  const parameters = new Map(new URLSearchParams(query.replaceAll("+", "%2B")));
  const hosts = take(parameters, "host") ?? authority;
  const port = take(parameters, "port");
  const path = pathOf(hosts, port);
  const addresses = path === null ? hosts.split(",").map((each) => hostAndPort(each, port)) : [];
  const target = targetOf(take(parameters, "target_session_attrs"));
  const named = namedIn(parameters);
  // Like libpq, uses no TLS on a socket of this machine.
  const ssl = path === null ? sslOf(parameters) : withoutTls(parameters);
  const isDirect =
    oneOf("sslnegotiation", take(parameters, "sslnegotiation") ?? "postgres", NEGOTIATIONS) === "direct";
  if (isDirect && (ssl === false || ssl === "prefer"))
    throw new Error("its sslnegotiation=direct needs sslmode=require or stricter");
  // The driver has no channel binding. A verified certificate protects from the same attack.
  const ignored = parameters.get("channel_binding") === "require" ? ["channel_binding"] : [];
  for (const name of OF_CLIENTS) parameters.delete(name);
  refuseImpossible(parameters);
  return {
    hosts: addresses.map(({ host }) => host),
    ports: addresses.map(({ port }) => port),
    ...(path !== null && { path }),
    ...credentialsOf(user),
    ...(database && { database: decoded(database) }),
    ...named,
    ssl,
    ...(isDirect && { sslnegotiation: "direct" as const }),
    ...(target && { target }),
    parameters: Object.fromEntries(parameters),
    ignored,
  };
}

/** Returns the address without these parameters. */
export function withoutParameters(address: DatabaseAddress, names: readonly string[]): DatabaseAddress {
  const kept = Object.entries(address.parameters).filter(([name]) => !names.includes(name));
  return { ...address, parameters: Object.fromEntries(kept) };
}

/**
 * Returns the driver's options for an address, without its parameters. The driver's types lack the lists that it accepts, and
 * `sslnegotiation`.
 */
export function driverOptions(address: DatabaseAddress) {
  const { path, username, password, database, ssl, sslnegotiation, hosts, ports, target } = address;
  return {
    ...(path && { path }),
    ...(username && { username }),
    ...(password && { password }),
    ...(database && { database }),
    ssl,
    ...((sslnegotiation && { sslnegotiation }) as object),
    host: hosts as unknown as string,
    port: ports as unknown as number,
    ...(target && { target_session_attrs: target }),
  };
}

function partsOf(text: string): RegExpExecArray {
  if (!SCHEME.test(text)) throw new Error("it must begin with postgres:// or postgresql://");
  const parts = SHAPE.exec(text);
  if (!parts) throw new Error(`it can't be read; ${ENCODING}`);
  return parts;
}

function credentialsOf(text = ""): Pick<DatabaseAddress, "username" | "password"> {
  const [, username, password] = /^([^:]*):?(.*)$/s.exec(text) ?? [];
  return {
    ...(username && { username: decoded(username) }),
    ...(password && { password: decoded(password) }),
  };
}

function decoded(text = ""): string {
  const found = percentDecoded(text);
  if (found === null) throw new Error(`it has a name or password that is not percent-encoded; ${ENCODING}`);
  return found;
}

/** Returns the path of the socket if the host is a folder; null otherwise. */
function pathOf(hosts: string, ofAll: string | null): string | null {
  const [, folder = "", port] = /^(.*?)(?::(\d+))?$/.exec(hosts) ?? [];
  if (!decoded(folder).startsWith("/")) return null;
  return `${decoded(folder)}/.s.PGSQL.${port ?? ofAll ?? DEFAULT_PORT}`;
}

function hostAndPort(text: string, ofAll: string | null): { host: string; port: number } {
  const [, host, own] = HOST.exec(text) ?? [];
  const port = Number(own ?? ofAll ?? DEFAULT_PORT);
  // The message omits the text, which may be half of a password.
  if (host === undefined || !(port >= 1 && port <= 65_535))
    throw new Error(`it has no host and port; ${ENCODING}`);
  return { host: host.replace(/^\[|\]$/g, "") || "localhost", port };
}

/** With `read-write` the driver takes a standby (observed): it looks at `default_transaction_read_only` alone. */
function targetOf(text: string | null): TargetSession | null {
  if (text === null || text === "any") return null;
  const target = oneOf("target_session_attrs", text, TARGET_SESSIONS);
  return target === "read-write" ? "primary" : target;
}

/** Returns the user, password and database that are given as parameters. */
function namedIn(
  parameters: Map<string, string>,
): Pick<DatabaseAddress, "username" | "password" | "database"> {
  const [username, password, database] = ["user", "password", "dbname"].map((name) => take(parameters, name));
  return { ...(username && { username }), ...(password && { password }), ...(database && { database }) };
}

function refuseImpossible(parameters: ReadonlyMap<string, string>): void {
  for (const name of parameters.keys()) {
    if (IMPOSSIBLE.has(name)) throw new Error(`its ${name} can't be followed: leave it out`);
    // Other programs have parameters of their own, such as sslaccept. Ignoring one could trust the wrong server.
    if (name.startsWith("ssl"))
      throw new Error(
        `its ${name} is not supported: use sslmode, sslrootcert, sslcert and sslkey as libpq does`,
      );
  }
}

function withoutTls(parameters: Map<string, string>): false {
  for (const name of [...parameters.keys()]) if (name.startsWith("ssl")) parameters.delete(name);
  return false;
}

function sslOf(parameters: Map<string, string>): DatabaseAddress["ssl"] {
  const [other, own] = [take(parameters, "ssl"), take(parameters, "sslmode")];
  const trustsSystem = parameters.get("sslrootcert") === "system";
  if (trustsSystem) parameters.delete("sslrootcert");
  const mode = trustsSystem ? "verify-full" : modeOf(own ?? other);
  const files = {
    ...pemOf("ca", parameters, "sslrootcert"),
    ...pemOf("cert", parameters, "sslcert"),
    ...pemOf("key", parameters, "sslkey"),
    ...passphraseOf(take(parameters, "sslpassword")),
    ...versionOf("minVersion", parameters, "ssl_min_protocol_version"),
    ...versionOf("maxVersion", parameters, "ssl_max_protocol_version"),
  };
  if (mode === "disable") return false;
  // In libpq `allow` tries TLS second and `prefer` first. Both accept a refusal, so one mode serves for both.
  if (mode === "allow" || mode === "prefer") return "prefer";
  if (mode === "verify-full") return files;
  // As in libpq, a root certificate turns `require` into `verify-ca`.
  if (mode === "verify-ca" || "ca" in files) return { ...files, checkServerIdentity: () => undefined };
  return { ...files, rejectUnauthorized: false };
}

function modeOf(text: string | null): SslMode {
  if (text === null) return "prefer";
  if (text === "false") return "disable";
  return text === "true" ? "verify-full" : oneOf("sslmode", text, SSL_MODES);
}

function passphraseOf(passphrase: string | null): ConnectionOptions {
  return passphrase === null ? {} : { passphrase };
}

function versionOf(
  option: "minVersion" | "maxVersion",
  parameters: Map<string, string>,
  name: string,
): ConnectionOptions {
  const text = take(parameters, name);
  return text === null ? {} : { [option]: oneOf(name, text, TLS_VERSIONS) };
}

function pemOf(
  option: "ca" | "cert" | "key",
  parameters: Map<string, string>,
  name: string,
): ConnectionOptions {
  const file = take(parameters, name);
  if (file === null) return {};
  try {
    return { [option]: readFileSync(file, "utf8") };
  } catch (error) {
    throw new Error(`its ${name} can't be read: ${messageOf(error)}`);
  }
}

function oneOf<T extends string>(name: string, text: string, choices: readonly T[]): T {
  const choice = choices.find((each) => each === text);
  if (!choice) throw new Error(`its ${name} must be one of ${choices.join(", ")}`);
  return choice;
}

function take(parameters: Map<string, string>, name: string): string | null {
  const value = parameters.get(name) ?? null;
  parameters.delete(name);
  return value;
}
