import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  advanceUnordered,
  IN_FLIGHT_CHARACTERS,
  newUnorderedLane,
  type UnorderedLane,
} from "../../src/dispatch/unordered-lane";
import { deliveryOf } from "../support/simulation/lane-postgres";
import { type UnorderedCommand, UnorderedLaneModel } from "../support/simulation/unordered-lane-model";

const always = (command: UnorderedCommand) => fc.constant(command);
const changes = fc
  .tuple(fc.constantFrom("pause", "resume", "resume", "more", "fewer"), fc.boolean())
  .map(([kind, isTold]): UnorderedCommand => ({ do: "change", kind, isTold }));
const finish = fc
  .tuple(fc.nat(5), fc.constantFrom("ended", "ended", "retry", "lost answer", "unsent"))
  .map(([which, verdict]): UnorderedCommand => ({ do: "finish", which, verdict }));
const command = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.integer({ min: 1, max: 9 }).map((count): UnorderedCommand => ({ do: "accept", count })),
  },
  { weight: 6, arbitrary: always({ do: "announce" }) },
  { weight: 2, arbitrary: fc.nat(40).map((which): UnorderedCommand => ({ do: "announce again", which })) },
  { weight: 4, arbitrary: always({ do: "answer" }) },
  { weight: 2, arbitrary: always({ do: "look" }) },
  { weight: 8, arbitrary: finish },
  { weight: 2, arbitrary: fc.constantFrom<UnorderedCommand>({ do: "due" }, { do: "wake" }) },
  { weight: 2, arbitrary: fc.nat(3).map((count): UnorderedCommand => ({ do: "allow", count })) },
  { weight: 1, arbitrary: changes },
);
const courses = fc.array(command, { maxLength: 150 });

function run(commands: readonly UnorderedCommand[]): UnorderedLaneModel {
  const model = new UnorderedLaneModel();
  for (const each of commands) model.run(each);
  return model;
}

describe("over any course of events", () => {
  test("places, pace, times and pauses hold, and nothing is left out once a sweep comes by", () => {
    fc.assert(
      fc.property(courses, (commands) => {
        const model = run(commands);
        model.settle();
        model.run({ do: "change", kind: "resume", isTold: true });
        model.run({ do: "wake" });
        model.settle();
        expect([...model.rows.keys()]).toEqual([]);
      }),
      { numRuns: 1_500 },
    );
  });

  test("an endpoint that asks for order, or is gone, ends it once nothing is under way; then nothing begins", () => {
    fc.assert(
      fc.property(courses, fc.constantFrom("order", "delete"), courses, (commands, kind, later) => {
        const model = run(commands);
        model.run({ do: "change", kind, isTold: true });
        model.settle();
        expect(model.lane).toMatchObject({ phase: "closed", ready: [] });
        const { attempts } = model;
        for (const each of later) model.run(each);
        expect(model.attempts).toBe(attempts);
      }),
      { numRuns: 500 },
    );
  });
});

test("one that waits for its attempts, since it asks for order, goes on when it does so no more", () => {
  const inFlight = new Map([[1, deliveryOf(1, { attemptCount: 0, data: "{}" })]]);
  const leaving: UnorderedLane = {
    ...newUnorderedLane,
    phase: "leaving",
    fresh: true,
    tail: 1,
    seen: 1,
    inFlight,
  };
  const { lane, steps } = advanceUnordered(leaving, { type: "changed" }, 100);
  expect(steps).toEqual([{ do: "read", after: 1, without: [1] }]);
  const again = advanceUnordered(lane, { type: "read", page: { kind: "ordered" } }, 100);
  expect(again.lane.phase).toBe("leaving");
});

test("large payloads take the place of many, but one always begins", () => {
  const large = (sequence: number) =>
    deliveryOf(sequence, { attemptCount: 0, data: "x".repeat(IN_FLIGHT_CHARACTERS / 2 + 1) });
  const reading: UnorderedLane = { ...newUnorderedLane, isReading: true, fresh: true };
  const page = {
    kind: "active" as const,
    maxInFlight: 10,
    deliveries: [large(1), large(2)],
    scannedTo: 2,
    hasMore: false,
    lastSequence: 2,
    retryInMs: null,
  };
  const first = advanceUnordered(reading, { type: "read", page }, 100);
  expect(first.steps).toMatchObject([{ do: "attempt", delivery: { sequence: 1 } }]);
  const result = { kind: "written" as const, retryInMs: null, endpointChanged: false };
  const second = advanceUnordered(first.lane, { type: "recorded", sequence: 1, result }, 100);
  expect(second.steps).toMatchObject([{ do: "attempt", delivery: { sequence: 2 } }]);
});

test("a sequence that Postgres never gave out is looked for once", () => {
  const delivery = deliveryOf(1, { attemptCount: 0, data: "{}" });
  const page = {
    kind: "active" as const,
    maxInFlight: 1,
    deliveries: [],
    scannedTo: 0,
    hasMore: false,
    lastSequence: 0,
    retryInMs: null,
  };
  const resting: UnorderedLane = { ...newUnorderedLane, fresh: true, current: true };
  const falsely = { type: "announced" as const, sequence: 1_000, revisionIsKnown: true, delivery };
  const heard = advanceUnordered(resting, falsely, 100);
  expect(heard.steps).toMatchObject([{ do: "read" }]);
  expect(advanceUnordered(heard.lane, { type: "read", page }, 100).steps).toEqual([]);
});
