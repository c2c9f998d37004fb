import { expect, test } from "bun:test";
import type { Ordering } from "../../src/domain/tuning";
import { check } from "../support/faults/checker/check";
import type { Evidence, Guarantee } from "../support/faults/checker/evidence";
import type { Fault } from "../support/faults/journal";
import type { Receipt } from "../support/faults/receipt";
import { addDelivery, evidenceOf, type Run, START, STEP, soundRun } from "./sound-run";

/** Returns the promises that a run breaks after `plant` has changed it. */
function broken(plant: (run: Run) => void): Guarantee[] {
  const run = soundRun();
  plant(run);
  return [...new Set(check(evidenceOf(run)).map((violation) => violation.guarantee))];
}

function at<T>(list: T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new Error(`nothing at ${index}`);
  return item;
}

function change<T>(list: T[], index: number, changes: Partial<T>): void {
  list[index] = { ...at(list, index), ...changes };
}

/** Repeats the first delivery of `ep_a` before the second. */
function repeat(run: Run, changes: Partial<Receipt> = {}): void {
  const again = { opened: 2.2, closed: 2.4, startedAt: START + STEP + 2_000, endedAt: START + STEP + 2_010 };
  run.receipts.push({ ...at(run.receipts, 0), ...again, ...changes });
}

function crash(from: number, to: number): Fault {
  return { what: "SIGKILL", from: START + from, to: START + to, kind: "crash" };
}

test("a sound run breaks nothing", () => {
  expect(broken(() => {})).toEqual([]);
});

test("an accepted delivery that is not stored is found", () => {
  const lose = (run: Run) => {
    run.rows.splice(5, 1);
    run.receipts.splice(5, 1);
    run.lastSequences.set("ep_b", 2);
  };
  expect(broken(lose)).toEqual(["nothing is lost"]);
});

test("an accepted delivery that never ends is found", () => {
  const forget = (run: Run) => {
    run.receipts.splice(5, 1);
    change(run.rows, 5, { status: "pending", completedAt: null, attemptCount: 0, attempts: [] });
  };
  expect(broken(forget)).toEqual(["exact figures"]);
});

test("a send that is stored twice, stored although it was refused, or stored although nobody sent it, is found", () => {
  const store = (run: Run) => addDelivery(run, "ep_a", 4);
  const numbered = (run: Run) => run.lastSequences.set("ep_a", 4);
  const twice = (run: Run) => {
    store(run);
    numbered(run);
    const { data } = at(run.rows, 0);
    change(run.rows, 6, { data });
    change(run.receipts, 6, { body: data ?? "" });
    run.sends.pop();
  };
  const refused = (run: Run) => {
    store(run);
    numbered(run);
    change(run.sends, 6, { outcome: { kind: "refused", status: 400 } });
  };
  const invented = (run: Run) => {
    store(run);
    numbered(run);
    run.sends.pop();
  };
  for (const plant of [twice, refused, invented]) expect(broken(plant)).toEqual(["nothing is lost"]);
});

test("a send whose outcome is unknown may be stored or not", () => {
  const unknown = (run: Run) => {
    change(run.sends, 0, { outcome: { kind: "unknown", why: "reset" } });
    change(run.sends, 1, { outcome: { kind: "refused", status: 503 } });
    run.sends.push({ ...at(run.sends, 0), marker: "gone", data: "{}" });
  };
  expect(broken(unknown)).toEqual([]);
});

/** Adds a fourth delivery to `ep_a` that replays the first one. */
function replay(run: Run): void {
  addDelivery(run, "ep_a", 4);
  run.sends.pop();
  const { id, data } = at(run.rows, 0);
  change(run.rows, 6, { replayOf: id, webhookId: id, data });
  change(run.receipts, 6, { webhookId: id, body: data ?? "" });
  run.lastSequences.set("ep_a", 4);
}

test("a replay is no repeat, and has the content of its first delivery", () => {
  expect(broken(replay)).toEqual([]);
  const asItself = (run: Run) => {
    replay(run);
    change(run.receipts, 6, { webhookId: at(run.rows, 6).id });
  };
  expect(broken(asItself)).toEqual(["delivered means received"]);
  const ofAnother = (run: Run) => {
    replay(run);
    change(run.rows, 6, { replayOf: at(run.rows, 1).id, webhookId: at(run.rows, 1).id });
    change(run.receipts, 6, { webhookId: at(run.rows, 1).id });
  };
  expect(broken(ofAnother)).toEqual(["nothing is lost"]);
});

test("an event with a missing delivery is found", () => {
  const lose = (run: Run) => {
    change(run.sends, 4, { event: "e", outcome: { kind: "unknown", why: "reset" } });
    change(run.sends, 5, { event: "e", outcome: { kind: "unknown", why: "reset" } });
  };
  expect(broken(lose)).toEqual([]);
  const half = (run: Run) => {
    lose(run);
    run.rows.splice(5, 1);
    run.receipts.splice(5, 1);
    run.lastSequences.set("ep_b", 2);
  };
  expect(broken(half)).toEqual(["all or none"]);
});

test("an event that is not stored, or with another payload or other deliveries, is found", () => {
  const keep = (run: Run) => {
    const { data } = at(run.sends, 0);
    run.events.push({ id: "evt_1", data });
    change(run.sends, 0, { event: "e", eventId: "evt_1" });
    change(run.rows, 0, { event: "evt_1" });
  };
  expect(broken(keep)).toEqual([]);
  const plants: ((run: Run) => void)[] = [
    (run) => run.events.pop(),
    (run) => change(run.events, 0, { data: "{}" }),
    (run) => change(run.rows, 0, { event: null }),
  ];
  for (const plant of plants) {
    const both = (run: Run) => {
      keep(run);
      plant(run);
    };
    expect(broken(both)).toEqual(["nothing is lost"]);
  }
});

test("a gap in the sequences is found", () => {
  const skip = (run: Run) => {
    change(run.rows, 5, { sequence: 4 });
    change(run.receipts, 5, { sequence: 4 });
    run.lastSequences.set("ep_b", 4);
  };
  expect(broken(skip)).toContain("numbered without gaps");
});

test("a last sequence beyond the stored deliveries is found", () => {
  expect(broken((run) => run.lastSequences.set("ep_b", 4))).toEqual(["numbered without gaps"]);
});

test("a sequence lower than that of an earlier answered send is found", () => {
  const overtake = (run: Run) => {
    change(run.sends, 0, { startedAt: START + 3 * STEP, endedAt: START + 3 * STEP + 1 });
  };
  expect(broken(overtake)).toEqual(["numbered without gaps"]);
});

test("swapped deliveries are found", () => {
  expect(broken((run) => swap(run, 0, 2))).toContain("in order");
});

test("a delivery that arrives before the one ahead has ended, or without it, is found", () => {
  const early = (run: Run) => change(run.rows, 0, { completedAt: START + 2 * STEP + 100 });
  expect(broken(early)).toEqual(["in order"]);
  const skipped = (run: Run) => {
    run.receipts.splice(0, 1);
    change(run.rows, 0, { status: "failed", completedAt: START + 2 * STEP + 100, attempts: [refusal(1)] });
  };
  expect(broken(skipped)).toEqual(["in order"]);
});

function refusal(sequence: number) {
  const startedAt = START + sequence * STEP;
  return { attempt: 1, status: 0, error: "connection_refused", errorDetail: null, startedAt, durationMs: 1 };
}

test("overlapping attempts are found, by receipts and by records", () => {
  const seen = (run: Run) => change(run.receipts, 0, { closed: 5.5 });
  const recorded = (run: Run) => {
    const [attempt] = at(run.rows, 0).attempts;
    if (attempt) change(run.rows, 0, { attempts: [{ ...attempt, durationMs: STEP + 5 }] });
  };
  for (const plant of [seen, recorded]) expect(broken(plant)).toEqual(["one at a time"]);
});

test("an attempt shorter than a millisecond does not overlap the next one", () => {
  const quick = (run: Run) => {
    const [[first], [second]] = [at(run.rows, 0).attempts, at(run.rows, 2).attempts];
    if (!first || !second) throw new Error("the run has no attempts");
    change(run.rows, 0, { attempts: [{ ...first, startedAt: second.startedAt, durationMs: 0 }] });
    change(run.rows, 2, { attempts: [{ ...second, durationMs: 9 }] });
    run.rows.reverse();
  };
  expect(broken(quick)).toEqual([]);
});

test("an overlap is excused only by a crash or a stall at that time", () => {
  const overlap = (run: Run) => change(run.receipts, 0, { closed: 5.5 });
  const during = (run: Run) => {
    overlap(run);
    run.faults.push(crash(STEP + 1_000, STEP + 1_500));
  };
  const after = (run: Run) => {
    overlap(run);
    run.faults.push(crash(4 * STEP, 4 * STEP + 1));
  };
  expect(broken(during)).toEqual([]);
  expect(broken(after)).toEqual(["one at a time"]);
});

/** Repeats the first delivery of `ep_a` after the second, right at the end of a stall. */
function comeLate(run: Run, times: number, signedAt: number): void {
  const [stalledAt, proceededAt] = [STEP + 2_000, 2 * STEP + 3_000];
  for (let n = 1; n <= times; n++) {
    const place = { opened: 6 + n / 10, closed: 6 + n / 10 + 0.05, startedAt: START + proceededAt + n };
    run.receipts.push({ ...at(run.receipts, 0), ...place, signedAt });
  }
  run.faults.push({ ...crash(stalledAt, proceededAt), kind: "stall" });
}

test("a request signed before a stall may come late, but once, and none signed after it", () => {
  const [before, after] = [(START + STEP) / 1_000, (START + 2 * STEP) / 1_000 + 3];
  expect(broken((run) => comeLate(run, 1, before))).toEqual([]);
  expect(broken((run) => comeLate(run, 1, after))).toEqual(["in order"]);
  expect(broken((run) => comeLate(run, 2, before))).toContain("in order");
});

test("more attempts in a second than the rate limit are found, unless a stall explains them", () => {
  const hurry = (run: Run) => {
    run.limits.set("ep_a", { rateLimit: 2, ordering: "ordered", maxInFlight: 1 });
    const [second, third] = [2, 4];
    change(run.receipts, second, { startedAt: START + STEP + 300 });
    change(run.receipts, third, { startedAt: START + STEP + 600 });
    change(run.rows, second, { completedAt: START + STEP + 310 });
  };
  expect(broken(hurry)).toContain("within the rate limit");
  const enough = (run: Run) => {
    hurry(run);
    run.limits.set("ep_a", { rateLimit: 3, ordering: "ordered", maxInFlight: 1 });
  };
  expect(broken(enough)).not.toContain("within the rate limit");
  const stalled = (run: Run) => {
    hurry(run);
    run.faults.push({ ...crash(STEP + 200, STEP + 400), kind: "stall" });
  };
  expect(broken(stalled)).not.toContain("within the rate limit");
});

/** Gives the endpoint `ep_a` another ordering and limit in flight. */
function ordering(of: Ordering, maxInFlight: number, plant: (run: Run) => void) {
  return (run: Run) => {
    run.limits.set("ep_a", { rateLimit: null, ordering: of, maxInFlight });
    plant(run);
  };
}

/** Gives a delivery of `ep_a` another key, by its place among all. */
function rekey(run: Run, index: number, orderingKey: string | null): void {
  change(run.sends, index, { orderingKey });
  change(run.receipts, index, { orderingKey });
  change(run.rows, index, { orderingKey });
}

/** Lets two deliveries of `ep_a`, by their positions among all, arrive in the wrong order. */
function swap(run: Run, one: number, other: number): void {
  const [first, second] = [at(run.receipts, one), at(run.receipts, other)];
  const timesOf = ({ opened, closed, startedAt }: Receipt) => ({ opened, closed, startedAt });
  run.receipts[one] = { ...first, ...timesOf(second) };
  run.receipts[other] = { ...second, ...timesOf(first) };
}

test("by key, the deliveries of one key keep their order, and others need not", () => {
  const others = (run: Run) => {
    rekey(run, 0, "customer-2");
    swap(run, 0, 2);
  };
  expect(broken(ordering("by_key", 2, others))).toEqual([]);
  expect(broken(others)).toContain("in order");
  expect(broken(ordering("by_key", 2, (run) => swap(run, 0, 2)))).toContain("in order");
  const keyless = (run: Run) => {
    for (const index of [0, 2]) rekey(run, index, null);
    swap(run, 0, 2);
  };
  expect(broken(ordering("by_key", 2, keyless))).toContain("in order");
});

test("by key, a delivery that arrives before the one ahead in its key has ended is found", () => {
  const early = (run: Run) => change(run.rows, 0, { completedAt: START + 2 * STEP + 100 });
  const ofAnother = (run: Run) => {
    rekey(run, 0, "customer-2");
    early(run);
  };
  expect(broken(ordering("by_key", 2, early))).toEqual(["in order"]);
  expect(broken(ordering("by_key", 2, ofAnother))).toEqual([]);
});

test("by key, max_in_flight deliveries may be under way, but no more, nor two of one key", () => {
  const overlap = (run: Run) => change(run.receipts, 0, { closed: 5.5 });
  const ofAnother = (run: Run) => {
    rekey(run, 0, "customer-2");
    overlap(run);
  };
  const recorded = (run: Run) => {
    const [attempt] = at(run.rows, 0).attempts;
    if (attempt) change(run.rows, 0, { attempts: [{ ...attempt, durationMs: STEP + 5 }] });
  };
  expect(broken(ordering("by_key", 2, ofAnother))).toEqual([]);
  expect(broken(ordering("by_key", 1, ofAnother))).toEqual(["one at a time"]);
  for (const plant of [overlap, recorded]) {
    expect(broken(ordering("by_key", 2, plant))).toEqual(["one at a time"]);
  }
});

test("a delivery with another key than it was sent with is found, by rows and by receipts", () => {
  expect(broken((run) => change(run.receipts, 5, { orderingKey: "customer-2" }))).toEqual([
    "delivered means received",
  ]);
  const stored = (run: Run) => {
    change(run.rows, 5, { orderingKey: null });
    change(run.receipts, 5, { orderingKey: null });
  };
  expect(broken(stored)).toEqual(["nothing is lost"]);
});

test("an unordered endpoint may have several under way, in any order, but not more than its limit nor one twice", () => {
  const without = (maxInFlight: number, plant: (run: Run) => void) =>
    ordering("unordered", maxInFlight, plant);
  /** The first is still under way when the second and the third arrive, in the wrong order. */
  const mixed = (run: Run) => {
    change(run.receipts, 0, { closed: 10.5 });
    const [second, third] = [at(run.receipts, 2), at(run.receipts, 4)];
    run.receipts[2] = { ...second, opened: third.opened, closed: third.closed };
    run.receipts[4] = { ...third, opened: second.opened, closed: second.closed };
  };
  expect(broken(without(2, mixed))).toEqual([]);
  expect(broken(without(1, mixed))).toEqual(["one at a time"]);
  expect(broken(mixed)).toContain("in order");
  const twice = (run: Run) => {
    change(run.receipts, 0, { closed: 2.3 });
    repeat(run);
  };
  expect(broken(without(3, twice))).toEqual(["one at a time", "repeated only by a crash"]);
});

test("a repeat without a fault is found, whatever attempt number it has", () => {
  expect(broken((run) => repeat(run))).toEqual(["repeated only by a crash"]);
  expect(broken((run) => repeat(run, { attempt: 2 }))).toEqual(["repeated only by a crash"]);
});

test("a second try of an unanswered attempt is permitted, a third is found", () => {
  const tries = (count: number) => (run: Run) => {
    change(run.receipts, 0, { status: null });
    for (let n = 1; n < count; n++) {
      const startedAt = START + STEP + 20 * n;
      const [opened, closed] = [2 + n / 10, 2.05 + n / 10];
      repeat(run, {
        status: n === count - 1 ? 200 : null,
        startedAt,
        endedAt: startedAt + 10,
        opened,
        closed,
      });
    }
  };
  expect(broken(tries(2))).toEqual([]);
  expect(broken(tries(3))).toEqual(["repeated only by a crash"]);
});

test("a repeat is excused only by a crash between the two requests", () => {
  const withFault = (fault: Fault) => (run: Run) => {
    repeat(run);
    run.faults.push(fault);
  };
  expect(broken(withFault(crash(STEP + 500, STEP + 1_000)))).toEqual([]);
  expect(broken(withFault(crash(4 * STEP, 4 * STEP + 1)))).toEqual(["repeated only by a crash"]);
  const harmless = { ...crash(STEP + 500, STEP + 1_000), kind: "nuisance" as const };
  expect(broken(withFault(harmless))).toEqual(["repeated only by a crash"]);
});

test("one crash excuses one repeat of an endpoint, not two", () => {
  const twice = (run: Run) => {
    repeat(run);
    repeat(run, { opened: 2.6, closed: 2.8, startedAt: START + STEP + 2_100, endedAt: START + STEP + 2_110 });
    run.faults.push(crash(STEP + 500, STEP + 1_000));
  };
  expect(broken(twice)).toEqual(["repeated only by a crash"]);
});

test("a delivered delivery that no receiver accepted is found", () => {
  const untaken = (run: Run) => change(run.receipts, 5, { status: 500 });
  const unseen = (run: Run) => run.receipts.splice(5, 1);
  for (const plant of [untaken, unseen]) expect(broken(plant)).toEqual(["delivered means received"]);
});

test("a delivery counted as delivered by a 2xx before its whole request was read is found", () => {
  const cut = { ...refusal(3), status: 200, error: "timeout", errorDetail: "request_not_taken" };
  expect(broken((run) => change(run.rows, 5, { attempts: [cut] }))).toEqual(["delivered means received"]);
});

test("a delivery counted as delivered by a 2xx whose body broke off is permitted", () => {
  const short = { ...refusal(3), status: 200, error: "timeout", errorDetail: "answer_cut_short" };
  expect(broken((run) => change(run.rows, 5, { attempts: [short] }))).toEqual([]);
});

test("a failed delivery that its receiver accepted is found", () => {
  const plant = (run: Run) => change(run.rows, 5, { status: "failed", attempts: [refusal(3)] });
  expect(broken(plant)).toEqual(["delivered means received"]);
});

test("a request with other content than its row, or without a row, is found", () => {
  expect(broken((run) => change(run.receipts, 5, { body: "{}" }))).toEqual(["delivered means received"]);
  const stray = (run: Run) => change(run.receipts, 5, { webhookId: "wh_stray" });
  expect(broken(stray)).toEqual(["delivered means received"]);
});

test("attempts that are missing from the records are found", () => {
  expect(broken((run) => change(run.rows, 5, { attempts: [] }))).toEqual(["delivered means received"]);
});

test("an unsigned delivery is found", () => {
  expect(broken((run) => change(run.receipts, 5, { signed: false }))).toContain("signed");
});

test("a wrong figure is found, wherever it is", () => {
  const { ledger, ...rest } = evidenceOf(soundRun());
  const { counters, stats } = ledger;
  const wrong: Partial<Evidence["ledger"]>[] = [
    { counters: { ...counters, total: 7 } },
    { counters: { ...counters, delivered: 5 } },
    { counters: { ...counters, failed: 1 } },
    { counters: { ...counters, cancelled: 1 } },
    { stats: { ...stats, total: 5 } },
    { stats: { ...stats, delivered: 7 } },
    { stats: { ...stats, failed: 1 } },
    { stats: { ...stats, pending: 1 } },
    { used: 5 },
    { queued: 1 },
  ];
  for (const each of wrong) {
    expect(check({ ...rest, ledger: { ...ledger, ...each } }).map(({ guarantee }) => guarantee)).toEqual([
      "exact figures",
    ]);
  }
});
