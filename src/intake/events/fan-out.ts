import type { AccountId } from "../../domain/ids";
import type { AcceptedDelivery, IdempotencyClaim } from "../sends/send";
import type { SendingRequest } from "../sends/sending-request";

/** One event to accept for every endpoint of its account whose filter it matches, unless it is inactive and skips events. */
export type FanOut = {
  accountId: AccountId;
  /** Null matches only the filter `*`. */
  event: string | null;
  /** Every delivery of the event gets it. */
  orderingKey: string | null;
  /** The payload's JSON text, byte for byte as the client sent it. */
  data: string;
  idempotency: IdempotencyClaim | null;
  /** Deliveries of Hermod that led to these; none unless given. */
  hops?: number;
  /** Null: nobody's, as in an account's feed. */
  request?: SendingRequest | null;
};

/** What became of a fan-out. Everything but `accepted` left nothing behind. */
export type FanOutResult =
  /** All deliveries, the oldest endpoint's first; none when no endpoint wants the event. */
  | { kind: "accepted"; deliveries: AcceptedDelivery[] }
  /** The same key and request were accepted before: the answer given then. */
  | { kind: "replayed"; deliveries: AcceptedDelivery[] }
  | { kind: "key_conflict" }
  /** More endpoints want it than one event may go to. */
  | { kind: "too_many_endpoints"; most: number }
  /** The request makes too many deliveries: with this event as many as `made`, if that was counted. */
  | { kind: "over_request_limit"; made: number | null }
  | { kind: "over_monthly_limit"; limit: number };

/** Takes fan-outs; throws `QueueFull`, `ClientGone` or `DatabaseUnavailable`. */
export type FanOutIntake = { accept(fanOut: FanOut): Promise<FanOutResult> };
