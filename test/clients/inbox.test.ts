import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { newSigningSecret } from "../../src/endpoints/signing-secret";
import { ReceiverProcess } from "../client/inbox-receiver";
import { SECRET, webhook } from "../client/signed-webhook";
import { recordAttempt } from "../http/attempts";
import { useService } from "../http/service";
import { goInbox, pythonInbox } from "../receivers/inbox/program";
import { atEnd } from "../support/at-end";
import { until } from "../support/faults/until";
import { testDatabase } from "../support/postgres";

setDefaultTimeout(120_000);

const service = await useService();
const folder = await mkdtemp(join(tmpdir(), "hermod-inbox-"));
atEnd(() => rm(folder, { recursive: true, force: true }));

const PROGRAMS = [
  { language: "Python", command: await pythonInbox() },
  { language: "Go", command: await goInbox(folder) },
];

/** An endpoint whose first three deliveries have ended, and its receiver's key. */
async function newLoggedEndpoint() {
  const client = await service.newClient();
  const { id } = await client.newEndpoint({ ordering: "unordered" });
  const { key } = await client.expecting(201, client.post(`/endpoints/${id}/receiver-keys`, {}));
  const sent = [];
  for (const n of [1, 2, 3]) sent.push(await client.send(id, "a.b", { n }));
  await recordAttempt(service.database.db, sent[0], { status: 200 });
  await client.expecting(200, client.post(`/webhooks/${sent[1].id}/cancel`));
  await recordAttempt(service.database.db, sent[2], { status: 500, verdict: "failed" });
  return { endpoint: id, catchUp: { url: service.url, key } };
}

for (const { language, command } of PROGRAMS)
  test.skipIf(command === null)(
    `the inbox in ${language} does the work of each webhook once, in order, and again if it failed`,
    async () => {
      const { url: address, drop } = await testDatabase();
      const options = { ...(await newLoggedEndpoint()), secrets: SECRET, ordered: true };
      const argument = { driver: "postgres.js", address, options, fails: [5] } as const;
      const receiver = await ReceiverProcess.start(argument, command ?? []);
      const sql = postgres(address, { max: 1 });
      atEnd(async () => {
        await receiver.kill();
        await sql.end();
        await drop();
      });
      const worked = async () => (await sql`select n from effects order by at`).map(({ n }) => Number(n));
      const post = async ({ method, headers, body }: Request, path = "/hooks") =>
        (await fetch(`http://127.0.0.1:${receiver.port}${path}`, { method, headers, body })).status;

      // The log has the first three, of which the second was cancelled.
      expect(await worked()).toEqual([1, 3]);
      expect(await post(webhook(6, { key: "a" }))).toBe(202);
      expect(await post(webhook(7, { key: "b" }))).toBe(202);
      expect(await post(webhook(4))).toBe(202);
      expect(await worked()).toEqual([1, 3, 4]);
      // The work of 5 fails once. It holds back 6, which has the same key, but not 7.
      expect(await post(webhook(5, { key: "a" }))).toBe(500);
      expect(await worked()).toEqual([1, 3, 4, 7]);
      await until(async () => (await worked()).length === 6);
      // A repeat, and a resend with a number of its own.
      expect(await post(webhook(7, { key: "b" }))).toBe(202);
      expect(await post(webhook(8, { id: 4 }))).toBe(202);
      expect(await post(webhook(9, { secret: newSigningSecret() }))).toBe(401);
      expect(await post(webhook(7, { id: 9 }))).toBe(500);
      const same = await Promise.all(Array.from({ length: 4 }, () => post(webhook(40), "/once")));
      expect(same).toEqual([204, 204, 204, 204]);
      // A trial of a certification.
      expect(await post(webhook(0), "/once")).toBe(204);
      expect(await worked()).toEqual([1, 3, 4, 7, 5, 6, 40]);
    },
  );
