import { expect, test } from "bun:test";
import type { TransactionSql } from "../../src/db/pool";
import { type AccountId, type EndpointId, newId } from "../../src/domain/ids";
import type { NewDelivery, SendResult } from "../../src/intake/new-delivery";
import { GroupCommit } from "../../src/intake/sends/group-commit";
import { chooseShards } from "../../src/intake/usage";
import { systemClock } from "../../src/runtime/clock";
import { until } from "../support/faults/until";
import { useDatabase } from "../support/postgres";

const ACCOUNT = "00000000-0000-7000-8000-000000000001" as AccountId;

const database = await useDatabase();

function newIntake(): GroupCommit {
  return new GroupCommit({
    db: database.open({ size: 1, depth: 2 }, { lock_timeout: "100ms" }),
    patient: database.open({ size: 1 }),
    commitsAtOnce: 2,
    clock: systemClock,
    shard: chooseShards(Math.random()).sends,
    maxQueued: 10_000,
    onAccepted: () => {},
  });
}

async function newEndpoint(accountId = ACCOUNT): Promise<EndpointId> {
  const id = newId("ep");
  await database.db.transaction(async (sql) => {
    await sql`insert into endpoints (id, account_id, url, signing_secret) values (${id}, ${accountId}, 'http://a', 's')`;
    await sql`insert into mailboxes (endpoint_id, partition) values (${id}, 1)`;
  });
  return id;
}

const FINGERPRINT = new Uint8Array(32);

function sendTo(endpointId: EndpointId, key: string | null = null): NewDelivery {
  const idempotency = key === null ? null : { key, fingerprint: FINGERPRINT };
  return {
    id: newId("wh"),
    accountId: ACCOUNT,
    endpointId,
    event: "a.b",
    orderingKey: null,
    data: "{}",
    idempotency,
  };
}

const sequenceOf = (result: SendResult) =>
  result.kind === "accepted" ? result.delivery.sequence : result.kind;

/** Another request, with another answer to the key. */
const takeKey = (sql: TransactionSql, key: string) =>
  sql`insert into idempotency_keys (account_id, key, fingerprint) values (${ACCOUNT}, ${key}, ${new Uint8Array(32).fill(1)})`;

const lock = (sql: TransactionSql, id: EndpointId) =>
  sql`select from mailboxes where endpoint_id = ${id} for update`;

test("sends to a locked endpoint wait in order, and delay no others", async () => {
  const [locked, free] = await Promise.all([newEndpoint(), newEndpoint()]);
  const intake = newIntake();
  await Promise.all([locked, free].map((id) => intake.accept(sendTo(id))));
  const waiting = await database.db.transaction(async (sql) => {
    await lock(sql, locked);
    let answered = 0;
    const sends = Array.from({ length: 700 }, async () => {
      const result = await intake.accept(sendTo(locked));
      answered++;
      return result;
    });
    for (let i = 0; i < 50; i++) {
      expect(sequenceOf(await intake.accept(sendTo(free)))).toBe(i + 2);
      if (i % 10 === 0) sends.push(intake.accept(sendTo(locked)));
    }
    expect(answered).toBe(0);
    return { sends };
  });
  const sequences = (await Promise.all(waiting.sends)).map(sequenceOf);
  expect(sequences).toEqual(sequences.map((_, i) => i + 2));
  expect(sequenceOf(await intake.accept(sendTo(locked)))).toBe(sequences.length + 2);
});

test("a key taken by another request delays only sends that want it, or its endpoint", async () => {
  const [keyed, free] = await Promise.all([newEndpoint(), newEndpoint()]);
  const intake = newIntake();
  const waiting = await database.db.transaction(async (sql) => {
    await takeKey(sql, "taken");
    const send = intake.accept(sendTo(keyed, "taken"));
    for (let i = 0; i < 10; i++) expect(sequenceOf(await intake.accept(sendTo(free)))).toBe(i + 1);
    return { send };
  });
  expect((await waiting.send).kind).toBe("key_conflict");
});

test("another transaction that counts in a month delays only its account's sends", async () => {
  const limited = newId("acc");
  await database.db.run(async (sql) => {
    await sql`insert into plans values ('limited', null, 1000000)`;
    await sql`insert into accounts (id, name, plan) values (${limited}, 'test', 'limited')`;
  });
  const [first, second] = await Promise.all([newEndpoint(limited), newEndpoint(limited)]);
  const free = await newEndpoint();
  const intake = newIntake();
  const sendOfLimited = (id: EndpointId) => intake.accept({ ...sendTo(id), accountId: limited });
  await Promise.all([sendOfLimited(first), intake.accept(sendTo(free))]);
  const waiting = await database.db.transaction(async (sql) => {
    await sql`select from usage where account_id = ${limited} for update`;
    let answered = 0;
    const sends = [];
    for (let i = 0; i < 20; i++) {
      const result = sendOfLimited(i % 2 === 0 ? first : second);
      sends.push(result);
      result.then(() => answered++);
      expect(sequenceOf(await intake.accept(sendTo(free)))).toBe(i + 2);
    }
    expect(answered).toBe(0);
    return { sends };
  });
  expect((await Promise.all(waiting.sends)).map(({ kind }) => kind)).toEqual(Array(20).fill("accepted"));
});

test("a send that holds an endpoint and waits for a key does not block one that holds the key and waits for the endpoint", async () => {
  const [both, free] = await Promise.all([newEndpoint(), newEndpoint()]);
  const intake = newIntake();
  const waiting = await database.db.transaction(async (sql) => {
    await takeKey(sql, "both");
    const sends = [intake.accept(sendTo(both, "both")), intake.accept(sendTo(free))];
    await until(async () => {
      const [row] = await database.db.run(
        (own) => own<{ locked: boolean }[]>`
          select not exists (select from mailboxes where endpoint_id = ${both} for update skip locked) as locked`,
      );
      return row?.locked;
    });
    await lock(sql, both);
    return { sends };
  });
  const [keyed, unkeyed] = await Promise.all(waiting.sends);
  expect([keyed?.kind, unkeyed?.kind]).toEqual(["key_conflict", "accepted"]);
});
