import {
  type CheckName,
  type CheckReason,
  type CheckResult,
  type JudgedAnswer,
  SLOW_ANSWER_MS,
} from "./report";
import { LARGE_BYTES, OLD_SECONDS } from "./trial";

/** What is sent for each check; null if the answers to others show it. */
export const SENT: Readonly<Record<CheckName, string | null>> = {
  valid: "A webhook with a valid signature",
  forged: "A webhook signed with a secret that nobody has",
  unsigned: "A webhook without webhook-signature",
  old_timestamp: `A webhook signed ${OLD_SECONDS / 60} minutes ago`,
  duplicate: "The valid webhook again, with the same webhook-id",
  exact_bytes: "JSON with blanks, escapes and a number above 2^53",
  unknown_type: "An event of a type that no receiver knows",
  large: `A payload of ${LARGE_BYTES / 1_024} KiB`,
  out_of_order: null,
  speed: null,
  tls: null,
};

/** Says what a receiver did. */
export function textOf({ check, reason, answer }: CheckResult): string {
  if (check === "tls" && reason === null) return "The connection is encrypted, and the certificate is valid";
  if (answer === null || reason === "plain_http") return WITHOUT_ANSWER[reason ?? "out_of_time"] ?? "";
  if (check === "speed") return `The slowest answer took ${answer.durationMs.toLocaleString("en")} ms`;
  if (check === "out_of_order")
    return `Answered ${answer.status} to the number 0, which is below those of all deliveries`;
  return answered(answer);
}

const WITHOUT_ANSWER: Readonly<Partial<Record<CheckReason, string>>> = {
  after_failure: "Not tried, since the valid webhook was not accepted",
  out_of_time: "Not tried, since the time was up",
  no_deliveries: "Not tried, since the endpoint has had no delivery yet",
  plain_http: "The URL begins with http: nothing is encrypted",
};

function answered({ status, error, errorDetail, location, durationMs }: JudgedAnswer): string {
  const time = `after ${durationMs.toLocaleString("en")} ms`;
  const to = location === null ? "" : `, which leads to ${location}`;
  if (status > 0) return `Answered ${status} ${time}${to}`;
  return `No answer ${time}: ${[error, errorDetail].filter((each) => each !== null).join(", ")}`;
}

/** What to change at the receiver. `docs`: the section of docs/receiving.md that says how. */
export type Mend = Readonly<{ text: string; docs: string }>;

const IF_CRASHED: Mend = {
  text: "Answer 401: your verification seems to fail with an exception",
  docs: "verifying",
};

const VERIFY: Mend = { text: "Verify every request, since anybody can send to your URL", docs: "verifying" };

/** By the reason alone, unless the check has its own. */
const MENDS: Readonly<Partial<Record<CheckReason, Mend>>> = {
  redirected: {
    text: "Register the URL to which it redirects, since Hermod follows no redirect",
    docs: "tls-and-redirects",
  },
  unanswered: { text: "Look up the error, and mend its cause", docs: "when-nothing-arrives" },
  accepted: VERIFY,
  crashed: IF_CRASHED,
  slow: {
    text: `Store the webhook, answer 2xx within ${SLOW_ANSWER_MS / 1_000} s, and do the work afterwards`,
    docs: "what-to-answer",
  },
  plain_http: {
    text: "Use https, unless the receiver is on the same machine or in a network that you trust",
    docs: "tls-and-redirects",
  },
  not_trusted: {
    text: "Mend the certificate or the protocol that the error names",
    docs: "tls-and-redirects",
  },
  no_deliveries: { text: "Send a test event, and certify the endpoint again", docs: "order" },
};

/** By the check, if the receiver answered otherwise than expected. */
const OWN_MENDS: Readonly<Partial<Record<CheckName, Mend>>> = {
  valid: {
    text: "Verify the bytes of the body as they came, with this endpoint's secret, and answer 2xx to every type of event",
    docs: "verifying",
  },
  old_timestamp: {
    text: "Refuse a webhook-timestamp that is over five minutes old, since a captured request can be sent again",
    docs: "verifying",
  },
  duplicate: {
    text: "Answer 2xx to a webhook-id that came before, and skip its work",
    docs: "more-than-once",
  },
  exact_bytes: {
    text: "Verify the bytes of the body as they came: JSON that is parsed and written again may differ",
    docs: "verifying",
  },
  unknown_type: {
    text: "Answer 2xx to a type of event that you don't know, and skip its work",
    docs: "what-to-answer",
  },
  large: {
    text: "Take bodies of up to 2 MiB, in the receiver and in each proxy in front of it",
    docs: "what-arrives",
  },
};

/** Returns what to change; null for a check that passed, or would be tried if another passed. */
export function mendOf({ check, reason }: CheckResult): Mend | null {
  if (reason === null) return null;
  const hasOwn = reason === "refused" || (reason === "accepted" && check === "old_timestamp");
  return (hasOwn ? OWN_MENDS[check] : MENDS[reason]) ?? null;
}
