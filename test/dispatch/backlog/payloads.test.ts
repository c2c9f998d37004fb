import { expect, test } from "bun:test";
import { Payloads } from "../../../src/dispatch/backlog/payloads";
import { type AccountId, type DeliveryId, newId } from "../../../src/domain/ids";
import { systemClock } from "../../../src/runtime/clock";
import { createLog } from "../../../src/runtime/log";
import { failing } from "../../support/failing";
import { useDatabase } from "../../support/postgres";

const database = await useDatabase();

async function makeDelivery(accountId: AccountId, data: string | null) {
  const id = newId("wh");
  await database.db.run(
    (sql) => sql`insert into deliveries (id, account_id, endpoint_id, sequence, data)
      values (${id}, ${accountId}, ${newId("ep")}, 1, ${data})`,
  );
  return { id, accountId };
}

test("each delivery gets its own payload; null if it was erased, or belongs to another account", async () => {
  const payloads = new Payloads(database.db, systemClock, createLog("silent"));
  const [one, other] = [newId("acc"), newId("acc")];
  const texts = Array.from({ length: 20 }, (_, n) => JSON.stringify({ n, text: "é".repeat(50_000) }));
  const deliveries = await Promise.all(texts.map((text, n) => makeDelivery(n % 2 ? one : other, text)));
  const erased = await makeDelivery(one, null);
  const foreign = { ...(await makeDelivery(one, "{}")), accountId: other };
  const read = await Promise.all([erased, ...deliveries, foreign].map((each) => payloads.read(each)));
  expect(read).toEqual([null, ...texts, null]);
});

test("while Postgres is down there is none, and nobody is answered at once, since they would ask again", async () => {
  const delivery = await makeDelivery(newId("acc"), "{}");
  const { promise: waiting, resolve: waits } = Promise.withResolvers<() => void>();
  const after = (_: number, fire: () => void) => {
    waits(fire);
    return () => {};
  };
  const clock = { ...systemClock, after };
  const payloads = new Payloads(failing(database.db, ["away"]), clock, createLog("silent"));
  let isAnswered = false;
  const read = payloads.read(delivery).finally(() => {
    isAnswered = true;
  });
  const goOn = await waiting;
  await new Promise(setImmediate);
  expect(isAnswered).toBe(false);
  goOn();
  expect(await read).toBeNull();
  expect(await payloads.read(delivery)).toBe("{}");
});

test("a payload that can't be read fails alone, without the others in its statement", async () => {
  const payloads = new Payloads(database.db, systemClock, createLog("silent"));
  const delivery = await makeDelivery(newId("acc"), "{}");
  const broken = { ...delivery, id: "no-id" as DeliveryId };
  const read = await Promise.all([broken, delivery].map((each) => payloads.read(each)));
  expect(read).toEqual([null, "{}"]);
});
