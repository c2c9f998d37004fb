import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Endpoint, WaitingFor } from "../../../src/client/types";
import {
  type AnswerFacts,
  countedSentence,
  waitSentences,
  waitsOf,
} from "../../../src/console/console/answer-sentences";
import { filterSentences, healthSentences } from "../../../src/console/console/endpoint-sentences";
import { attentionWords, headlineOf, healthWords } from "../../../src/console/console/overview-sentences";
import { isUnderWay, sendingWords, waitWords } from "../../../src/console/console/words";
import { readingSentence } from "../../../src/console/pages/reading-sentence";
import { waitingSentence } from "../../../src/console/pages/waiting-sentence";
import {
  isNothingSent,
  filterSentences as portalFilterSentences,
  healthSentences as portalSentences,
} from "../../../src/console/portal/health-sentences";
import { textsFor } from "../../../src/console/portal/texts";
import { isUtc } from "../../../src/console/shared/format";
import { plainText, type Sentence } from "../../../src/console/shared/sentence";
import {
  falsehoodOfCount,
  falsehoodOfWait,
  headIn,
  pendingInOrder,
  type StoredDelivery,
  type Truth,
} from "./claims";

isUtc.value = true;
const NOW = Date.parse("2026-01-31T12:00:00.000Z");
const iso = (at: number) => new Date(at).toISOString();
const said = (sentence: Sentence) => plainText([sentence], NOW);

const HEALTHY: Endpoint["health"] = {
  state: "healthy",
  since: null,
  failing_since: null,
  blocked_by: null,
  reason: null,
  last_success_at: null,
  last_read_at: null,
  last_failure: null,
  filter_errors: null,
  pending: 0,
  oldest_pending_at: null,
  complete_up_to: 0,
};

const stored = fc.record({
  status: fc.constantFrom("pending", "pending", "delivered", "failed", "cancelled"),
  key: fc.constantFrom(null, "a", "b"),
  attempts: fc.constantFrom(0, 1, 2),
  lastStatus: fc.constantFrom(0, 404, 500, 503),
  isShown: fc.boolean(),
});
const endpointState = fc.record({
  ordering: fc.constantFrom("ordered", "by_key", "unordered"),
  isActive: fc.constantFrom(true, true, false),
  isPulled: fc.boolean(),
  rests: fc.constantFrom(false, false, true),
  deliveries: fc.array(stored, { maxLength: 8 }),
});

/** Random endpoints with deliveries, of which a filter shows some. Only the first of an order has had attempts. */
const truths = fc.array(endpointState, { minLength: 1, maxLength: 4 }).map((states): Truth => {
  const shown = new Set<string>();
  const endpoints = states.map(({ deliveries: _, ...rest }, i) => ({
    id: `ep_${i}`,
    name: `Shop ${i}`,
    ...rest,
    rests: rest.rests && !rest.isPulled,
  }));
  const deliveries = states.flatMap(({ deliveries }, i) =>
    deliveries.map(({ isShown, attempts, lastStatus, ...rest }, n): StoredDelivery => {
      const id = `wh_${i}_${n}`;
      if (isShown) shown.add(id);
      const tried = rest.status === "delivered" ? 1 : attempts;
      return {
        id,
        endpointId: `ep_${i}`,
        sequence: n + 1,
        ...rest,
        attempts: tried,
        lastStatus: rest.status === "delivered" ? 200 : tried > 0 ? lastStatus : null,
      };
    }),
  );
  const truth = { endpoints, deliveries, shown };
  const isUntried = (each: StoredDelivery) =>
    each.status === "pending" && headIn(truth, each)?.id !== each.id;
  return {
    ...truth,
    deliveries: deliveries.map((each) =>
      isUntried(each) ? { ...each, attempts: 0, lastStatus: null } : each,
    ),
  };
});

/** What the API answers for a stored pending delivery. */
function waitingFor(truth: Truth, delivery: StoredDelivery): WaitingFor {
  const endpoint = truth.endpoints.find(({ id }) => id === delivery.endpointId);
  const [head, ...behind] = pendingInOrder(truth, delivery);
  if (!endpoint?.isActive) return { reason: "pause" };
  const until = iso(NOW + 60_000);
  const isHead = !head || head.id === delivery.id;
  if (endpoint.isPulled && (isHead || endpoint.ordering === "ordered") && (head ?? delivery).attempts === 0)
    return { reason: "receiver", ...(delivery.key !== null && { acknowledge_by: until }) };
  if (isHead) {
    if (endpoint.rests) return { reason: "rest", until };
    return delivery.attempts > 0 ? { reason: "retry", until } : { reason: "attempt" };
  }
  return {
    reason: "turn",
    ahead: { count: 1 + behind.findIndex(({ id }) => id === delivery.id), complete: true },
    in_front: {
      id: head.id,
      sequence: head.sequence ?? 0,
      since: null,
      next_attempt_at: head.attempts > 0 || endpoint.rests ? until : null,
      attempt_count: head.attempts,
      response_status: head.lastStatus,
    },
  };
}

function factsOf(truth: Truth): AnswerFacts {
  const rows = truth.deliveries
    .filter(({ id }) => truth.shown.has(id))
    .map((each) => ({
      id: each.id,
      endpoint_id: each.endpointId,
      event: null,
      status: each.status,
      attempt_count: each.attempts,
      response_status: each.lastStatus,
      created_at: iso(NOW),
      sequence: each.sequence,
      ...(each.status === "pending" && { waiting_for: waitingFor(truth, each) }),
    }));
  const endpoints = truth.endpoints.map(
    ({ id, name, isPulled }) =>
      ({
        id,
        description: name,
        url: isPulled ? null : "https://a.example",
        delivery: isPulled ? "pull" : "push",
        health: HEALTHY,
      }) as Endpoint,
  );
  return { rows, isWhole: true, counted: null, endpoints };
}

describe("the answer to a filter", () => {
  test("counts the deliveries of the filter", () => {
    fc.assert(
      fc.property(truths, (truth) => {
        fc.pre(truth.shown.size > 0);
        expect(falsehoodOfCount(truth, countedSentence(factsOf(truth)))).toBeNull();
      }),
    );
  });

  test("says of each endpoint what is true of the deliveries of the filter", () => {
    fc.assert(
      fc.property(truths, (truth) => {
        const facts = factsOf(truth);
        for (const sentence of waitSentences(waitsOf(facts), true)) {
          const text = said(sentence);
          expect([text, falsehoodOfWait(truth, text)]).toEqual([text, null]);
        }
      }),
      { numRuns: 1_000, includeErrorInReport: true },
    );
  });

  test("names every endpoint that holds back a delivery of the filter", () => {
    fc.assert(
      fc.property(truths, (truth) => {
        const facts = factsOf(truth);
        const pending = new Set(
          facts.rows.filter((row) => row.status === "pending").map((row) => row.endpoint_id),
        );
        expect(new Set(waitsOf(facts).map(({ endpoint }) => endpoint.id))).toEqual(pending);
      }),
    );
  });

  test("says nothing of an endpoint whose deliveries have all ended", () => {
    const delivered = {
      id: "wh_1",
      endpointId: "ep_0",
      sequence: 1,
      key: null,
      status: "delivered",
    } as const;
    const waiting = {
      ...delivered,
      id: "wh_2",
      sequence: 2,
      status: "pending",
      attempts: 3,
      lastStatus: 500,
    } as const;
    const truth: Truth = {
      endpoints: [
        {
          id: "ep_0",
          name: "Order service",
          ordering: "ordered",
          isActive: true,
          isPulled: false,
          rests: false,
        },
      ],
      deliveries: [{ ...delivered, attempts: 1, lastStatus: 200 }, waiting],
      shown: new Set(["wh_1"]),
    };
    const facts = factsOf(truth);
    expect(countedSentence(facts)).toBe("1 delivery, delivered.");
    expect(waitSentences(waitsOf(facts), true)).toEqual([]);
  });

  test("counts only what it knows", () => {
    const rows = factsOf(
      fc.sample(
        truths.filter(({ shown }) => shown.size > 3),
        1,
      )[0] as Truth,
    ).rows;
    const facts = { rows, isWhole: false, counted: null, endpoints: [] };
    expect(countedSentence(facts)).toStartWith(`The ${rows.length} shown: `);
    const counts = { delivered: 1_000, failed: 0, pending: 0, cancelled: 0 };
    const counted = { counts, isExact: false };
    expect(countedSentence({ ...facts, counted })).toBe("The newest 1,000 deliveries, all delivered.");
    expect(countedSentence({ ...facts, counted: { counts, isExact: true } })).toBe(
      "1,000 deliveries, all delivered.",
    );
  });
});

test.each([
  [{ count: 1_298, complete: true }, "1,298 in front"],
  [{ count: 1, complete: true }, "1 in front"],
  [{ count: 1_000, complete: false }, "at least 1,000 in front"],
])("a delivery with %j in front waits for them", (ahead, words) => {
  const front = {
    id: "wh_1",
    sequence: 1,
    since: null,
    next_attempt_at: null,
    attempt_count: 0,
    response_status: null,
  };
  expect(waitWords({ reason: "turn", ahead, in_front: front })).toBe(words);
});

test("a backlog whose first delivery is under way, or has just ended, is being sent", () => {
  expect(isUnderWay({ waiting_for: { reason: "attempt" } })).toBeTrue();
  expect(isUnderWay({})).toBeTrue();
  for (const reason of ["retry", "rest", "pause", "turn"] as const)
    expect(isUnderWay({ waiting_for: { reason } })).toBeFalse();
  expect([sendingWords(3), sendingWords(1_000)]).toEqual(["Sending, 3 left", "Sending, 1,000+ left"]);
});

test("a delivery without an order holds nothing back", () => {
  const delivery = {
    sequence: 3,
    behind: 0,
    behind_complete: true,
    waiting_for: { reason: "retry" },
  } as never;
  expect(waitingSentence(delivery, { ordering: "unordered" })).toBe("It waits for its next attempt.");
  expect(waitingSentence(delivery, { ordering: "ordered" })).toEndWith("Nothing waits behind it.");
});

test.each([
  ["en", 1, "The limit of your endpoint, 1 attempt a second, is used up."],
  ["en", 0.5, "The limit of your endpoint, 1 attempt in 2 s, is used up."],
  ["de", 1, "Die Grenze Ihres Endpunkts, 1 Versuch in der Sekunde, ist erreicht."],
  ["de", 0.5, "Die Grenze Ihres Endpunkts, 1 Versuch in 2 s, ist erreicht."],
])("a customer reads in %s that a limit of %d is used up", (language, limit, sentence) => {
  const { waits } = textsFor([language]).texts;
  expect(waits.rate_limit({ reason: "rate_limit", rate_limit: limit }, {})).toBe(sentence);
});

describe("the headline of the overview", () => {
  const item = fc.record({ late: fc.boolean(), truePending: fc.integer({ min: 1, max: 3_000 }) });
  const health = fc.constantFrom("healthy", "failing", "blocked", "disabled", "paused");

  test("is true of the backlog, of which it may know a part", () => {
    const states = fc.record({
      items: fc.array(item, { maxLength: 5 }),
      unread: fc.array(item, { maxLength: 3 }),
      healths: fc.array(health),
    });
    fc.assert(
      fc.property(states, ({ items, unread, healths }) => {
        const all = [...items, ...unread];
        const endpoints = [...healths, ...all.map(() => "healthy" as const)].map((state) => ({
          health: { ...HEALTHY, state },
        }));
        const words = headlineOf(endpoints, {
          items: items.map(({ late, truePending }) => ({ late, pending: Math.min(truePending, 1_000) })),
          isComplete: unread.length === 0,
        });
        const late = all.filter((each) => each.late);
        const pending = late.reduce((sum, { truePending }) => sum + truePending, 0);
        const [, leastOf, endpointsSaid] = /(At least )?(\d+) endpoints? (?:is|are) late/.exec(words) ?? [];
        const [, least, deliveriesSaid] = /(at least )?([\d,]+) deliver\w+ waits? there/.exec(words) ?? [];
        if (endpointsSaid) {
          if (leastOf) expect(Number(endpointsSaid)).toBeLessThanOrEqual(late.length);
          else expect(Number(endpointsSaid)).toBe(late.length);
          const said = Number(deliveriesSaid?.replaceAll(",", ""));
          if (least) expect(said).toBeLessThanOrEqual(pending);
          else expect(said).toBe(pending);
        }
        if (/nothing is late/i.test(words)) expect(late).toEqual([]);
        if (/All others are on time/.test(words)) expect(Number(endpointsSaid)).toBe(late.length);
      }),
    );
  });

  test("says nothing of lateness if it knows no deliveries", () => {
    expect(headlineOf([{ health: HEALTHY }], null)).toBe("No endpoint needs attention.");
  });
});

test("the number of healthy and of paused endpoints is true of any endpoints", () => {
  const state = fc.constantFrom("healthy", "failing", "blocked", "disabled", "paused");
  fc.assert(
    fc.property(fc.array(state, { minLength: 1, maxLength: 9 }), (states) => {
      const words = healthWords(states.map((each) => ({ health: { ...HEALTHY, state: each } })));
      const said = /^(\d) of (\d) endpoints? (?:is|are) healthy\.(?: (\d) (?:is|are) paused\.)?$/.exec(words);
      const number = (of: string) => states.filter((each) => each === of).length;
      expect(said?.slice(1, 4).map((each) => Number(each ?? 0))).toEqual([
        number("healthy"),
        states.length,
        number("paused"),
      ]);
    }),
  );
});

test("what all accounts' overview says is true of the endpoints, also of those that were not read", () => {
  const account = fc.constantFrom("acc_1", "acc_2", "acc_3");
  fc.assert(
    fc.property(fc.array(account, { maxLength: 6 }), fc.array(account, { maxLength: 3 }), (read, unread) => {
      const words = attentionWords(
        read.map((account_id) => ({ account_id })),
        unread.length === 0 || read.length === 0,
      );
      const [, least, number = "0", accounts = "0"] =
        /^(At least )?(\d+) endpoints? of (\d+) accounts? needs? attention\.$/.exec(words) ?? [];
      if (read.length === 0) return expect(words).toBe("No endpoint needs attention.");
      const all = [...read, ...unread];
      const truth = [all.length, new Set(all).size];
      if (least) {
        expect(Number(number)).toBeLessThanOrEqual(truth[0] ?? 0);
        expect(Number(accounts)).toBeLessThanOrEqual(truth[1] ?? 0);
      } else expect([Number(number), Number(accounts)]).toEqual(truth);
    }),
  );
});

describe("what is said of an endpoint's health", () => {
  const attempt = fc.record({
    status: fc.constantFrom(0, 200, 500, 503),
    head: fc.integer({ min: 1, max: 3 }),
  });

  /** The health after these attempts, a second apart, at the heads of three keys; the first key is blocked if it failed twice. */
  function healthAfter(attempts: readonly { status: number; head: number }[]): Endpoint["health"] {
    const at = (n: number) => iso(NOW - 60_000 + n * 1_000);
    const isGood = ({ status }: { status: number }) => status === 200;
    const lastGood = attempts.findLastIndex(isGood);
    const firstBad = lastGood + 1 < attempts.length ? lastGood + 1 : null;
    const failureAt = (n: number) => ({
      at: at(n),
      status: attempts[n]?.status ?? 0,
      error: null,
      error_detail: null,
    });
    const lastBad = attempts.findLastIndex((each) => !isGood(each));
    const ofFirst = attempts.flatMap((each, n) => (each.head === 1 ? [{ ...each, n }] : []));
    const isBlocked = ofFirst.length > 1 && !ofFirst.some(isGood);
    const first = ofFirst[0]?.n ?? 0;
    const failing_since = firstBad === null ? null : at(firstBad);
    return {
      ...HEALTHY,
      state: isBlocked ? "blocked" : failing_since ? "failing" : "healthy",
      since: isBlocked ? at(first) : failing_since,
      failing_since,
      last_failure: lastBad < 0 ? null : failureAt(lastBad),
      blocked_by: isBlocked
        ? {
            id: "wh_1",
            sequence: 1,
            ordering_key: "a",
            attempt_count: ofFirst.length,
            last_attempt: failureAt(ofFirst.at(-1)?.n ?? 0),
          }
        : null,
      pending: isBlocked ? 1 : 0,
    };
  }

  const t = textsFor(["en"]).texts;
  const timeOf = (text: string | undefined) => Date.parse(`2026-01-31T${text}Z`);
  const ENDPOINT = { ordering: "by_key", while_inactive: "hold" } as const;
  const WAYS = ["push", "pull"] as const;

  test("is true of its attempts: who failed, since when, and with which answer", () => {
    fc.assert(
      fc.property(fc.array(attempt, { maxLength: 8 }), fc.constantFrom(...WAYS), (attempts, delivery) => {
        const health = healthAfter(attempts);
        const endpoint = { ...ENDPOINT, delivery, health };
        const made = attempts.map((each, n) => ({ ...each, at: NOW - 60_000 + n * 1_000 }));
        const inConsole = plainText(healthSentences(endpoint), NOW);
        const inPortal = plainText(portalSentences(endpoint, t, NOW), NOW);
        const everyFailed = [
          /Every attempt since ([\d:]+) has failed, most recently ([\d:]+): (\w+)/.exec(inConsole),
          /No request to your server has succeeded since ([\d:]+)/.exec(inPortal),
          /Your server has acknowledged nothing since ([\d:]+)/.exec(inPortal),
        ];
        expect(/No request|sent again/.test(inPortal) && delivery === "pull").toBeFalse();
        expect(/acknowledged|read/.test(inPortal) && delivery === "push").toBeFalse();
        for (const claim of everyFailed.filter((each) => each !== null)) {
          expect(made.filter(({ at, status }) => at >= timeOf(claim[1]) && status === 200)).toEqual([]);
          if (claim[2] === undefined) continue;
          expect(timeOf(claim[2])).toBe(made.at(-1)?.at ?? 0);
          expect(claim[3]).toBe(made.at(-1)?.status === 0 ? "no" : String(made.at(-1)?.status));
        }
        const held =
          /#1 with the key a has been tried since ([\d:]+) and .* Its last attempt, ([\d:]+): (\w+)/.exec(
            inConsole,
          );
        const ofFirst = made.filter(({ head }) => head === 1);
        if (held) {
          expect(ofFirst.some(({ status }) => status === 200)).toBeFalse();
          expect([timeOf(held[1]), timeOf(held[2])]).toEqual([ofFirst[0]?.at ?? 0, ofFirst.at(-1)?.at ?? 0]);
          expect(held[3]).toBe(ofFirst.at(-1)?.status === 0 ? "no" : String(ofFirst.at(-1)?.status));
        }
        if (health.failing_since === null)
          expect(inConsole + inPortal).not.toMatch(/Every attempt|No request|acknowledged/);
      }),
      { numRuns: 500 },
    );
  });

  test("says how often the filter failed, and shows the error unless it is hidden", () => {
    const errors = {
      since: iso(NOW - 2_000),
      count: 3,
      last_at: iso(NOW),
      event_id: "evt_1",
      webhook_id: null,
    };
    const words = (last_error: string | null, n = 3) => {
      const health = { ...HEALTHY, filter_errors: { ...errors, count: n, last_error } };
      return [
        plainText(filterSentences({ health }), NOW),
        plainText(portalFilterSentences({ health }, t), NOW),
      ];
    };
    expect(words("divide by zero")).toEqual([
      "Since 11:59:58, the filter has failed for 3 events, which it left out. The last time was 12:00:00: divide by zero.",
      "Since 11:59:58, your filter has failed for 3 events, which it left out. Its last error: divide by zero",
    ]);
    expect(words(null, 1)).toEqual([
      "Since 11:59:58, the filter has failed for 1 event, which it left out. The last time was 12:00:00.",
      "Since 11:59:58, your filter has failed for 1 event, which it left out.",
    ]);
    expect(filterSentences({ health: HEALTHY })).toEqual([]);
  });

  test("keeps what is sent while paused apart from what is skipped", () => {
    const health = { ...HEALTHY, state: "paused", since: iso(NOW), pending: 1_000 } as const;
    const words = (while_inactive: "hold" | "skip") =>
      plainText(
        portalSentences({ ordering: "ordered", delivery: "push", while_inactive, health }, t, NOW),
        NOW,
      );
    expect(words("hold")).toBe(
      "Paused since 12:00:00. Events are kept meanwhile. 1,000+ events are not delivered yet. They follow once you resume.",
    );
    expect(words("skip")).toContain("New events are skipped meanwhile.");
  });
});

test("nothing was sent only if no endpoint ever got a delivery", () => {
  const endpoint = (pending: number, complete_up_to: number) => ({
    health: { ...HEALTHY, pending, complete_up_to },
  });
  expect(isNothingSent([endpoint(0, 0), endpoint(0, 0)])).toBeTrue();
  for (const other of [endpoint(1, 0), endpoint(0, 7)])
    expect(isNothingSent([endpoint(0, 0), other])).toBeFalse();
  expect(isNothingSent([])).toBeFalse();
});

test("the line about a receiver that reads has the time since it read, and what waits", () => {
  const ago = fc.option(fc.integer({ min: -2_000, max: 59_000 }));
  fc.assert(
    fc.property(ago, fc.nat(1_000), fc.constantFrom("push", "pull"), (agoMs, pending, delivery) => {
      const last_read_at = agoMs === null ? null : iso(NOW - agoMs);
      const words = readingSentence({ delivery, health: { ...HEALTHY, last_read_at, pending } }, NOW);
      if (delivery === "push") return expect(words).toBeNull();
      const [, read = "", waiting] =
        /^(Never read|Last read \d+ s ago), ([\d,]+)\+? waiting\.$/.exec(words ?? "") ?? [];
      expect(waiting?.replace(",", "")).toBe(String(pending));
      expect(read === "Never read").toBe(agoMs === null);
      const seconds = Number(/\d+/.exec(read)?.[0] ?? 0);
      if (agoMs !== null) expect(Math.abs(seconds * 1_000 - Math.max(1_000, agoMs))).toBeLessThanOrEqual(500);
    }),
  );
});
