import { Webhook } from "standardwebhooks";
import { deliveryHeaders, JSON_BODY } from "../attempt/webhook-request";
import type { PulledEvent } from "../client";
import { fromText } from "../domain/ids";
import { messageOf } from "../runtime/errors";
import { USER_AGENT } from "../runtime/version";
import { fetchLocally } from "./local-fetch";

/** Time for the local server's whole answer, as for a receiver that is pushed. */
const TIMEOUT_MS = 15_000;
/** Most characters of an answer that the report to Hermod has. */
const SHOWN = 200;

/** The answer of the local server. `status` is 0 without one. */
export type Forwarded = Readonly<{
  status: number;
  durationMs: number;
  /** The reason for a failed attempt; null if the answer is 2xx. */
  error: string | null;
  /** The wait that the server asks for in seconds; null for none. */
  retryAfter: number | null;
}>;

/** Sends an event to a local address as Hermod would: with its headers, and signed with the endpoint's secret. */
export async function forward(event: PulledEvent, url: string, secret: string): Promise<Forwarded> {
  const begin = performance.now();
  const after = () => Math.round(performance.now() - begin);
  try {
    const response = await fetchLocally(url, {
      method: "POST",
      headers: headersOf(event, secret),
      body: event.text,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body = await response.text();
    const error = response.ok ? null : `HTTP ${response.status} ${body.slice(0, SHOWN)}`.trim();
    return { status: response.status, durationMs: after(), error, retryAfter: secondsIn(response) };
  } catch (error) {
    return { status: 0, durationMs: after(), error: messageOf(error), retryAfter: null };
  }
}

function headersOf(event: PulledEvent, secret: string): Record<string, string> {
  const id = fromText("wh", event.id);
  if (id === null) throw new Error(`${event.id} is no id of a delivery`);
  const { sequence, attempt, ordering_key: orderingKey, webhook_id: webhookId, text: body } = event;
  const seconds = Math.floor(Date.now() / 1_000);
  const signature = new Webhook(secret).sign(webhookId, new Date(seconds * 1_000), body);
  const headers = deliveryHeaders(
    { id, event: event.event, orderingKey, sequence },
    { webhookId, attempt, timestamp: String(seconds), signature },
  );
  return { ...JSON_BODY, ...headers, "user-agent": USER_AGENT };
}

function secondsIn({ ok, headers }: Response): number | null {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return ok || !(seconds >= 0 && seconds <= 3_600) ? null : seconds;
}
