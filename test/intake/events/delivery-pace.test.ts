import { expect, test } from "bun:test";
import { type AccountId, newId } from "../../../src/domain/ids";
import { DeliveryPace, MOST_AHEAD, STALLED_MS } from "../../../src/intake/events/delivery-pace";
import { ManualClock } from "../../attempt/manual-clock";
import { outcomeWith } from "../../support/outcome";

/** A pace, with the time that each attempt and its recording take. */
function paced({ attemptMs = 1, recordingMs = 10 } = {}) {
  const clock = new ManualClock();
  const pace = new DeliveryPace(clock);
  const accept = (accountId: AccountId, count: number) => {
    for (let i = 0; i < count; i++) pace.accepted(accountId);
  };
  const record = (accountId: AccountId, count: number) => {
    const startedAt = clock.now() - attemptMs - recordingMs;
    const outcome = outcomeWith({
      partition: 0,
      endpointId: newId("ep"),
      accountId,
      sequence: 1,
      event: null,
      attemptCount: 0,
      attempt: { status: 200, startedAt, durationMs: attemptMs },
      verdict: { kind: "delivered" },
      health: "none",
    });
    pace.recorded(Array.from({ length: count }, () => outcome));
  };
  return { clock, pace, accept, record };
}

/** True once the promise has resolved, when everything that is due has run. */
async function isOver(promise: Promise<void> | null): Promise<boolean> {
  let over = promise === null;
  promise?.then(() => {
    over = true;
  });
  await new Promise(setImmediate);
  return over;
}

test("an account's next event waits until most of its earlier deliveries are recorded, and no other account's does", async () => {
  const { pace, accept, record } = paced();
  const [busy, other] = [newId("acc"), newId("acc")];
  accept(busy, MOST_AHEAD);
  accept(other, 1);
  record(other, 1);
  record(busy, 50);
  expect(pace.untilCaughtUp(busy)).toBeNull();
  accept(busy, 100);
  const caughtUp = pace.untilCaughtUp(busy);
  expect(pace.untilCaughtUp(other)).toBeNull();
  record(busy, 49);
  expect(await isOver(caughtUp)).toBe(false);
  record(busy, 1);
  expect(await isOver(caughtUp)).toBe(true);
});

test("no event waits for receivers that take longer than the recording", () => {
  const { pace, accept, record } = paced({ attemptMs: 50, recordingMs: 10 });
  const account = newId("acc");
  accept(account, 2 * MOST_AHEAD);
  record(account, 50);
  expect(pace.untilCaughtUp(account)).toBeNull();
});

test("an event goes on when no delivery of its account ends any more", async () => {
  const { clock, pace, accept, record } = paced();
  const account = newId("acc");
  accept(account, 2 * MOST_AHEAD);
  record(account, 50);
  const caughtUp = pace.untilCaughtUp(account);
  await clock.pass(STALLED_MS - 1);
  record(account, 1);
  await clock.pass(STALLED_MS - 1);
  expect(await isOver(caughtUp)).toBe(false);
  await clock.pass(1);
  expect(await isOver(caughtUp)).toBe(true);
  expect(pace.untilCaughtUp(account)).toBeNull();
});
