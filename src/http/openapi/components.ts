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
import { HEADERS } from "./headers";
import { toOpenApi } from "./schema";

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
  Account: {
    name: "Hermod-Account",
    in: "header",
    required: false,
    description:
      "Acts for another account: its id, or its `external_id`, percent-encoded. Needs the permission `admin` beside that of the " +
      "operation. All of the request is that account's, its limits as well.",
    schema: { type: "string", minLength: 1 },
    example: "shop-42",
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
    headers: HEADERS,
    parameters,
    securitySchemes,
  };
}
