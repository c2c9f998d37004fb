export { HermodError, HermodUnreachable } from "./errors.ts";
export { Hermod } from "./hermod.ts";
export type { PulledEvent, PullOptions } from "./pulled-events.ts";
export { rawJson } from "./raw-json.ts";
export { BodyTooLarge, readBody } from "./received-body.ts";
export type { WatchOptions } from "./resources/jobs.ts";
export type { FollowOptions } from "./resources/webhooks.ts";
export type { HermodOptions, PostOptions, RequestOptions, Transport } from "./transport.ts";
export type * from "./types.ts";
export {
  type ReceivedHeaders,
  type ReceivedWebhook,
  verify,
  verifyBatch,
  WebhookVerificationError,
} from "./verify.ts";
