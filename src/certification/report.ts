import type { Exchange } from "../attempt/exchange";
import { TRIALS, type TrialName, trialOf } from "./trial";

/** What a certification checks: the answer to each trial, and what the answers show together. */
export const CHECKS = [...TRIALS, "out_of_order", "speed", "tls"] as const;
export type CheckName = (typeof CHECKS)[number];

export const CHECK_OUTCOMES = ["passed", "warning", "failed", "not_tried"] as const;
export type CheckOutcome = (typeof CHECK_OUTCOMES)[number];

/** Why a check did not pass. */
export const CHECK_REASONS = [
  "refused",
  "redirected",
  "unanswered",
  "accepted",
  "crashed",
  "slow",
  "plain_http",
  "not_trusted",
  "after_failure",
  "out_of_time",
  "no_deliveries",
] as const;
export type CheckReason = (typeof CHECK_REASONS)[number];

/** The part of an exchange that a report depends on. */
export type JudgedAnswer = Readonly<
  Pick<Exchange, "status" | "error" | "errorDetail" | "location" | "durationMs"> & { tlsMs: number | null }
>;

export type CheckResult = Readonly<{
  check: CheckName;
  outcome: CheckOutcome;
  /** Null if it passed. */
  reason: CheckReason | null;
  /** Null if nothing was sent for it. */
  answer: JudgedAnswer | null;
}>;

/** What was learned of a receiver. */
export type TrialFacts = Readonly<{
  url: string;
  /** True if deliveries with a number have been accepted for the endpoint. */
  hasDeliveries: boolean;
  answers: ReadonlyMap<TrialName, JudgedAnswer>;
}>;

/** An answer that takes longer earns a warning: an ordered endpoint gets nothing else meanwhile. */
export const SLOW_ANSWER_MS = 3_000;

/** Judges a receiver by its answers. */
export function judgeReceiver(facts: TrialFacts): CheckResult[] {
  return CHECKS.map((check) => {
    if (check === "out_of_order") return ofOrder(facts);
    if (check === "speed") return ofSpeed(facts);
    return check === "tls" ? ofTls(facts) : ofTrial(check, facts.answers);
  });
}

/** Returns the worst outcome of the checks. */
export function overallOutcome(results: readonly CheckResult[]): CheckOutcome {
  const has = (wanted: CheckOutcome) => results.some(({ outcome }) => outcome === wanted);
  if (has("failed")) return "failed";
  return has("warning") ? "warning" : "passed";
}

/** True for an answer that delivers a webhook. */
export function isAcceptance({ status }: JudgedAnswer): boolean {
  return status >= 200 && status < 300;
}

type CheckVerdict = Pick<CheckResult, "outcome" | "reason">;

const PASSED: CheckVerdict = { outcome: "passed", reason: null };

function ofTrial(check: TrialName, answers: TrialFacts["answers"]): CheckResult {
  const answer = answers.get(check) ?? null;
  if (answer === null) return { check, ...notTried(answers), answer };
  const verdict = trialOf(check).expects === "acceptance" ? onAcceptance(answer) : onRefusal(answer);
  return { check, ...verdict, answer };
}

/** After a refusal of the valid webhook, answers to others say nothing: a receiver that refuses all would pass. */
function notTried(answers: TrialFacts["answers"]): CheckVerdict {
  const valid = answers.get("valid");
  const isOutOfTime = valid === undefined || isAcceptance(valid);
  return { outcome: "not_tried", reason: isOutOfTime ? "out_of_time" : "after_failure" };
}

function onAcceptance(answer: JudgedAnswer): CheckVerdict {
  if (isAcceptance(answer)) return PASSED;
  if (answer.status === 0) return { outcome: "failed", reason: "unanswered" };
  const isRedirect = answer.status >= 300 && answer.status < 400;
  return { outcome: "failed", reason: isRedirect ? "redirected" : "refused" };
}

function onRefusal(answer: JudgedAnswer): CheckVerdict {
  if (isAcceptance(answer)) return { outcome: "failed", reason: "accepted" };
  if (answer.status >= 400 && answer.status < 500) return PASSED;
  return { outcome: "warning", reason: answer.status === 0 ? "unanswered" : "crashed" };
}

/** Trials have the number 0, which is below the number of every delivery. */
function ofOrder({ answers, hasDeliveries }: TrialFacts): CheckResult {
  const valid = answers.get("valid");
  const check = "out_of_order";
  if (!hasDeliveries) return { check, outcome: "not_tried", reason: "no_deliveries", answer: null };
  if (valid && isAcceptance(valid)) return { check, ...PASSED, answer: valid };
  return { check, ...notTried(answers), answer: null };
}

function ofSpeed({ answers }: TrialFacts): CheckResult {
  const answered = [...answers.values()].filter(({ status }) => status > 0);
  const slowest = answered.toSorted((a, b) => b.durationMs - a.durationMs).at(0);
  const check = "speed";
  if (!slowest) return { check, ...notTried(answers), answer: null };
  const isSlow = slowest.durationMs >= SLOW_ANSWER_MS;
  return { check, ...(isSlow ? { outcome: "warning", reason: "slow" } : PASSED), answer: slowest };
}

function ofTls({ url, answers }: TrialFacts): CheckResult {
  const check = "tls";
  const answer = answers.get("valid") ?? null;
  if (!url.startsWith("https:")) return { check, outcome: "warning", reason: "plain_http", answer };
  if (answer?.error === "tls") return { check, outcome: "failed", reason: "not_trusted", answer };
  const hasConnected = answer !== null && (answer.status > 0 || answer.tlsMs !== null);
  return hasConnected ? { check, ...PASSED, answer } : { check, ...notTried(answers), answer: null };
}
