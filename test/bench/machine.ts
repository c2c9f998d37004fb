import { cpus, platform, release, totalmem } from "node:os";
import { connect } from "nats";
import postgres from "postgres";
import type { Servers } from "./system/servers";

/** The machine and the versions that figures were measured with. */
export type Machine = {
  cpu: string;
  cores: number;
  memoryGiB: number;
  system: string;
  bun: string;
  postgres: string;
  nats: string;
};

export async function describeMachine(servers: Servers): Promise<Machine> {
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: navigator.hardwareConcurrency,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()}`,
    bun: Bun.version,
    postgres: await postgresVersion(servers.databaseUrl),
    nats: await natsVersion(servers.natsUrl),
  };
}

async function postgresVersion(url: string): Promise<string> {
  const sql = postgres(url, { max: 1, fetch_types: false });
  try {
    const [row] = await sql<{ server_version: string }[]>`show server_version`;
    return row?.server_version ?? "unknown";
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function natsVersion(text: string): Promise<string> {
  const { host, username, password } = new URL(text);
  const nats = await connect({ servers: host, user: username, pass: password });
  const version = nats.info?.version ?? "unknown";
  await nats.close();
  return version;
}
