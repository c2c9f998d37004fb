import { textOf } from "../../../src/certification/report-text";
import { rawJson } from "../../../src/client";
import { certifyUrl } from "../../certification/certified";
import type { Cluster } from "../../support/faults/cluster";
import { until } from "../../support/faults/until";
import { freePort } from "../../support/free-port";
import { answerToLargeBody } from "./large-body";
import { RunningProcesses } from "./running";
import { EVENT, forgedRequests } from "./signed-request";
import type { WholeReceiver } from "./whole-receiver";
import { PYTHON_PATH, type Workshop } from "./workshop";

const COLUMNS = "(id text primary key, sequence bigint, event text, body text, done boolean not null)";
const COUNT = 20;
/** Numbers beyond 2^53, blanks and letters beyond ASCII, which reach the work as they were sent. */
const dataOf = (n: number) => `{"n": ${n},  "name": "Zoë", "big": 12345678901234567890}`;

/**
 * Lets the service send webhooks to a receiver of docs/receiving/, one of them three times, kills the receiver meanwhile, and
 * certifies it. Returns what it did wrongly; null if it can't run on this machine.
 */
export async function tryWholeReceiver(
  cluster: Cluster,
  { name, commands }: WholeReceiver,
  workshop: Workshop,
): Promise<string[] | null> {
  const port = freePort();
  const place = { url: `http://127.0.0.1:${port}/hooks`, folder: workshop.copyOf(name, port) };
  const runnable = commands({ folder: place.folder, port, workshop });
  if (runnable === null) return null;
  const { api } = cluster.client;
  const { endpoint, secret } = await cluster.client.newEndpoint(place.url);
  const database = await newSchema(cluster, `receiver_${name}`);
  const start = (secrets: string) =>
    RunningProcesses.start(runnable, { ...place, env: environmentOf(database, port, secrets) });
  const send = (n: number) =>
    api.webhooks.send({ endpoint_id: endpoint, event: EVENT, data: rawJson(dataOf(n)) });
  const hasWorkedOn = (running: RunningProcesses, n: number) =>
    until(() => payloadsIn(running.lines).includes(dataOf(n)), { what: `webhook ${n}` });

  const lines: string[] = [];
  let id = "";
  {
    await using running = await start(secret);
    id = (await send(1)).id;
    for (let n = 2; n <= COUNT; n++) await send(n);
    await hasWorkedOn(running, COUNT);
    await api.webhooks.resend(id);
    await send(COUNT + 1);
    await hasWorkedOn(running, COUNT + 1);
    lines.push(...running.lines);
  }
  const { signing_secret } = await api.endpoints.rotateSecret(endpoint, { overlap: 3_600 });
  await using again = await start(`${signing_secret} ${secret}`);
  await api.webhooks.resend(id);
  await send(COUNT + 2);
  await hasWorkedOn(again, COUNT + 2);
  lines.push(...again.lines);
  const checks = Object.values(await certifyUrl(place.url, [signing_secret, secret]));
  const failed = checks.filter(({ outcome }) => outcome === "failed");
  const unsound = failed.map((each) => `${each.check}: ${textOf(each)}`);
  return [...wrongWork(payloadsIn(lines)), ...(await wrongAnswers(place.url, secret)), ...unsound];
}

/** Returns the payloads of the work, each behind its number and event. */
function payloadsIn(lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split(` ${EVENT} `)[1] ?? []);
}

/** The work that the kill met may be done twice: a line on a terminal is in no transaction. */
function wrongWork(done: readonly string[]): string[] {
  const expected = Array.from({ length: COUNT + 2 }, (_, i) => dataOf(i + 1));
  const repeated = expected.toSpliced(COUNT, 0, dataOf(COUNT + 1));
  const isRight = [expected, repeated].some((each) => Bun.deepEquals(each, done));
  return isRight ? [] : [`worked on ${done.join(" ")}`];
}

function environmentOf(databaseUrl: string, port: number, secrets: string): Record<string, string> {
  const { host, pathname, search, username, password } = new URL(databaseUrl);
  return {
    PATH: process.env.PATH ?? "",
    HOME: process.env.HOME ?? "",
    LANG: "C.UTF-8",
    DATABASE_URL: databaseUrl,
    WEBHOOK_SECRET: secrets,
    DJANGO_SETTINGS_MODULE: "settings",
    PYTHONPATH: PYTHON_PATH,
    PYTHONUNBUFFERED: "1",
    PYTHONDONTWRITEBYTECODE: "1",
    NODE_ENV: "production",
    SERVER_PORT: String(port),
    SPRING_DATASOURCE_URL: `jdbc:postgresql://${host}${pathname}${search}`,
    SPRING_DATASOURCE_USERNAME: username,
    SPRING_DATASOURCE_PASSWORD: password,
  };
}

/** Makes a schema with the table that the receivers for Postgres name. */
async function newSchema(cluster: Cluster, name: string): Promise<string> {
  const sql = await cluster.sql();
  await sql.unsafe(`create schema ${name}`);
  await sql.unsafe(`create table ${name}.webhooks ${COLUMNS}`);
  const url = new URL(await cluster.databaseUrl());
  url.search = `options=-csearch_path%3D${name}`;
  return url.href;
}

async function wrongAnswers(url: string, secret: string): Promise<string[]> {
  const statuses = await Promise.all(
    forgedRequests(secret).map(async (each) => (await fetch(url, each)).status),
  );
  const forged = statuses.flatMap((status, i) =>
    status === 401 ? [] : [`${status} to forged request ${i}`],
  );
  const line = await answerToLargeBody(url, { isSent: true });
  return [...forged, ...(line.includes(" 413") ? [] : [`${line} to a body beyond 2 MiB`])];
}
