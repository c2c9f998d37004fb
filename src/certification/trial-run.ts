import type { Exchange } from "../attempt/exchange";
import type { Exchanger } from "../attempt/exchanger";
import { webhookHeaders, webhookIdOf } from "../attempt/webhook-request";
import { bodyInForm, headersInForm, type MessageWriters } from "../dispatch/body-form";
import { type EndpointView, secretsAt } from "../dispatch/endpoint";
import { type AccountId, type DeliveryId, type EndpointId, newId } from "../domain/ids";
import type { PendingDelivery } from "../domain/pending-delivery";
import { newSigningSecret } from "../endpoints/signing-secret";
import type { Clock } from "../runtime/clock";
import { isAcceptance, type JudgedAnswer } from "./report";
import { TRIALS, type TrialName, type TrialRequest, trialOf } from "./trial";

/** Time limits of a run, in milliseconds. Clients wait 30 s for the answer of the API. */
export const RUN_MS = 25_000;
export const TRIAL_MS = 15_000;

export type TrialRunOptions = Readonly<{
  exchanger: Pick<Exchanger, "exchange">;
  messages: MessageWriters;
  clock: Clock;
  /** The time limit of attempts at endpoints that have none of their own. */
  attemptTimeoutMs: number;
}>;

export type TriedEndpoint = Readonly<{ accountId: AccountId; endpointId: EndpointId; view: EndpointView }>;

export type TrialAnswers = ReadonlyMap<TrialName, JudgedAnswer>;

/**
 * Sends the trials one after the other, only the first if it is not accepted. Returns the answers that came in time. `hops`: the
 * number of deliveries that led to the run.
 */
export async function runTrials(
  options: TrialRunOptions,
  endpoint: TriedEndpoint,
  hops: number,
): Promise<TrialAnswers | "own_failure"> {
  const { clock } = options;
  const began = clock.monotonic();
  const answers = new Map<TrialName, JudgedAnswer>();
  const firstId = newId("wh", hops);
  for (const name of TRIALS) {
    const trial = trialOf(name);
    const id = trial.isRepeat || name === "valid" ? firstId : newId("wh", hops);
    const leftMs = RUN_MS - (clock.monotonic() - began);
    const answer = await send(options, endpoint, trial, id, leftMs);
    if (answer === "own_failure") return answer;
    if (answer === "out_of_time") break;
    answers.set(name, answer);
    if (name === "valid" && !isAcceptance(answer)) break;
  }
  return answers;
}

/** `out_of_time`: the time of the run ended before that of the trial. */
async function send(
  { exchanger, messages, clock, attemptTimeoutMs }: TrialRunOptions,
  { accountId, endpointId, view }: TriedEndpoint,
  trial: TrialRequest,
  id: DeliveryId,
  leftMs: number,
): Promise<JudgedAnswer | "own_failure" | "out_of_time"> {
  const trialMs = Math.min(view.timeoutMs ?? attemptTimeoutMs, TRIAL_MS);
  const timeoutMs = Math.min(trialMs, leftMs);
  if (timeoutMs <= 0) return "out_of_time";
  const delivery = deliveryOf(trial, id, accountId);
  const result = await exchanger.exchange(
    {
      owner: { account: accountId, endpoint: endpointId, isFailing: false },
      url: view.url,
      headers: (body) => headersOf(trial, delivery, endpointId, view, body, clock.now()),
      body: bodyInForm(delivery, endpointId, view, messages, trial.data),
      timeoutMs,
      guard: ALWAYS,
    },
    { account: accountId, speed: "new" },
  );
  if (result.kind !== "exchanged") return "own_failure";
  const { exchange } = result;
  const isCut = exchange.error === "timeout" && timeoutMs < trialMs;
  return isCut ? "out_of_time" : judgedPartOf(exchange);
}

const ALWAYS = { stillWanted: () => true, tryStart: () => true };

/** Makes a delivery that is sent and not stored. No real one has the number 0, so receivers that count keep their place. */
function deliveryOf(
  { event, data, isRepeat }: TrialRequest,
  id: DeliveryId,
  accountId: AccountId,
): PendingDelivery {
  return {
    id,
    accountId,
    sequence: 0,
    event,
    orderingKey: null,
    data,
    replayOf: null,
    eventExternalId: null,
    attemptCount: isRepeat ? 1 : 0,
    freeAttempts: 0,
    isFree: false,
    hasSingleAttempt: false,
  };
}

function headersOf(
  { name, ageSeconds, signature }: TrialRequest,
  delivery: PendingDelivery,
  endpointId: EndpointId,
  view: EndpointView,
  body: string,
  now: number,
): Record<string, string> {
  const { "webhook-signature": signed = "", ...unsigned } = webhookHeaders(delivery, {
    webhookId: webhookIdOf(delivery, endpointId),
    attempt: delivery.attemptCount + 1,
    timestamp: Math.floor(now / 1_000) - ageSeconds,
    secrets: signature === "forged" ? [newSigningSecret()] : secretsAt(view, now),
    added: headersInForm(delivery, endpointId, view),
    body,
  });
  const headers = { ...unsigned, "webhook-trial": name };
  return signature === "none" ? headers : { ...headers, "webhook-signature": signed };
}

function judgedPartOf({ status, error, errorDetail, location, durationMs, timing }: Exchange): JudgedAnswer {
  return { status, error, errorDetail, location, durationMs, tlsMs: timing.tlsMs };
}
