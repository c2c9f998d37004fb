import type { AccountId, DeliveryId, EndpointId } from "../domain/ids";

/** A webhook to accept. All checks that need no database have passed. */
export type NewDelivery = {
  /** The id of its delivery. Made by `newId` with the number of Hermod deliveries that led to the send, which bounds loops. */
  id: DeliveryId;
  accountId: AccountId;
  endpointId: EndpointId;
  /** Null matches only the filter `*`. */
  event: string | null;
  /** Groups deliveries that keep their order at endpoints with the ordering `by_key`. */
  orderingKey: string | null;
  /** The payload's JSON text, byte for byte as the client sent it. */
  data: string;
  idempotency: IdempotencyClaim | null;
  /** True if the endpoint's filter refuses the payload. */
  isRefused?: boolean;
  /** When it is due, in Unix milliseconds; at once by default. */
  dueAt?: number | null;
  /** The `traceparent` of the sending request, if its trace is sampled. */
  traceparent?: string | null;
  /** The HTTP request that sent it; null if there is none. */
  request?: SendingRequest | null;
};

export type IdempotencyClaim = {
  key: string;
  /** SHA-256 over method, path and body. */
  fingerprint: Uint8Array;
};

/** The delivery as POST /webhooks returns it. The id contains the time of creation. */
export type Accepted = {
  id: DeliveryId;
  endpointId: EndpointId;
  event: string | null;
  orderingKey: string | null;
  /** Null while it is scheduled, and if the endpoint's filter excluded the event, which cancels the delivery at once. */
  sequence: number | null;
  /** When it is due, in Unix milliseconds; null if it was not scheduled. */
  dueAt: number | null;
};

/** A delivery that a commit has just accepted: its endpoint's partition, and the endpoint's revision in the commit. */
export type JustAccepted = Accepted & { partition: number; revision: number };

/** The result of a send. Only `accepted` wrote anything. */
export type SendResult =
  | { kind: "accepted"; delivery: Accepted }
  /** The same request was accepted with this key before; `delivery` is the answer given then. */
  | { kind: "replayed"; delivery: Accepted }
  | { kind: "key_conflict" }
  | { kind: "unknown_endpoint" }
  /** The endpoint gets the account's feed instead. */
  | { kind: "feed_endpoint" }
  | { kind: "over_monthly_limit"; limit: number };

/** Accepts sends. Throws `QueueFull`, `ClientGone` or `DatabaseUnavailable`. */
export type Intake = { accept(send: NewDelivery): Promise<SendResult> };

/** Most deliveries that one request may make with all its events. */
export const MAX_DELIVERIES = 10_000;

/** The client closed its connection before its send was committed. Nothing was written. */
export class ClientGone extends Error {
  constructor() {
    super("the client closed its connection");
    this.name = "ClientGone";
  }
}

/** Counts how many deliveries a request may still make, and knows whether its client still waits. */
export class SendingRequest {
  /** How many deliveries the request has made. */
  made = 0;
  private full = false;

  constructor(private readonly client: { readonly signal: { readonly aborted: boolean } }) {}

  get isGone(): boolean {
    return this.client.signal.aborted;
  }

  /** True if the request makes no more deliveries. */
  get isFull(): boolean {
    return this.full || this.made >= MAX_DELIVERIES;
  }

  accepted(deliveries: number): void {
    this.made += deliveries;
  }

  /** Refuses all later items after one that did not fit. Otherwise smaller ones would overtake it when it is sent again. */
  close(): void {
    this.full = true;
  }
}
