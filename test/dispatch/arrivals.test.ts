import { expect, test } from "bun:test";
import { Arrivals } from "../../src/dispatch/arrivals";
import { newId } from "../../src/runtime/ids";
import { type DeliveryMessage, MAX_MESSAGE_DATA_BYTES } from "../../src/stream/message";

const OURS = 1;
const CLOSED = 2;
const THEIRS = 3;
const ids = { accountId: newId("acc"), endpointId: newId("ep") };

function messageOf(sequence: number, data = "{}"): DeliveryMessage {
  return { id: newId("wh"), ...ids, sequence, event: null, orderingKey: null, revision: 1, data };
}

/** Arrivals that are told on when the test says so. */
function heldArrivals() {
  const told: [number, DeliveryMessage][] = [];
  const waiting: (() => void)[] = [];
  const arrivals = new Arrivals({
    registry: {
      isOpen: (partition) => partition !== CLOSED,
      announce: (partition, message) => told.push([partition, message]),
    },
    mayActOn: (partition) => partition !== THEIRS,
    soon: (run) => waiting.push(run),
  });
  return { arrivals, told, waiting };
}

test("what arrives together is told later and once, in the order of its sequences, by whichever way it came", () => {
  const { arrivals, told, waiting } = heldArrivals();
  for (const sequence of [6, 8]) expect(arrivals.take(OURS, messageOf(sequence))).toBe(true);
  for (const sequence of [7, 5]) arrivals.hear(OURS, messageOf(sequence));
  expect(told).toEqual([]);
  expect(waiting).toHaveLength(1);
  waiting.pop()?.();
  expect(told.map(([partition, { sequence }]) => [partition, sequence])).toEqual([
    [OURS, 5],
    [OURS, 6],
    [OURS, 7],
    [OURS, 8],
  ]);
  arrivals.hear(OURS, messageOf(9));
  waiting.pop()?.();
  expect(told).toHaveLength(5);
});

test("what the own process accepts is taken only for a partition that may be acted on", () => {
  const { arrivals, waiting } = heldArrivals();
  for (const partition of [CLOSED, THEIRS]) expect(arrivals.take(partition, messageOf(1))).toBe(false);
  expect(waiting).toEqual([]);
});

test("a payload that is too large to travel stays in Postgres on the short way too", () => {
  const { arrivals, told, waiting } = heldArrivals();
  arrivals.take(OURS, messageOf(1, "x".repeat(MAX_MESSAGE_DATA_BYTES + 1)));
  waiting.pop()?.();
  expect(told).toMatchObject([[OURS, { sequence: 1, data: null }]]);
});
