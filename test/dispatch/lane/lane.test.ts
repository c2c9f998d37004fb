import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Ordering } from "../../../src/domain/tuning";
import { type LaneCommand, LaneModel, type LaneModelOptions } from "../../support/simulation/lane-model";
import type { Verdict } from "../../support/simulation/lane-postgres";

/** `HERMOD_LANE_RUNS` multiplies the number of runs. */
const RUNS = Number(process.env.HERMOD_LANE_RUNS ?? 1);

const always = <T extends LaneCommand>(command: T) => fc.constant<LaneCommand>(command);
const verdict = fc.constantFrom<Verdict>("delivered", "delivered", "retry", "exhausted", "rest");
const which = fc.nat(20);
const key = fc.constantFrom(null, "a", "b", "c", "d");
const characters = fc.oneof(
  { weight: 12, arbitrary: fc.constant(10) },
  fc.constantFrom(60_000, 65_537, 300_000, 2_000_000),
);
const few = fc.integer({ min: 1, max: 5 });

/** Commands that make progress. The other commands come between them. */
const progress = fc.oneof(
  { weight: 6, arbitrary: always({ do: "answer" }) },
  { weight: 2, arbitrary: always({ do: "look" }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("finish" as const),
      which,
      verdict,
      isAnswerLost: fc.nat(9).map((draw) => draw === 0),
      changesHealth: fc.nat(9).map((draw) => draw === 0),
    }),
  },
  { weight: 8, arbitrary: which.map((each): LaneCommand => ({ do: "confirm", which: each })) },
  { weight: 1, arbitrary: which.map((each): LaneCommand => ({ do: "call off", which: each })) },
  { weight: 3, arbitrary: fc.nat(3).map((draw): LaneCommand => ({ do: "due", isEarly: draw === 0 })) },
  { weight: 1, arbitrary: always({ do: "wake" }) },
  { weight: 1, arbitrary: fc.nat(3).map((count): LaneCommand => ({ do: "allow", count })) },
  { weight: 2, arbitrary: always({ do: "allow", count: Number.POSITIVE_INFINITY }) },
);
const accepted = fc.record({ do: fc.constant("accept" as const), count: few, orderingKey: key, characters });
const messages = fc.oneof(
  { weight: 5, arbitrary: accepted },
  { weight: 5, arbitrary: few.map((count): LaneCommand => ({ do: "announce", count })) },
  { weight: 1, arbitrary: fc.nat(200).map((each): LaneCommand => ({ do: "announce again", which: each })) },
);
/** More deliveries than a lane holds in memory. */
const floods = fc.constantFrom<LaneCommand>(
  { do: "accept", count: 80, orderingKey: "a", characters: 10 },
  { do: "announce", count: 80 },
);
const lies = fc
  .integer({ min: 1, max: 100 })
  .map((ahead): LaneCommand => ({ do: "announce falsely", ahead }));
const change = fc
  .tuple(
    fc.constantFrom("edit" as const, "pause" as const, "resume" as const, "resume" as const),
    fc.boolean(),
  )
  .map(([each, isAnnounced]): LaneCommand => ({ do: "change", change: each, isAnnounced }));
const ordering = fc.constantFrom<Ordering>("ordered", "by_key", "unordered");
const batchSize = fc.constantFrom(1, 1, 3, 100);
const reordering = fc.tuple(ordering, fc.integer({ min: 1, max: 4 }), batchSize, fc.boolean()).map(
  ([to, maxInFlight, size, isAnnounced]): LaneCommand => ({
    do: "change",
    change: { ordering: to, maxInFlight, batchSize: size },
    isAnnounced,
  }),
);
const meddling = fc.oneof(
  fc.boolean().map((isAnnounced): LaneCommand => ({ do: "end rest", isAnnounced })),
  fc
    .tuple(which, fc.boolean())
    .map(([each, isAnnounced]): LaneCommand => ({ do: "cancel", which: each, isAnnounced })),
  fc.tuple(which, verdict).map(([each, how]): LaneCommand => ({ do: "intrude", which: each, verdict: how })),
);

const work = fc.oneof({ weight: 6, arbitrary: progress }, { weight: 4, arbitrary: messages });
const undisturbed = fc.array(fc.oneof({ weight: 30, arbitrary: work }, floods, lies), { maxLength: 200 });
const anything = fc.array(
  fc.oneof({ weight: 20, arbitrary: work }, floods, lies, change, reordering, {
    weight: 2,
    arbitrary: meddling,
  }),
  { maxLength: 200 },
);
const settings = fc.record({
  ordering,
  maxInFlight: fc.integer({ min: 1, max: 6 }),
  batchSize,
  mostHeld: fc.constantFrom(2, 3, 500),
});

/** Runs commands. Each one checks all invariants. */
function run(options: LaneModelOptions, commands: readonly LaneCommand[]): LaneModel {
  const model = new LaneModel(options);
  for (const command of commands) model.run(command);
  return model;
}

function expectAllEnded(model: LaneModel): void {
  expect({ pending: [...model.postgres.rows.keys()], phase: model.lane.phase }).toEqual({
    pending: [],
    phase: "open",
  });
}

/** Ends all faults, and notifies everyone. */
function recover(model: LaneModel): void {
  model.run({ do: "change", change: "resume", isAnnounced: true });
  model.settle();
}

describe("whatever happens", () => {
  test("no delivery is forgotten while nobody interferes, and all are attempted once the messages arrive", () => {
    fc.assert(
      fc.property(settings, undisturbed, (options, commands) => {
        const model = run(options, commands);
        model.announceAll();
        model.settle();
        // A sweep is needed only if nothing was ever announced or read, or if sequences were invented.
        model.run({ do: "wake" });
        model.settle();
        expectAllEnded(model);
      }),
      { numRuns: 3_000 * RUNS },
    );
  });

  test("order, limits, pace, times and pauses hold; and no delivery is left after a sweep", () => {
    fc.assert(
      fc.property(settings, anything, (options, commands) => {
        const model = run(options, commands);
        recover(model);
        model.run({ do: "wake" });
        model.settle();
        model.sweepMuchLater();
        model.settle();
        expectAllEnded(model);
      }),
      { numRuns: 3_000 * RUNS },
    );
  });

  test("nothing is attempted once the lane has read that the endpoint is gone", () => {
    fc.assert(
      fc.property(settings, anything, fc.array(work), (options, commands, later) => {
        const model = run(options, commands);
        model.run({ do: "change", change: "delete", isAnnounced: true });
        model.settle();
        expect(model.lane.phase).toBe("closed");
        const { length } = model.attempts;
        for (const command of later) model.run(command);
        model.run({ do: "wake" });
        model.settle();
        expect(model.attempts).toHaveLength(length);
        expect(model.lane.ready).toEqual([]);
      }),
      { numRuns: 500 * RUNS },
    );
  });

  test("keys keep their order when large payloads leave places free for small ones", () => {
    const large = accepted.chain((each) =>
      fc.constantFrom(10, 2_000_000).map((size): LaneCommand => ({ ...each, characters: size })),
    );
    const commands = fc.array(fc.oneof({ weight: 2, arbitrary: progress }, { weight: 1, arbitrary: large }), {
      maxLength: 100,
    });
    fc.assert(
      fc.property(commands, (each) => {
        const model = run({ ordering: "by_key", maxInFlight: 8, mostHeld: 500 }, each);
        recover(model);
        model.run({ do: "wake" });
        model.settle();
        expectAllEnded(model);
      }),
      { numRuns: 500 * RUNS },
    );
  });

  test("without faults every delivery is attempted exactly once", () => {
    const calm = work.map(
      (each): LaneCommand =>
        each.do === "finish" ? { ...each, verdict: "delivered", isAnswerLost: false } : each,
    );
    fc.assert(
      fc.property(settings, fc.array(calm), (options, commands) => {
        const model = run(options, commands);
        model.announceAll();
        model.settle();
        model.run({ do: "wake" });
        model.settle();
        expect(model.attempts.toSorted()).toEqual(
          Array.from({ length: model.postgres.lastSequence }, (_, i) => `${i + 1}#1`).toSorted(),
        );
      }),
      { numRuns: 1_000 * RUNS },
    );
  });
});
