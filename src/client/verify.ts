import { Webhook, WebhookVerificationError } from "standardwebhooks";

export { WebhookVerificationError };

/** A webhook that was signed by the secret's owner. */
export type ReceivedWebhook<Data> = {
  /** The delivery's id, the same over all its attempts: by it, receivers tell repeats. */
  id: string;
  event: string | null;
  /** The `ordering_key` that the sender gave; null when it gave none. */
  orderingKey: string | null;
  /** When this attempt was made. */
  timestamp: Date;
  /** Counts from 1; null when the sender does not say. */
  attempt: number | null;
  /** The delivery's place in the endpoint's order; null when the sender does not say. */
  sequence: number | null;
  data: Data;
};

/** A request's headers, as fetch or as Node has them. */
export type ReceivedHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Checks a received webhook by Standard Webhooks: one signature by one of the secrets, made within the last five
 * minutes. The body must be as it arrived. Throws a WebhookVerificationError.
 */
export function verify<Data = unknown>(
  body: string | Uint8Array,
  headers: ReceivedHeaders,
  secrets: string | readonly string[],
): ReceivedWebhook<Data> {
  const payload =
    typeof body === "string" ? body : new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
  const given = namedHeaders(headers);
  const data = verifiedBy(typeof secrets === "string" ? [secrets] : secrets, payload, given);
  return {
    id: given["webhook-id"] ?? "",
    event: textIn(given["webhook-event"]),
    orderingKey: textIn(given["webhook-ordering-key"]),
    timestamp: new Date(Number.parseInt(given["webhook-timestamp"] ?? "", 10) * 1_000),
    attempt: countIn(given["webhook-attempt"]),
    sequence: countIn(given["webhook-sequence"]),
    data: data as Data,
  };
}

function verifiedBy(secrets: readonly string[], payload: string, headers: Record<string, string>): unknown {
  let failure: unknown = new WebhookVerificationError("There is no secret to verify with");
  for (const secret of secrets) {
    try {
      return new Webhook(secret).verify(payload, headers);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function namedHeaders(headers: ReceivedHeaders): Record<string, string> {
  const pairs = headers instanceof Headers ? [...headers] : Object.entries(headers);
  return Object.fromEntries(
    pairs.flatMap(([name, value]) => {
      const [first] = typeof value === "string" ? [value] : (value ?? []);
      return first === undefined ? [] : [[name.toLowerCase(), first]];
    }),
  );
}

// Percent-encoded where it is not plain ASCII. It is not signed, so it may be anything.
function textIn(text: string | undefined): string | null {
  if (text === undefined) return null;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function countIn(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
