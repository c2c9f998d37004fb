import { expect, test } from "bun:test";
import type { Exchange, ExchangeResult, Shortage } from "../../src/attempt/exchange";
import { Attempts, SHORTAGE_WAIT_MS } from "../../src/dispatch/attempts";
import { PLAIN } from "../../src/dispatch/endpoint";
import { newId } from "../../src/domain/ids";
import { messagesFor } from "../../src/feeds/chat-message";
import { ManualClock } from "../accounts/manual-clock";
import { UNGUARDED } from "../attempt/sending";
import { exchangeWith } from "../support/exchange";

const clock = new ManualClock(Date.now());
const schedule = [1_000, 5_000];

/** Returns the outcome of an exchange with an endpoint that has failed for a day. */
function outcomeOf(fields: Partial<Exchange>) {
  return outcomeAfter({ kind: "exchanged", exchange: exchangeWith({ startedAt: clock.now(), ...fields }) });
}

const shortages: Shortage[] = [];

async function outcomeAfter(result: ExchangeResult) {
  const delivery = {
    id: newId("wh"),
    accountId: newId("acc"),
    sequence: 1,
    event: null,
    orderingKey: null,
    data: "{}",
    replayOf: null,
    eventExternalId: null,
    attemptCount: 0,
    freeAttempts: 0,
    isFree: false,
    hasSingleAttempt: false,
  };
  const endpoint = {
    ...PLAIN,
    revision: 1,
    url: "https://hook.test/",
    secrets: ["whsec_AAAA"],
    failingSince: clock.now() - 86_400_000,
  };
  const attempts = new Attempts({
    sender: { send: async () => result },
    mail: { send: async () => result },
    payloads: { read: async () => null },
    messages: messagesFor(null),
    schedule,
    clock,
    random: () => 0.5,
    log: null,
    shortages: { note: (shortage: Shortage) => void shortages.push(shortage) },
  });
  const queue = { partition: 0, endpointId: newId("ep") };
  return attempts.attempt(delivery, endpoint, queue, UNGUARDED);
}

test("a failure of ours or of our proxy does not count against the endpoint, and the delivery is retried", async () => {
  const failure = { attempt: { status: 0, error: "proxy" }, verdict: { kind: "retry" }, health: "none" };
  expect(await outcomeOf({ error: "proxy" })).toMatchObject(failure);
  const refused = (errorDetail: string) => outcomeOf({ error: "proxy", errorDetail });
  for (const detail of ["proxy_unreachable", "tunnel_refused", "tunnel_refused 403", "tunnel_refused 502"]) {
    expect(await refused(detail)).toMatchObject(failure);
  }
  const ours = { error: "dns", errorDetail: "too_many_lookups" } as const;
  expect(await outcomeOf(ours)).toMatchObject({ health: "none" });
  expect(await outcomeOf({ error: "connection_refused" })).toMatchObject({ health: "still_failing" });
  expect(await outcomeOf({ status: 500 })).toMatchObject({ health: "still_failing" });
});

test("an attempt that the guard stops is not recorded", async () => {
  expect(await outcomeAfter({ kind: "unsent" })).toBeNull();
});

test("an attempt that this machine could not make is not recorded either, waits, and is logged", async () => {
  let hasEnded = false;
  const outcome = outcomeAfter({ kind: "own_failure", shortage: "files" }).finally(() => {
    hasEnded = true;
  });
  await Bun.sleep(0);
  clock.pass(1.5 * SHORTAGE_WAIT_MS - 1);
  await Bun.sleep(0);
  expect([shortages, hasEnded]).toEqual([["files"], false]);
  clock.pass(1);
  expect(await outcome).toBeNull();
});
