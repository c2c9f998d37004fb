import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type AccountId, newId } from "../../src/domain/ids";
import { createLog } from "../../src/runtime/log";
import { StreamConnection } from "../../src/stream/connection";
import { DeliveryNotifier } from "../../src/stream/delivery-notifier";
import { encodeHints } from "../../src/stream/hint";
import { subjectOf } from "../../src/stream/topology";
import { connectTo } from "../embedded/clients";
import { until } from "../support/faults/until";
import { testNatsUrl } from "../support/servers";
import { streamSigner } from "../support/signers";

setDefaultTimeout(120_000);

let connection: StreamConnection;
let nats: Awaited<ReturnType<typeof connectTo>>;

beforeAll(async () => {
  const url = await testNatsUrl();
  connection = new StreamConnection(url, createLog("silent"));
  nats = await connectTo(url);
  await connection.ready;
});
afterAll(async () => {
  await connection.close();
  await nats.close();
});

function publish(accountId: AccountId, data = "{}"): void {
  const delivery = { id: newId("wh"), accountId, endpointId: newId("ep"), sequence: 1, revision: 1 };
  const body = encodeHints([{ ...delivery, event: null, eventExternalId: null, orderingKey: null, data }]);
  nats.publish(subjectOf(3), streamSigner().sign(subjectOf(3), body));
}

test("another process's deliveries wake the listeners of their account, until they end", async () => {
  const notifier = new DeliveryNotifier(connection);
  const [mine, theirs] = [newId("acc"), newId("acc")];
  const woken = { mine: 0, theirs: 0 };
  const end = notifier.listen(mine, () => woken.mine++);
  const endTheirs = notifier.listen(theirs, () => woken.theirs++);
  await until(() => {
    publish(mine);
    return woken.mine > 0;
  });
  expect(woken.theirs).toBe(0);
  end();
  await nats.flush();
  await until(() => {
    publish(theirs);
    return woken.theirs > 0;
  });
  const before = woken.mine;
  publish(mine);
  const { theirs: seen } = woken;
  publish(theirs);
  await until(() => woken.theirs > seen);
  expect(woken.mine).toBe(before);
  endTheirs();
});

test("this process's own deliveries wake them without NATS", () => {
  const away = new DeliveryNotifier({ ready: new Promise(() => {}), isClosed: false });
  const account = newId("acc");
  let woken = 0;
  const end = away.listen(account, () => woken++);
  away.notify(account);
  away.notify(newId("acc"));
  expect(woken).toBe(1);
  end();
  away.notify(account);
  expect(woken).toBe(1);
});

test("malformed messages wake nobody, and do no harm", async () => {
  const notifier = new DeliveryNotifier(connection);
  const account = newId("acc");
  let woken = 0;
  const end = notifier.listen(account, () => woken++);
  for (const text of ["", "\n", "\n\n", "a\nb", '\n[{"account_id":"acc_zzzzzzzzzzzzzzzzzzzzzzzzzz"}]\n'])
    nats.publish(subjectOf(0), Buffer.from(text));
  await until(() => {
    publish(account, '{"account_id":"acc_none"}');
    return woken > 0;
  });
  end();
});
