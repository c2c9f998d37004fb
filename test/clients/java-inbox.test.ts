import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { newSigningSecret } from "../../src/endpoints/signing-secret";
import { SECRET, webhook } from "../client/signed-webhook";
import { recordAttempt } from "../http/attempts";
import { useService } from "../http/service";
import { atEnd } from "../support/at-end";
import { until } from "../support/faults/until";
import { CLIENTS, javaToolchain, postgresForJava } from "./toolchains";

setDefaultTimeout(120_000);

const folder = await mkdtemp(join(tmpdir(), "hermod-java-inbox-"));
atEnd(() => rm(folder, { recursive: true, force: true }));
const java = await javaToolchain();
const driver = java && (await postgresForJava());
const service = await useService();
const sql = postgres(service.database.url, { max: 2, onnotice: () => {} });
atEnd(() => sql.end());
await sql`create table effects (at serial, path text, sequence bigint, payload text)`;

/** An endpoint whose deliveries have ended, with its receiver's key. */
const RAW = '{"n" : 12345678901234567890, "b":1.50,"1":"\\u00e9\\"}"}';
const client = await service.newClient();
const endpoint = await client.newEndpoint({ ordering: "unordered" });
const { key } = await client.expecting(201, client.post(`/endpoints/${endpoint.id}/receiver-keys`, {}));
for (const status of [200, 200, 500]) {
  const body = `{"endpoint_id":"${endpoint.id}","event":"a.b","data":${RAW}}`;
  const sent = await client.expecting(201, client.post("/webhooks", body));
  await recordAttempt(service.database.db, sent, status === 500 ? { status, verdict: "failed" } : { status });
}

const INBOXES = [
  { path: "/once" },
  { path: "/fails" },
  { path: "/again" },
  { path: "/pruned" },
  { path: "/batched", batched: true },
  { path: "/ordered", ordered: true },
  { path: "/keys", ordered: true },
  { path: "/log", ordered: true, endpoint: endpoint.id, catchUp: { url: service.url, key } },
].map((each) => ({ endpoint: each.path, secret: SECRET, ...each }));

const port = java && driver ? await startReceiver() : 0;

function databaseForJava(): string {
  const { username, password, host, pathname } = new URL(service.database.url);
  return `jdbc:postgresql://${host}${pathname}?user=${username}&password=${password}`;
}

function commandOf(program: string): string[] {
  const { command = [] } = java ?? {};
  return [...command.map((part, i) => (command[i - 1] === "-cp" ? `${part}:${driver}` : part)), program];
}

async function startReceiver(): Promise<number> {
  const given = JSON.stringify({ database: databaseForJava(), inboxes: INBOXES });
  const child = Bun.spawn([...commandOf("InboxReceiver"), given], {
    stdout: "pipe",
    stderr: "inherit",
  });
  atEnd(async () => {
    child.kill("SIGKILL");
    await child.exited;
  });
  const { value } = await child.stdout.getReader().read();
  return Number(new TextDecoder().decode(value));
}

async function statusOf(path: string, request: Request): Promise<number> {
  const { method, headers } = request;
  return (await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body: await request.text() }))
    .status;
}

async function numbersAt(path: string): Promise<number[]> {
  const rows = await sql`select sequence from effects where path = ${path} order by at`;
  return rows.map(({ sequence }) => Number(sequence));
}

const untilNumbers = (path: string, count: number) =>
  until(async () => (await numbersAt(path)).length === count, { what: `${count} numbers at ${path}` });

const breakWork = (path: string) =>
  sql.unsafe(
    `alter table effects add constraint broken check (path <> '${path}' or sequence <> 2) not valid`,
  );
const mendWork = () => sql`alter table effects drop constraint broken`;

describe.skipIf(!port)("an inbox of the Java client", () => {
  test("does the work of a webhook once, also if it comes at the same time or is sent again", async () => {
    const same = await Promise.all(Array.from({ length: 5 }, () => statusOf("/once", webhook(1))));
    expect(same).toEqual([204, 204, 204, 204, 204]);
    expect(await statusOf("/once", webhook(7, { id: 1 }))).toBe(204);
    expect(await statusOf("/once", webhook(5))).toBe(204);
    // Trials of a certification.
    for (const id of [8, 9]) expect(await statusOf("/once", webhook(0, { id }))).toBe(204);
    expect(await numbersAt("/once")).toEqual([1, 5]);
  });

  test("does the work again once the number was deleted", async () => {
    expect(await statusOf("/pruned", webhook(1))).toBe(204);
    expect((await fetch(`http://127.0.0.1:${port}/prune`)).status).toBe(200);
    expect(await statusOf("/pruned", webhook(1))).toBe(204);
    expect(await numbersAt("/pruned")).toEqual([1, 1]);
  });

  test("does the work again if it failed, and refuses what is not signed or has no number", async () => {
    await breakWork("/fails");
    expect(await statusOf("/fails", webhook(2))).toBe(500);
    await mendWork();
    expect(await statusOf("/fails", webhook(2))).toBe(204);
    expect(await statusOf("/fails", webhook(3, { secret: newSigningSecret() }))).toBe(401);
    const unnumbered = webhook(3);
    unnumbered.headers.delete("webhook-sequence");
    expect(await statusOf("/fails", unnumbered)).toBe(400);
    expect(await numbersAt("/fails")).toEqual([2]);
  });

  test("refuses a number that comes again with another id, as after a restore of Hermod", async () => {
    expect(await statusOf("/again", webhook(1))).toBe(204);
    expect(await statusOf("/again", webhook(1, { id: 9 }))).toBe(500);
  });

  test("takes all webhooks of a request or none", async () => {
    const batch = (...numbers: number[]) => {
      const items = numbers.map((n) => {
        return { id: `wh_${n}`, type: "a.b", sequence: n, ordering_key: null, data: { n } };
      });
      return webhook(numbers[0] ?? 0, { body: JSON.stringify(items) });
    };
    await breakWork("/batched");
    expect(await statusOf("/batched", batch(1, 2, 3))).toBe(500);
    await mendWork();
    expect(await numbersAt("/batched")).toEqual([]);
    expect(await statusOf("/batched", batch(1, 2, 3))).toBe(204);
    expect(await numbersAt("/batched")).toEqual([1, 2, 3]);
    expect(await statusOf("/batched", webhook(4))).toBe(401);
  });

  test("stores what comes early, and does the work in the order of the numbers", async () => {
    for (const n of [3, 2, 5, 3]) expect(await statusOf("/ordered", webhook(n))).toBe(202);
    expect(await numbersAt("/ordered")).toEqual([]);
    // A resend of 2, whose work is done in the place of the original.
    await statusOf("/ordered", webhook(4, { id: 2 }));
    await statusOf("/ordered", webhook(1));
    await untilNumbers("/ordered", 4);
    expect(await numbersAt("/ordered")).toEqual([1, 2, 3, 5]);
  });

  test("lets only webhooks with the same ordering key wait for work that fails", async () => {
    await breakWork("/keys");
    for (const [n, key] of [
      [3, "b"],
      [4, "a"],
      [2, "a"],
      [1, "a"],
    ] as const)
      await statusOf("/keys", webhook(n, { key }));
    await untilNumbers("/keys", 2);
    expect((await numbersAt("/keys")).toSorted()).toEqual([1, 3]);
    await mendWork();
    await untilNumbers("/keys", 4);
    expect((await numbersAt("/keys")).filter((n) => n !== 3)).toEqual([1, 2, 4]);
  });

  test("reads what does not arrive from the endpoint's log, with the exact text", async () => {
    await statusOf("/log", webhook(4, { body: RAW }));
    await untilNumbers("/log", 4);
    const rows = await sql`select sequence, payload from effects where path = '/log' order by at`;
    expect(rows.map(({ sequence, payload }) => [Number(sequence), payload])).toEqual(
      [1, 2, 3, 4].map((n) => [n, RAW]),
    );
  });
});

test.skipIf(!port)("the inbox of the Java client's README does the work of a webhook", async () => {
  const readme = await Bun.file(join(CLIENTS, "java/README.md")).text();
  const [, code = ""] = /^```java\n(import dev\.hermod\.inbox[\s\S]*?)^```$/m.exec(readme) ?? [];
  const [imports = "", statements = ""] = code.replace("whsec_…", SECRET).split("\n\n");
  const program = join(folder, "Readme.java");
  await Bun.write(
    program,
    `${imports}
import dev.hermod.json.Json;
final class Readme {
    record Request(Json headers) {
        String getHeader(String name) { return headers.get(name).isNull() ? null : headers.get(name).asText(); }
    }
    public static void main(String[] given) throws Exception {
        var dataSource = new org.postgresql.ds.PGSimpleDataSource();
        dataSource.setUrl(given[0]);
        var request = new Request(Json.parse(given[1]));
        var body = given[2].getBytes();
        ${statements}
        System.out.println(status);
    }
}`,
  );
  await sql`create table orders (number bigint, payload text)`;
  const sent = webhook(1, { body: RAW });
  const headers = JSON.stringify(sent.headers.toJSON());
  const child = Bun.spawn([...commandOf(program), databaseForJava(), headers, RAW], { stderr: "inherit" });
  expect(await new Response(child.stdout).text()).toBe("202\n");
  expect([...(await sql`select * from orders`)]).toEqual([{ number: "1", payload: RAW }]);
});
