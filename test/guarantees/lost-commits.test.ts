import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "../../src/runtime/log";
import { startService } from "../../src/service/service";
import { atEnd } from "../support/at-end";
import { until } from "../support/faults/until";
import { useDatabase } from "../support/postgres";
import { ADMIN_KEY, configOn } from "../support/service-config";

setDefaultTimeout(120_000);

const DELIVERED = 10;
/** The last sequence that the standby had when it was promoted. It still had 5 and 6 as pending. */
type Standby = { kept: number };

const cleanups: (() => unknown)[] = [];

const database = await useDatabase();
const folder = await mkdtemp(join(tmpdir(), "hermod-lost-commits-"));
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
atEnd(() => rm(folder, { recursive: true }));

/** Takes from Postgres what a standby without the last commits lacks, and breaks every connection, as a promotion does. */
async function promoteStandby({ kept }: Standby): Promise<void> {
  await database.db.transaction(async (sql) => {
    await sql`
      insert into queue (partition, endpoint_id, sequence, delivery_id, account_id)
      select m.partition, m.endpoint_id, d.sequence, d.id, d.account_id
      from mailboxes m join deliveries d using (endpoint_id)
      where m.last_sequence = ${DELIVERED} and d.sequence in (5, 6)`;
    await sql`update mailboxes set last_sequence = ${kept} where last_sequence = ${DELIVERED}`;
    await sql`
      delete from results where delivery_id in (select id from deliveries where sequence in (5, 6) or sequence > ${kept})`;
    await sql`delete from deliveries where sequence > ${kept}`;
  });
  await database.db
    .run(
      (sql) => sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`,
    )
    .catch(() => {});
}

test.each([
  { ordering: "ordered", kept: 7 },
  { ordering: "unordered", kept: 7 },
  { ordering: "ordered", kept: DELIVERED },
  { ordering: "unordered", kept: DELIVERED },
])(
  "after a promotion without the last commits, pending deliveries are sent again and reused sequences are sent: $ordering, $kept kept",
  async ({ ordering, kept }) => {
    const received: number[] = [];
    const receiver = Bun.serve({
      port: 0,
      fetch(request) {
        received.push(Number(request.headers.get("webhook-sequence")));
        return new Response("ok");
      },
    });
    cleanups.push(() => receiver.stop(true));
    const service = await startService(await configOn(database, folder), "all", createLog("silent"));
    cleanups.push(() => service.stop());
    const post = async (path: string, body: unknown) => {
      const response = await fetch(`http://127.0.0.1:${service.port}/v1${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: (await response.json()) as { id: string } };
    };
    const url = `http://127.0.0.1:${receiver.port}/`;
    const { id } = (await post("/endpoints", { url, ordering })).body;
    const send = async () => {
      let answer = await post("/webhooks", { endpoint_id: id, event: "a.b", data: {} });
      while (answer.status === 503)
        answer = await post("/webhooks", { endpoint_id: id, event: "a.b", data: {} });
      expect(answer.status).toBe(201);
    };
    for (let i = 0; i < DELIVERED; i++) await send();
    await until(() => received.length === DELIVERED);
    // The outcomes are recorded too, so that the promotion loses committed rows.
    await until(async () => (await database.db.run((sql) => sql`select from queue`)).length === 0);
    received.length = 0;
    await promoteStandby({ kept });
    await until(() => received.length === 2);
    for (let i = 0; i < 2; i++) await send();
    await until(() => received.length === 4);
    for (let i = 0; i < 3; i++) await send();
    await until(() => received.length === 7);
    if (ordering === "unordered") received.sort((a, b) => a - b);
    expect(received).toEqual([5, 6, ...[1, 2, 3, 4, 5].map((each) => kept + each)]);
  },
);
