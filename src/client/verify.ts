import { Webhook, WebhookVerificationError } from "standardwebhooks";

export { WebhookVerificationError };

/** A webhook with a valid signature. */
export type ReceivedWebhook<Data> = {
  /** The delivery's id, the same for all its attempts. Receivers recognise repeats by it. */
  id: string;
  event: string | null;
  /** The sender's `ordering_key`; null if there is none. */
  orderingKey: string | null;
  /** The time of this attempt. */
  timestamp: Date;
  /** The number of the attempt, from 1; null if the header is absent. */
  attempt: number | null;
  /** The delivery's number at its endpoint; null if the header is absent. */
  sequence: number | null;
  data: Data;
};

/** A request's headers in the form of fetch or of Node. */
export type ReceivedHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Verifies a webhook by Standard Webhooks. It needs a signature by one of the secrets, at most five minutes old, and
 * the body exactly as it arrived. Throws a WebhookVerificationError.
 */
export function verify<Data = unknown>(
  body: string | Uint8Array,
  headers: ReceivedHeaders,
  secrets: string | readonly string[],
): ReceivedWebhook<Data> {
  const given = namedHeaders(headers);
  const data = verifiedBy(typeof secrets === "string" ? [secrets] : secrets, textOfBody(body), given);
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

/**
 * Verifies a request to an endpoint with a `batch_size` above 1, as `verify` does. Returns its webhooks in their order. Take all of
 * them or none: after a failure each comes again, alone.
 */
export function verifyBatch<Data = unknown>(
  body: string | Uint8Array,
  headers: ReceivedHeaders,
  secrets: string | readonly string[],
): ReceivedWebhook<Data>[] {
  const { timestamp, attempt, data } = verify(body, headers, secrets);
  if (!Array.isArray(data)) throw new WebhookVerificationError("The body is no array of envelopes");
  return data.map(({ id, type, sequence, ordering_key, data }: BatchedEnvelope<Data>) => ({
    id,
    event: type,
    orderingKey: ordering_key,
    timestamp,
    attempt,
    sequence,
    data,
  }));
}

type BatchedEnvelope<Data> = {
  id: string;
  type: string | null;
  sequence: number;
  ordering_key: string | null;
  data: Data;
};

/** Decodes a body as it is signed. */
export function textOfBody(body: string | Uint8Array): string {
  return typeof body === "string" ? body : new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
}

function verifiedBy(secrets: readonly string[], payload: string, headers: Record<string, string>): unknown {
  let failure: unknown = new WebhookVerificationError("There is no secret to verify with");
  for (const secret of secrets) {
    try {
      return webhookOf(secret).verify(payload, headers);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function webhookOf(secret: string): Webhook {
  try {
    return new Webhook(secret);
  } catch {
    throw new WebhookVerificationError("A secret must be base64 behind whsec_, and not empty");
  }
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

// Decodes percent-encoding, which the sender uses for text beyond plain ASCII. Returns null for an invalid text, because the
// header is not signed and may contain anything.
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
