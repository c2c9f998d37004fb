import type { TSchema } from "@sinclair/typebox";
import { AccountModel, AccountPage, PlanList, PlanModel } from "../admin/model";
import { UsageModel } from "../billing/model";
import { CreatedEndpointModel, EndpointModel, EndpointPage, RotatedSecretModel } from "../endpoints/model";
import { EndpointStatsModel } from "../endpoints/stats";
import { EventTypeModel, EventTypePage } from "../event-types/model";
import { PublishedModel } from "../events/model";
import { FeedEventModel } from "../feeds/model";
import { JobModel, JobPage } from "../jobs/model";
import { CreatedKeyModel, KeyList, KeyModel } from "../keys/model";
import { StatsModel } from "../stats/model";
import {
  AcceptedModel,
  AttemptModel,
  DeliveryDetailModel,
  DeliveryList,
  DeliveryModel,
  DeliveryPage,
  ReplayedModel,
} from "../webhooks/model";
import { WaitingForModel } from "../webhooks/waiting";
import { ErrorDetailModel, ErrorModel, errorResponses } from "./error-responses";
import { type JsonRecord, toOpenApi } from "./schema";

const models: Record<string, TSchema> = {
  Endpoint: EndpointModel,
  CreatedEndpoint: CreatedEndpointModel,
  RotatedSecret: RotatedSecretModel,
  EndpointPage,
  EndpointStats: EndpointStatsModel,
  AcceptedDelivery: AcceptedModel,
  ReplayedDelivery: ReplayedModel,
  Delivery: DeliveryModel,
  DeliveryDetail: DeliveryDetailModel,
  DeliveryPage,
  DeliveryList,
  Attempt: AttemptModel,
  WaitingFor: WaitingForModel,
  PublishedEvent: PublishedModel,
  Job: JobModel,
  JobPage,
  FeedEvent: FeedEventModel,
  Stats: StatsModel,
  EventType: EventTypeModel,
  EventTypePage,
  Usage: UsageModel,
  Key: KeyModel,
  CreatedKey: CreatedKeyModel,
  KeyList,
  Account: AccountModel,
  AccountPage,
  Plan: PlanModel,
  PlanList,
  Error: ErrorModel,
  ErrorDetail: ErrorDetailModel,
};

const headers = {
  "Retry-After": integerHeader("Seconds to wait before the next try."),
  "RateLimit-Limit": integerHeader("Requests the plan allows in a minute; absent when it sets no limit."),
  "RateLimit-Remaining": integerHeader("Requests left of them."),
  "RateLimit-Reset": integerHeader("Seconds until all of them are there again."),
  "X-Request-Id": { description: "To be found in the service's log by.", schema: { type: "string" } },
  "WWW-Authenticate": { description: "How to authenticate.", schema: { type: "string" } },
  "Idempotency-Replayed": {
    description: "Present, and `true`, when this is the answer an earlier request with the same key got.",
    schema: { type: "string", enum: ["true"] },
  },
};

const parameters = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description:
      "Makes the request safe to repeat: within 24 hours the same key with the same request gets the first " +
      "successful answer again, and with a different request 409.",
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[ -~]+$" },
    example: "order-4711-created",
  },
};

const securitySchemes = {
  apiKey: {
    type: "http",
    scheme: "bearer",
    description: "An API key, `hmd_…`, or a JWT that the service is configured to trust.",
  },
};

/** Everything the document's operations refer to by name. */
export function components() {
  return {
    schemas: Object.fromEntries(Object.entries(models).map(([name, model]) => [name, toOpenApi(model)])),
    responses: errorResponses(),
    headers,
    parameters,
    securitySchemes,
  };
}

function integerHeader(description: string): JsonRecord {
  return { description, schema: { type: "integer" } };
}
