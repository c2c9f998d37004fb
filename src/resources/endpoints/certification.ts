import { type Static, Type } from "@sinclair/typebox";
import type { Call } from "../../api/call";
import type { FailureLimit } from "../../api/edge/failure-limit";
import { conflict, tooManyRequests, unavailable } from "../../api/errors";
import { idInPath, noSuch } from "../../api/ids";
import { formatInstant } from "../../api/lists/instant";
import { named, nullable, timestamp, words } from "../../api/openapi/schema";
import type { Posting } from "../../api/posting";
import type { Certified, Certifier } from "../../certification/certifier";
import {
  CHECK_OUTCOMES,
  CHECK_REASONS,
  CHECKS,
  type CheckResult,
  type JudgedAnswer,
  overallOutcome,
} from "../../certification/report";
import { mendOf, SENT, textOf } from "../../certification/report-text";
import { TRIALS } from "../../certification/trial";
import { RUN_MS } from "../../certification/trial-run";
import { type EndpointId, toText } from "../../domain/ids";
import { TRIAL_EVENT } from "../../domain/test-event";

/** Most certifications a minute of an account, in a process: each sends a megabyte to a URL of the account's choice. */
export const CERTIFICATIONS_PER_MINUTE = 6;

const CertificationAnswer = named(
  "CertificationAnswer",
  nullable(
    Type.Object(
      {
        status: Type.Integer({ description: "0 if there was no response." }),
        error: nullable(Type.String({ description: "As in an attempt." })),
        error_detail: nullable(Type.String({ description: "As in an attempt." })),
        location: nullable(
          Type.String({ description: "The redirect's target, which Hermod did not follow." }),
        ),
        duration_ms: Type.Integer(),
        tls_ms: nullable(Type.Integer({ description: "The TLS handshake; null without one." })),
      },
      { description: "The answer that decided; null if nothing was sent." },
    ),
  ),
);

const CertificationCheck = named(
  "CertificationCheck",
  Type.Object({
    check: words("CheckName", CHECKS),
    outcome: words("CheckOutcome", CHECK_OUTCOMES),
    reason: nullable(
      words("CheckReason", CHECK_REASONS, { description: "Why it did not pass; null if it passed." }),
    ),
    sent: nullable(Type.String({ description: "What was sent; null if the answers to others show it." })),
    answer: CertificationAnswer,
    text: Type.String({ description: "What the receiver did, in words." }),
    mend: nullable(Type.String({ description: "What to change at the receiver, in words." })),
    docs: nullable(Type.String({ description: "The page and section that say how." })),
  }),
);

export const Certification = named(
  "Certification",
  Type.Object({
    endpoint_id: Type.String(),
    started_at: timestamp(),
    duration_ms: Type.Integer(),
    outcome: words("CheckOutcome", CHECK_OUTCOMES, {
      description: "`failed` if a check failed, else `warning` if one has a warning, else `passed`.",
    }),
    checks: Type.Array(CertificationCheck, { description: "Always all checks, in the same order." }),
  }),
);

export const CERTIFICATION_EXAMPLE = {
  endpoint_id: "ep_01k9x3w7r2e5bt8m1n4p6r8s00",
  started_at: "2026-01-31T12:00:00.000Z",
  duration_ms: 240,
  outcome: "failed",
  checks: [
    viewOfCheck({
      check: "forged",
      outcome: "failed",
      reason: "accepted",
      answer: { status: 204, error: null, errorDetail: null, location: null, durationMs: 12, tlsMs: 31 },
    }),
  ],
} satisfies Static<typeof Certification>;

export const CERTIFICATION_DESCRIPTION = `
Sends up to ${TRIALS.length} trial requests to the endpoint's receiver, one after the other, and says what to mend: does it take a valid
webhook, the same one twice, JSON of any form, an unknown type and a large body, and refuse a forged, an unsigned and an old one?

Trials are no deliveries: they are not listed or counted, and change neither sequence nor health. They have the event type
\`${TRIAL_EVENT}\`, the header \`webhook-trial\` and the \`webhook-sequence\` 0. The endpoint's filter does not apply, and it may be
inactive. Only the valid trial is sent if the receiver does not accept it.

Takes at most ${RUN_MS / 1_000} s. An account may ask ${CERTIFICATIONS_PER_MINUTE} times a minute, and once at a time for an endpoint. An endpoint whose
receiver reads, or gets messages for people, is a 409: nothing verifies signatures there.`.trim();

export type Certifying = {
  posting: Posting;
  certifier: Certifier;
  /** The certifications of each account. */
  certifications: FailureLimit;
};

/** Certifies the endpoint in the path. */
export function certifyEndpoint(
  { posting, certifier, certifications }: Certifying,
  call: Call,
  endpointText: string,
  httpRequest: Request,
): Promise<Response> {
  const { accountId } = call.principal;
  return posting.handleApart(call, httpRequest, async () => {
    const id = idInPath("ep", endpointText);
    const waitSeconds = certifications.waitOf(accountId);
    if (waitSeconds !== null)
      throw tooManyRequests(`Too many certifications; try again in ${waitSeconds} s`, waitSeconds);
    certifications.count(accountId);
    const certified = await certifier.certify(accountId, id, call.hops);
    if (certified.kind !== "certified") throw refusalOf(certified.kind);
    return { status: 200, json: JSON.stringify(viewOf(id, certified)) };
  });
}

const BUSY_SECONDS = 5;

function refusalOf(kind: Exclude<Certified["kind"], "certified">): Error {
  switch (kind) {
    case "unknown":
      return noSuch("ep");
    case "no_verifier":
      return conflict(
        "A certification needs an endpoint whose receiver verifies: its delivery must be push, and its format not for people",
      );
    case "under_way":
      return conflict(`The endpoint is being certified; ask again within ${RUN_MS / 1_000} s`);
    case "busy":
      return tooManyRequests(
        `Too many certifications are under way; try again in ${BUSY_SECONDS} s`,
        BUSY_SECONDS,
      );
    case "own_failure":
      return unavailable();
  }
}

function viewOf(
  id: EndpointId,
  { startedAt, durationMs, results }: Extract<Certified, { kind: "certified" }>,
): Static<typeof Certification> {
  return {
    endpoint_id: toText("ep", id),
    started_at: formatInstant(startedAt),
    duration_ms: durationMs,
    outcome: overallOutcome(results),
    checks: results.map(viewOfCheck),
  };
}

function viewOfCheck(result: CheckResult): Static<typeof CertificationCheck> {
  const { check, outcome, reason, answer } = result;
  const mend = mendOf(result);
  return {
    check,
    outcome,
    reason,
    sent: SENT[check],
    answer: answer && viewOfAnswer(answer),
    text: textOf(result),
    mend: mend?.text ?? null,
    docs: mend && `docs/receiving.md#${mend.docs}`,
  };
}

function viewOfAnswer({ status, error, errorDetail, location, durationMs, tlsMs }: JudgedAnswer) {
  return { status, error, error_detail: errorDetail, location, duration_ms: durationMs, tls_ms: tlsMs };
}
