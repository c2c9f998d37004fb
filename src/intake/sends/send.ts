import type { AccountId, DeliveryId, EndpointId } from "../../domain/ids";
import type { SendingRequest } from "./sending-request";

/** One webhook to accept, checked already against everything that needs no database. */
export type Send = {
  accountId: AccountId;
  endpointId: EndpointId;
  /** Null matches only the filter `*`. */
  event: string | null;
  /** Groups deliveries that keep their order at endpoints with the ordering `by_key`. */
  orderingKey: string | null;
  /** The payload's JSON text, byte for byte as the client sent it. */
  data: string;
  idempotency: IdempotencyClaim | null;
  /** True if the endpoint's filter refuses the payload, whatever its type. */
  isRefused?: boolean;
  /** When it is due, Unix milliseconds; at once unless given. */
  dueAt?: number | null;
  /** Deliveries of Hermod that led to this one; none unless given. */
  hops?: number;
  /** Where the trace of the request goes on; null or absent without one. */
  traceparent?: string | null;
  /** The id that the delivery shall have; a new one unless given. */
  deliveryId?: DeliveryId;
  /** Null: nobody's. */
  request?: SendingRequest | null;
};

/** A send with the identifier that its delivery will have. */
export type NumberedSend = Send & { id: DeliveryId };

export type IdempotencyClaim = {
  key: string;
  /** SHA-256 over method, path and body. */
  fingerprint: Uint8Array;
};

/** The delivery as POST /webhooks answers it; its creation time is in its id. */
export type AcceptedDelivery = {
  id: DeliveryId;
  endpointId: EndpointId;
  event: string | null;
  orderingKey: string | null;
  /** Null while it is scheduled, and when the endpoint's filter excluded the event: then it is cancelled from the start. */
  sequence: number | null;
  /** When it is due, Unix milliseconds; null: it was not scheduled. */
  dueAt: number | null;
};

/** What became of a send. Everything but `accepted` left nothing behind. */
export type SendResult =
  | { kind: "accepted"; delivery: AcceptedDelivery }
  /** The same key and request were accepted before: the answer given then. */
  | { kind: "replayed"; delivery: AcceptedDelivery }
  | { kind: "key_conflict" }
  | { kind: "unknown_endpoint" }
  | { kind: "over_monthly_limit"; limit: number };

/** Takes sends; throws `QueueFull`, `ClientGone` or `DatabaseUnavailable`. */
export type Intake = { accept(send: Send): Promise<SendResult> };
