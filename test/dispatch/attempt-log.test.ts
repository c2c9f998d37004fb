import { expect, test } from "bun:test";
import { AttemptLog } from "../../src/dispatch/attempt-log";
import { fromText } from "../../src/domain/ids";
import type { Outcome } from "../../src/domain/outcome";
import { outcomeWith } from "../support/outcome";

const ID = "01k9x3v5q8e7bt2m4n6p8r0s2t";
const idOf = <P extends "wh" | "acc" | "ep">(prefix: P) => {
  const id = fromText(prefix, `${prefix}_${ID}`);
  if (id === null) throw new Error("no id");
  return id;
};

const RETRIED = outcomeWith({
  partition: 3,
  endpointId: idOf("ep"),
  accountId: idOf("acc"),
  sequence: 7,
  event: "order.paid",
  attemptCount: 1,
  attempt: {
    status: 503,
    location: "https://a-secret",
    durationMs: 12,
    responseBody: "a-secret",
  },
  verdict: { kind: "retry", afterMs: 1_043 },
  health: "failing",
});
const FAILED: Outcome = { ...RETRIED, verdict: { kind: "failed", nextAfterMs: null } };

function logged(share: number, outcomes: readonly Outcome[], traceparent: string | null = null): unknown[] {
  const lines: unknown[] = [];
  const log = { info: (line: unknown) => void lines.push(line) };
  const attemptLog = new AttemptLog({ log: log as never, share, random: () => 0.5 });
  for (const each of outcomes) attemptLog.ended(idOf("wh"), traceparent, each);
  return lines;
}

test("an attempt's line has its ids and its result, and nothing of its request and answer", () => {
  const lines = logged(1, [RETRIED]);
  expect(lines).toEqual([
    {
      delivery_id: `wh_${ID}`,
      account_id: `acc_${ID}`,
      endpoint_id: `ep_${ID}`,
      sequence: 7,
      event: "order.paid",
      attempt: 2,
      result: "retry",
      status: 503,
      error: null,
      error_detail: null,
      duration_ms: 12,
      retry_after_ms: 1_043,
    },
  ]);
  expect(JSON.stringify(lines)).not.toContain("secret");
});

test("a share of the attempts is logged, and every one that fails a delivery", () => {
  expect(logged(0.6, [RETRIED, FAILED])).toHaveLength(2);
  expect(logged(0.4, [RETRIED, FAILED])).toEqual([expect.objectContaining({ result: "failed" })]);
});

test("the line of a traced attempt names its span", () => {
  const [trace_id, span_id] = ["a".repeat(32), "b".repeat(16)];
  const [line] = logged(1, [RETRIED], `00-${trace_id}-${span_id}-01`);
  expect(line).toMatchObject({ trace_id, span_id });
});
