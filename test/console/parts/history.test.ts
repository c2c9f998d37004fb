import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Attempt, DeliveryDetail } from "../../../src/client/types";
import { deliveryHistory, endpointHistory } from "../../../src/console/console/history-sentences";
import { catchUpSentence, pauseSentences } from "../../../src/console/console/outlook-sentences";
import { queueWords } from "../../../src/console/console/queue-words";
import {
  type HalfHour,
  type Happening,
  stepsOf,
  stripSentence,
  troublesOf,
} from "../../../src/console/console/strip-sentences";
import { isUtc } from "../../../src/console/shared/format";
import { plainText } from "../../../src/console/shared/sentence";

isUtc.value = true;
const NOW = Date.parse("2026-01-31T23:59:00.000Z");
const HALF_HOUR_MS = 30 * 60_000;
const MINUTE_MS = 60_000;
const iso = (ms: number) => new Date(ms).toISOString();
/** The time of a clock in a sentence, today. */
const timeOf = (text: string | undefined) => Date.parse(`2026-01-31T${text}Z`);
const numberIn = (text: string | undefined) => Number(text?.replaceAll(",", ""));
const said = ({ sentence }: Happening) => plainText([sentence], NOW);

const NONE = { none: 0, "1xx": 0, "2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0, other: 0 };
const START = NOW - 47 * HALF_HOUR_MS - 29 * MINUTE_MS;
const attempts = fc.record({
  good: fc.constantFrom(0, 0, 1, 3),
  bad: fc.constantFrom(0, 0, 1, 2),
  none: fc.constantFrom(0, 0, 0, 1),
});
/** The half-hours of a day with their attempts. */
const days = fc.array(attempts, { minLength: 1, maxLength: 48 }).map((all) =>
  stepsOf(
    all.map(({ good, bad, none }, n) => ({
      at: iso(START + n * HALF_HOUR_MS),
      attempts: { ...NONE, "2xx": good, "5xx": bad, none },
    })),
  ),
);
const sumOf = (steps: readonly HalfHour[], name: "made" | "failed") =>
  steps.reduce((sum, each) => sum + each[name], 0);

describe("the strip of an endpoint's last day", () => {
  test("is told with the attempts that failed, and when", () => {
    fc.assert(
      fc.property(days, (steps) => {
        const words = plainText([stripSentence(steps)], NOW);
        const [failed, made] = [sumOf(steps, "failed"), sumOf(steps, "made")];
        if (made === 0) return expect(words).toBe("No attempts in the last 24 hours.");
        if (failed === 0) return expect(words).toBe("No attempt has failed in the last 24 hours.");
        const claim = /^(\d+) of (\d+) attempts? .* in (\d+) of (\d+) half-hours? .* from ([\d:]+)\.$/.exec(
          words,
        );
        const troubled = steps.filter((each) => each.failed > 0);
        expect(claim?.slice(1, 5).map(Number)).toEqual([
          failed,
          made,
          troubled.length,
          steps.filter((each) => each.made > 0).length,
        ]);
        expect(timeOf(claim?.[5]) % 86_400_000).toBe(Date.parse(troubled.at(-1)?.at ?? "") % 86_400_000);
      }),
    );
  });

  test("has each failed attempt in exactly one trouble, whose numbers are true of its time", () => {
    fc.assert(
      fc.property(days, (steps) => {
        const troubles = troublesOf(steps);
        let told = 0;
        for (const trouble of troubles) {
          const words = said(trouble);
          const end = /^Until now /.test(words)
            ? steps.length
            : steps.findIndex((each) => words.includes(clock(each)));
          const from = steps.findIndex(({ at }) => at === trouble.at);
          const within = steps.slice(from, end);
          const [made, failed] = [sumOf(within, "made"), sumOf(within, "failed")];
          told += failed;
          if (/the only attempt failed/.test(words)) expect([made, failed]).toEqual([1, 1]);
          else if (/ all /.test(words)) {
            expect(failed).toBe(made);
            expect(numberIn(/all ([\d,]+)/.exec(words)?.[1])).toBe(made);
          } else
            expect(/ (\d+) of (\d+) attempts failed/.exec(words)?.slice(1).map(Number)).toEqual([
              failed,
              made,
            ]);
        }
        expect(told).toBe(sumOf(steps, "failed"));
      }),
      { numRuns: 500 },
    );
  });
});

/** The words of a step's time. A day has each clock time once. */
function clock({ at }: HalfHour): string {
  return `Until ${plainText([[{ is: "time", at }]], NOW)} `;
}

describe("the outlook of an endpoint", () => {
  /** A backlog that grows for a while, and then falls, each at a pace, with what was there at each minute's end. */
  const backlogs = fc
    .record({
      grows: fc.nat({ max: 20 }),
      growth: fc.nat({ max: 500 }),
      falls: fc.nat({ max: 40 }),
      fall: fc.integer({ min: 1, max: 100 }),
      sinceStepMs: fc.integer({ min: 1, max: MINUTE_MS }),
    })
    .map(({ grows, growth, falls, fall, sinceStepMs }) => {
      const counts = [0];
      for (let n = 0; n < grows; n++) counts.push((counts.at(-1) ?? 0) + growth);
      for (let n = 0; n < falls; n++) counts.push(Math.max(0, (counts.at(-1) ?? 0) - fall));
      const first = NOW - sinceStepMs - (counts.length - 1) * MINUTE_MS;
      return counts.map((backlog, n) => ({ at: iso(first + n * MINUTE_MS), backlog }));
    });

  test("says of a backlog that falls by how much, since when, and when it ends at that pace", () => {
    fc.assert(
      fc.property(backlogs, (points) => {
        const sentence = catchUpSentence(points, MINUTE_MS, NOW);
        const left = points.at(-1)?.backlog ?? 0;
        const most = Math.max(...points.map(({ backlog }) => backlog));
        if (sentence === null) return;
        const words = plainText([sentence], NOW);
        const claim =
          /^([\d,]+) deliver\w+ (?:is|are) left, ([\d,]+) fewer than (.+) ago: .* in about (.+)\.$/.exec(
            words,
          );
        expect([numberIn(claim?.[1]), numberIn(claim?.[2])]).toEqual([left, most - left]);
        const peak = points.findLast(({ backlog }) => backlog === most);
        const forMs = NOW - Date.parse(peak?.at ?? "") - MINUTE_MS;
        expect(Math.abs(msOf(claim?.[3]) - forMs)).toBeLessThan(1_000);
        const neededMs = (left * forMs) / (most - left);
        const saidMs = msOf(claim?.[4]);
        expect(saidMs).toBeGreaterThanOrEqual(neededMs);
        expect(saidMs).toBeLessThanOrEqual(Math.max(neededMs * 1.5, neededMs + 1_000));
      }),
      { numRuns: 500 },
    );
  });

  test("says nothing of a backlog that grows, is empty, or fell for less than a minute", () => {
    const at = (n: number) => iso(NOW - n * MINUTE_MS);
    const of = (...counts: number[]) =>
      counts.map((backlog, n) => ({ at: at(counts.length - 1 - n), backlog }));
    for (const points of [[], of(1, 2, 3), of(3, 2, 0), of(5, 5), of(4, 3)])
      expect(catchUpSentence(points, MINUTE_MS, NOW)).toBeNull();
    expect(catchUpSentence(of(4, 3, 3), MINUTE_MS, NOW)).not.toBeNull();
  });

  const HOUR_MS = 3_600_000;
  const failing = fc.record({
    forMs: fc.nat({ max: 20 * HOUR_MS }),
    disableAfterMs: fc.nat({ max: 20 * HOUR_MS }),
  });

  test("says when a failing endpoint would be switched off: not before, and with a delivery that fails for good", () => {
    fc.assert(
      fc.property(failing, ({ forMs, disableAfterMs }) => {
        const since = NOW - forMs;
        const endpoint = { is_active: true, on_exhausted: "skip" } as const;
        const health = { failing_since: iso(since) };
        const words = plainText(pauseSentences({ ...endpoint, health }, disableAfterMs, NOW), NOW);
        expect(words).toEndWith(
          "the next delivery that fails for good switches it off, if it is not the only one.",
        );
        const isStillTolerated = since + disableAfterMs > NOW;
        expect(words.startsWith("If no attempt succeeds until")).toBe(isStillTolerated);
        expect(pauseSentences({ ...endpoint, health: { failing_since: null } }, disableAfterMs, NOW)).toEqual(
          [],
        );
        expect(pauseSentences({ ...endpoint, is_active: false, health }, disableAfterMs, NOW)).toEqual([]);
      }),
    );
    const atFirst = { is_active: true, on_exhausted: "pause", health: { failing_since: iso(NOW) } } as const;
    expect(plainText(pauseSentences(atFirst, HOUR_MS, NOW), NOW)).toBe(
      "The first delivery that uses up its attempts pauses it.",
    );
  });
});

/** Reads a duration of the console. */
function msOf(text = ""): number {
  const units: Record<string, number> = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 };
  return [...text.matchAll(/([\d.,]+) (ms|s|min|h|d)/g)].reduce(
    (sum, [, n, unit]) => sum + numberIn(n) * (units[unit ?? ""] ?? 0),
    0,
  );
}

describe("what happened", () => {
  const made = fc.array(fc.constantFrom(200, 500, 503, 0), { maxLength: 8 });

  test("to a delivery has its acceptance, each attempt once with its answer, and its end, in order", () => {
    fc.assert(
      fc.property(made, fc.constantFrom("pending", "failed", "cancelled"), (statuses, other) => {
        // An attempt that succeeds is the last one.
        const first = statuses.indexOf(200);
        const all = first < 0 ? statuses : statuses.slice(0, first + 1);
        const status = first < 0 ? other : "delivered";
        const start = NOW - 10 * HALF_HOUR_MS;
        const attemptsMade = all.map((answer, n) => ({
          attempt: n + 1,
          status: answer,
          error: answer === 0 ? "timeout" : null,
          duration_ms: 20,
          timestamp: iso(start + (n + 1) * 10_000),
        })) as Attempt[];
        const end = start + (all.length + 1) * 10_000;
        const delivery = {
          status,
          sequence: 7,
          created_at: iso(start),
          completed_at: status === "pending" ? null : iso(end),
          attempts: attemptsMade,
          ...(status === "cancelled" && { cancel_reason: "requested" }),
        } as DeliveryDetail;
        const told = deliveryHistory(delivery, [], NOW);
        expect(told.map(({ at }) => at)).toEqual(told.map(({ at }) => at).toSorted());
        expect(said(told[0] as Happening)).toBe("It was accepted, as #7 of its endpoint.");
        const answers: number[] = [];
        for (const each of told) {
          const words = said(each);
          const claim = /^Attempts? (\d+)(?: to (\d+))? (failed|succeeded).*: (\d+|no answer)/.exec(words);
          if (!claim) continue;
          const [from, to] = [Number(claim[1]), Number(claim[2] ?? claim[1])];
          for (let n = from; n <= to; n++) answers.push(claim[4] === "no answer" ? 0 : Number(claim[4]));
          expect(claim[3] === "succeeded").toBe(claim[4] === "200");
        }
        expect(answers).toEqual(all);
        const last = said(told.at(-1) as Happening);
        const endings = {
          delivered: `It was delivered, ${all.length + 1}0 s after it was accepted.`,
          cancelled: "It was cancelled: somebody asked for it.",
          failed: `It failed for good, after ${all.length} attempt${all.length === 1 ? "" : "s"}.`,
        };
        if (status !== "pending" && all.length < 5) expect(last).toBe(endings[status as "failed"]);
        else if (status === "pending") expect(last).not.toMatch(/delivered|for good|cancelled/);
      }),
    );
  });

  const change = (operation: string, minutesAgo: number, fields: object = {}) => ({
    at: iso(NOW - minutesAgo * MINUTE_MS),
    operation,
    actor: { kind: "person", id: null, name: "Ada", session_id: null } as const,
    before: null,
    after: null,
    ...fields,
  });

  test("at an endpoint has its changes with who made them, and what Hermod did, newest first", () => {
    const changes = [
      change("updateEndpoint", 1, { before: { is_active: false }, after: { is_active: true } }),
      change("updateEndpoint", 5, { before: { is_active: true }, after: { is_active: false } }),
      change("updateEndpoint", 6, { before: { is_active: true }, after: { is_active: true } }),
      change("updateEndpoint", 7, { before: { url: "…" }, after: { url: "…", rate_limit: 5 } }),
      change("rotateSecret", 8),
      change("createEndpoint", 9, { after: { url: "…" } }),
    ];
    const health = { state: "disabled", since: iso(NOW - 2 * MINUTE_MS), reason: "gone" } as const;
    expect(endpointHistory({ health }, [], changes).map(said)).toEqual([
      "Ada resumed it.",
      "Hermod switched it off. It answered 410 Gone, and again a minute later or more.",
      "Ada paused it.",
      "Ada changed is_active.",
      "Ada changed url, rate_limit.",
      "Ada rotated its secret.",
      "Ada added it.",
    ]);
  });

  test("in a delivery names who asked for what, and does not name the key of a customer's portal", () => {
    const delivery = {
      status: "pending",
      sequence: null,
      created_at: iso(NOW - HALF_HOUR_MS),
      completed_at: null,
      attempts: [],
    } as unknown as DeliveryDetail;
    const actor = { kind: "portal", id: "key_1", name: "Backend", session_id: null } as const;
    const changes = [change("retryWebhook", 2), change("retryWebhook", 1, { actor })];
    expect(deliveryHistory(delivery, changes, NOW).map(said)).toEqual([
      "It was accepted.",
      "Ada asked for an attempt now.",
      "A customer in the portal asked for an attempt now.",
    ]);
  });
});

test("what waits in the processes is the sum of their reports", () => {
  const first = { attempts_waiting: 1_200, endpoints_due: 1, attempts_under_way: 9 };
  const second = { attempts_waiting: 99, outcomes_waiting: 0 };
  expect(queueWords([{ figures: first }, { figures: second }])).toBe(
    "1 endpoint is due, 1,299 attempts wait for a slot",
  );
  expect(queueWords([{ figures: { attempts_under_way: 9 } }])).toBe("Nothing waits in a process.");
});
