import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  advance,
  type Lane,
  type LaneEvent,
  MAILBOX_CHARACTERS,
  MAILBOX_DELIVERIES,
  newLane,
  nextStep,
} from "../../src/dispatch/lane";
import { type LaneCommand, LaneModel } from "../support/simulation/lane-model";
import { deliveryOf } from "../support/simulation/lane-postgres";

type Verdict = "delivered" | "retry";

const characters = fc.oneof(
  { weight: 8, arbitrary: fc.constant(10) },
  fc.constantFrom(60_000, 65_537, 300_000),
);
const verdict = fc.constantFrom<Verdict>("delivered", "delivered", "retry");
const finish = fc
  .tuple(verdict, fc.nat(9))
  .map(([each, draw]): LaneCommand => ({ do: "finish", verdict: each, endpointChanged: draw === 0 }));
const due = fc.nat(3).map((draw): LaneCommand => ({ do: "due", isEarly: draw === 0 }));

/** What makes things go on; the rest comes between. */
const progress = fc.oneof(
  { weight: 8, arbitrary: fc.constant<LaneCommand>({ do: "go on" }) },
  { weight: 3, arbitrary: fc.constantFrom<LaneCommand>({ do: "look" }, { do: "answer" }) },
  { weight: 1, arbitrary: fc.constant<LaneCommand>({ do: "wake" }) },
  { weight: 2, arbitrary: finish },
  { weight: 1, arbitrary: fc.constant<LaneCommand>({ do: "hold" }) },
  { weight: 3, arbitrary: fc.constantFrom<LaneCommand>({ do: "write" }, { do: "confirm" }) },
  { weight: 1, arbitrary: due },
);

const few = fc.integer({ min: 1, max: 4 });
const accepted = fc.tuple(few, characters).map(accept);
const announced = few.map((count): LaneCommand => ({ do: "announce", count }));
const repeated = fc.nat(200).map((which): LaneCommand => ({ do: "announce again", which }));
const madeUp = fc
  .integer({ min: 1, max: 100 })
  .map((ahead): LaneCommand => ({ do: "announce falsely", ahead }));
/** More than a mailbox holds. */
const flood = fc.constantFrom<LaneCommand>(accept([80, 10]), { do: "announce", count: 80 });
const messages = fc.oneof(
  { weight: 3, arbitrary: accepted },
  { weight: 3, arbitrary: announced },
  { weight: 2, arbitrary: repeated },
  { weight: 1, arbitrary: madeUp },
  { weight: 1, arbitrary: flood },
);

const change = fc
  .tuple(fc.constantFrom<"edit" | "pause" | "resume">("edit", "edit", "pause", "resume"), fc.boolean())
  .map(([kind, isTold]): LaneCommand => ({ do: "change", kind, isTold }));
const intrusion = verdict.map((each): LaneCommand => ({ do: "intrude", verdict: each }));

function accept([count, size]: [number, number]): LaneCommand {
  return { do: "accept", count, characters: size };
}

/** Runs commands, each of which checks everything that always holds. */
function run(commands: readonly LaneCommand[]): LaneModel {
  const model = new LaneModel();
  for (const command of commands) model.run(command);
  return model;
}

function expectAllEnded(model: LaneModel): void {
  expect({ pending: [...model.postgres.rows.keys()], phase: model.lane.phase.kind }).toEqual({
    pending: [],
    phase: "idle",
  });
}

/** All is well again, and everyone knows it. */
function recover(model: LaneModel): void {
  model.run({ do: "change", kind: "resume", isTold: true });
  model.settle();
}

describe("over any course of events", () => {
  const anything = fc.array(
    fc.oneof({ weight: 6, arbitrary: progress }, { weight: 3, arbitrary: messages }, change, intrusion),
    { maxLength: 150 },
  );

  test("order, one at a time, bounds, tail and seen hold; and nothing is left out when the messages come at last", () => {
    fc.assert(
      fc.property(anything, (commands) => {
        const model = run(commands);
        model.announceAll();
        recover(model);
        // Deliveries with a message need no sweep, unless nothing was ever heard or read.
        expectAllEnded(model);
      }),
      { numRuns: 1_500 },
    );
  });

  test("nothing is left out when messages are lost and a sweep comes by", () => {
    fc.assert(
      fc.property(anything, (commands) => {
        const model = run(commands);
        model.settle();
        model.run({ do: "change", kind: "resume", isTold: false });
        model.run({ do: "wake" });
        model.settle();
        expectAllEnded(model);
      }),
      { numRuns: 1_000 },
    );
  });

  test("nothing is attempted once the endpoint is gone and that was read, or the lane is closed", () => {
    fc.assert(
      fc.property(anything, fc.array(messages), (commands, later) => {
        const model = run(commands);
        model.run({ do: "change", kind: "delete", isTold: true });
        model.settle();
        expect(model.lane.phase.kind).toBe("closed");
        const { attempts } = model;
        for (const command of later) model.run(command);
        model.run({ do: "wake" });
        model.settle();
        expect(model.attempts).toBe(attempts);
        expect(model.lane.mailbox).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test("without faults every delivery is attempted exactly once", () => {
    const calm = fc.array(
      fc.oneof(
        { weight: 3, arbitrary: fc.constant<LaneCommand>({ do: "announce", count: 1 }) },
        messages,
        progress,
      ),
    );
    fc.assert(
      fc.property(calm, (commands) => {
        const model = run(
          commands.map((each) =>
            each.do === "finish" ? { ...each, verdict: "delivered", endpointChanged: false } : each,
          ),
        );
        model.announceAll();
        model.settle();
        model.run({ do: "wake" });
        model.settle();
        expect(model.attempts).toBe(model.postgres.lastSequence);
      }),
      { numRuns: 500 },
    );
  });
});

describe("over any sequence of events at all, even impossible ones", () => {
  const sequence = fc.integer({ min: 1, max: 8 });
  const delivery = fc
    .tuple(sequence, characters)
    .map(([at, size]) => deliveryOf(at, { attemptCount: 0, data: "x".repeat(size) }));
  const page = fc.oneof(
    fc.constantFrom({ kind: "gone" as const }, { kind: "inactive" as const }),
    fc.record({
      kind: fc.constant("active" as const),
      deliveries: fc.array(delivery, { maxLength: 4 }),
      complete: fc.boolean(),
      lastSequence: sequence,
      retryInMs: fc.option(fc.nat(9)),
    }),
  );
  const result = fc.oneof(
    fc.boolean().map((endpointChanged) => ({ kind: "ended" as const, endpointChanged })),
    fc.nat(9).map((forMs) => ({ kind: "postponed" as const, forMs })),
    fc.constant({ kind: "refused" as const }),
  );
  const announcement = fc
    .tuple(fc.boolean(), fc.boolean(), delivery)
    .map(([revisionIsKnown, isLarge, each]): LaneEvent => {
      return { type: "announced", sequence: each.sequence, revisionIsKnown, delivery: isLarge ? null : each };
    });
  const event = fc.oneof(
    fc.constantFrom<LaneEvent>(
      { type: "woken", lastSequence: null },
      { type: "woken", lastSequence: 8 },
      { type: "changed" },
      { type: "due" },
      { type: "attempted" },
      { type: "unsent" },
      { type: "held", forMs: 1 },
    ),
    page.map((each): LaneEvent => ({ type: "read", page: each })),
    result.map((each): LaneEvent => ({ type: "recorded", result: each })),
    announcement,
  );

  test("an attempt comes only after idle, a read or a record; a step is asked for on entering a phase", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        let lane: Lane = newLane;
        for (const each of events) {
          const before = lane;
          lane = advance(before, each);
          const step = nextStep(lane);
          if (lane.phase !== before.phase && step.do === "attempt") {
            expect(["idle", "reading", "recording", "pacing"]).toContain(before.phase.kind);
          }
          if (before.phase.kind === "closed") expect(lane).toBe(before);
          expect(step.do === "wait").toBe(lane.phase.kind === "waiting" || lane.phase.kind === "pacing");
          expect(step.do === "read").toBe(lane.phase.kind === "reading");
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test("closing is final and empties the mailbox", () => {
    fc.assert(
      fc.property(fc.array(event), fc.array(event), (events, later) => {
        const open = events.reduce<Lane>(advance, newLane);
        const closed = advance(open, { type: "closed" });
        expect(closed).toMatchObject({ phase: { kind: "closed" }, mailbox: [] });
        expect(later.reduce<Lane>(advance, closed)).toBe(closed);
        expect(nextStep(closed)).toEqual({ do: "nothing" });
      }),
    );
  });
});

describe("step by step", () => {
  const announce = (count = 1): LaneCommand => ({ do: "announce", count });
  const look: LaneCommand[] = [{ do: "look" }, { do: "answer" }];
  const deliver: LaneCommand[] = [
    { do: "finish", verdict: "delivered", endpointChanged: false },
    { do: "write" },
    { do: "confirm" },
  ];
  const postpone: LaneCommand[] = [
    { do: "finish", verdict: "retry", endpointChanged: false },
    { do: "write" },
    { do: "confirm" },
  ];
  /** Idle, having read that nothing is pending. */
  const atRest: LaneCommand[] = [{ do: "wake" }, ...look];

  test("a new lane reads before it attempts anything", () => {
    expect(run([accept([1, 10]), announce()]).lane.phase.kind).toBe("reading");
    expect(run([accept([1, 10]), announce(), ...look]).lane.phase.kind).toBe("attempting");
  });

  test("a message that is next is attempted without a read", () => {
    const { lane, attempts } = run([...atRest, accept([1, 10]), announce()]);
    expect({ phase: lane.phase.kind, tail: lane.tail, attempts }).toEqual({
      phase: "attempting",
      tail: 1,
      attempts: 1,
    });
  });

  test("a repeat changes nothing", () => {
    const model = run([...atRest, accept([2, 10]), announce(), announce()]);
    const before = model.lane;
    model.run({ do: "announce again", which: 0 });
    model.run({ do: "announce again", which: 1 });
    expect(model.lane).toBe(before);
  });

  test("a gap is read from Postgres once the mailbox is empty", () => {
    const model = run([...atRest, accept([3, 10]), announce(), { do: "announce again", which: 2 }]);
    expect(model.lane).toMatchObject({ tail: 1, seen: 3 });
    expect(run([...atRest, accept([2, 10]), { do: "announce again", which: 1 }]).lane.phase.kind).toBe(
      "reading",
    );
    for (const command of deliver) model.run(command);
    expect(model.lane.phase.kind).toBe("reading");
  });

  test("what a sweep finds behind a delivery under way is read once that has ended", () => {
    const busy: LaneCommand[] = [...atRest, accept([1, 10]), announce(), accept([1, 10])];
    expect(run([...busy, ...deliver]).lane.phase.kind).toBe("idle");
    const { lane, attempts } = run([...busy, { do: "wake" }, ...deliver, ...look]);
    expect({ phase: lane.phase.kind, attempts }).toEqual({ phase: "attempting", attempts: 2 });
  });

  test("what is too large to travel is read from Postgres", () => {
    expect(run([...atRest, accept([1, 300_000]), announce()]).lane.phase.kind).toBe("reading");
  });

  test("a mailbox takes no more deliveries, and no more characters, than it may", () => {
    const many = run([...atRest, accept([100, 10]), announce(100)]);
    expect(many.lane).toMatchObject({ tail: MAILBOX_DELIVERIES, seen: 100 });
    const large = run([...atRest, accept([10, 60_000]), announce(10)]);
    expect(large.lane.mailbox).toHaveLength(Math.floor(MAILBOX_CHARACTERS / 60_000));
    for (const model of [many, large]) {
      model.settle();
      expectAllEnded(model);
    }
  });

  test("a delivery that waits for its retry holds back those behind it, whatever is announced or woken", () => {
    const model = run([...atRest, accept([2, 10]), announce(2), ...postpone, { do: "wake" }]);
    model.run(accept([1, 10]));
    model.run(announce());
    expect(model.lane).toMatchObject({ phase: { kind: "waiting" }, mailbox: [], tail: 0, seen: 3 });
    model.settle();
    expectAllEnded(model);
    expect(model.attempts).toBe(4);
  });

  test("a change during an attempt that fails is read at once, not after the wait", () => {
    const model = run([...atRest, accept([1, 10]), announce()]);
    const changed = advance(advance(model.lane, { type: "changed" }), { type: "attempted" });
    const postponed = advance(changed, { type: "recorded", result: { kind: "postponed", forMs: 60_000 } });
    expect(nextStep(postponed)).toEqual({ do: "read", after: 0 });
  });

  test("a delivery that its rate limit holds stays first, and the mailbox fills behind it", () => {
    const model = run([...atRest, accept([3, 10]), announce(), { do: "hold" }, announce(), { do: "wake" }]);
    expect(model.lane.phase.kind).toBe("pacing");
    expect(model.lane.mailbox.map(({ sequence }) => sequence)).toEqual([1, 2]);
    model.run({ do: "due", isEarly: false });
    expect(model.lane.phase.kind).toBe("attempting");
    expect(nextStep(model.lane)).toMatchObject({ do: "attempt", delivery: { sequence: 1 } });
    model.run({ do: "hold" });
    model.run({ do: "change", kind: "edit", isTold: true });
    expect(model.lane.phase.kind).toBe("reading");
  });

  test("a wait that ended too early waits again", () => {
    const model = run([
      ...atRest,
      accept([1, 10]),
      announce(),
      ...postpone,
      { do: "due", isEarly: true },
      ...look,
    ]);
    expect(model.lane.phase.kind).toBe("waiting");
  });

  test("a change is read before the next attempt: at rest at once, at work after the record", () => {
    const change: LaneCommand = { do: "change", kind: "edit", isTold: true };
    expect(run([...atRest, change]).lane.phase.kind).toBe("reading");
    const model = run([...atRest, accept([2, 10]), announce(2), change]);
    expect(model.lane.phase.kind).toBe("attempting");
    for (const command of deliver) model.run(command);
    expect(model.lane.phase.kind).toBe("reading");
  });

  test("a change before the request went out is read, and the same delivery attempted", () => {
    const model = run([
      ...atRest,
      accept([2, 10]),
      announce(2),
      { do: "change", kind: "edit", isTold: true },
    ]);
    const lane = advance(model.lane, { type: "unsent" });
    expect([lane.phase.kind, lane.tail, lane.fresh]).toEqual(["reading", 0, true]);
  });

  test("a page that is behind what was read before has it read from the first", () => {
    const page = {
      kind: "active" as const,
      deliveries: [],
      complete: true,
      lastSequence: 7,
      retryInMs: null,
    };
    const idle: Lane = { ...newLane, tail: 10, seen: 10, fresh: true };
    const heard = advance(idle, { type: "announced", sequence: 7, revisionIsKnown: true, delivery: null });
    expect(nextStep(heard)).toEqual({ do: "read", after: 10 });
    expect(nextStep(advance(heard, { type: "read", page }))).toEqual({ do: "read", after: 0 });
  });

  test("a change that comes between a record and its answer is read before the next attempt", () => {
    const change: LaneCommand = { do: "change", kind: "edit", isTold: true };
    const [finish, write, confirm] = deliver;
    const model = run([...atRest, accept([2, 10]), announce(2)]);
    for (const command of [finish, write, change, confirm]) if (command) model.run(command);
    expect(model.lane.phase.kind).toBe("reading");
  });

  test("a change while it is read is read again", () => {
    const model = run([
      { do: "wake" },
      { do: "look" },
      { do: "change", kind: "pause", isTold: true },
      { do: "answer" },
    ]);
    expect(model.lane.phase.kind).toBe("reading");
    for (const command of look) model.run(command);
    expect(model.lane.phase.kind).toBe("paused");
  });

  test("a message sent after a change that was not heard of has it read", () => {
    const change: LaneCommand = { do: "change", kind: "edit", isTold: false };
    expect(run([...atRest, change, accept([1, 10]), announce()]).lane.phase.kind).toBe("reading");
  });

  test("paused, it attempts nothing until it has read that it is active", () => {
    const paused: LaneCommand[] = [{ do: "change", kind: "pause", isTold: true }, ...look];
    const model = run([...atRest, ...paused, accept([1, 10]), announce()]);
    expect({ phase: model.lane.phase.kind, attempts: model.attempts }).toEqual({
      phase: "paused",
      attempts: 0,
    });
    recover(model);
    expectAllEnded(model);
  });

  test("paused, it reads when it is woken, or a message comes from after a change", () => {
    const paused: LaneCommand[] = [...atRest, { do: "change", kind: "pause", isTold: true }, ...look];
    expect(run([...paused, { do: "wake" }]).lane.phase.kind).toBe("reading");
    const resume: LaneCommand = { do: "change", kind: "resume", isTold: false };
    expect(run([...paused, resume, accept([1, 10]), announce()]).lane.phase.kind).toBe("reading");
  });

  test("a refused record is followed by a read, and by the attempt of what is really next", () => {
    const intrusion: LaneCommand = { do: "intrude", verdict: "delivered" };
    const model = run([...atRest, accept([2, 10]), announce(2), intrusion, ...deliver]);
    expect(model.lane.phase.kind).toBe("reading");
    for (const command of look) model.run(command);
    expect(model.lane.mailbox.map(({ sequence }) => sequence)).toEqual([2]);
  });
});
