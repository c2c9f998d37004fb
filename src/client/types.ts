import type { components, operations } from "./openapi.ts";
import type { AnswerOf, BodyOf, QueryOf } from "./operation.ts";

type Schemas = components["schemas"];

export type Endpoint = Schemas["Endpoint"];
/** A page of an endpoint's numbers, and what became of each. */
export type EndpointLog = Schemas["EndpointLog"];
export type ReceiverKey = Schemas["ReceiverKey"];
export type CreatedEndpoint = Schemas["CreatedEndpoint"];
export type RetriedEndpoint = Schemas["RetriedEndpoint"];
export type RotatedSecret = Schemas["RotatedSecret"];
export type EndpointPage = Schemas["EndpointPage"];
export type EndpointStats = Schemas["EndpointStats"];
export type NewEndpoint = BodyOf<operations["createEndpoint"]>;
export type EndpointChanges = BodyOf<operations["updateEndpoint"]>;
export type EndpointSettings = BodyOf<operations["putEndpoint"]>;
export type SecretRotation = BodyOf<operations["rotateSecret"]>;
export type CatalogueImportResult = AnswerOf<operations["importCatalogue"]>;
export type EventTypeDescription = BodyOf<operations["putEventType"]>;
export type EventTypeWithSchema = AnswerOf<operations["putEventTypeSchema"]>;
export type SchemaCheck = AnswerOf<operations["checkEventTypeSchema"]>;
export type SchemaVersion = AnswerOf<operations["listSchemaVersions"]>["data"][number];
export type Certification = Schemas["Certification"];
/** A type for the payload of an event type. */
export type TypeCode = Schemas["TypeCode"];
export type FilterTest = BodyOf<operations["testEndpointFilter"]>;
export type FilterTestResult = AnswerOf<operations["testEndpointFilter"]>;
export type TestEvent = BodyOf<operations["testEndpoint"]>;

export type AcceptedDelivery = Schemas["AcceptedDelivery"];
/** A delivery that resends an earlier one. */
export type Resent = Schemas["ReplayedDelivery"];
export type Erased = AnswerOf<operations["erasePayload"]>;
export type Delivery = Schemas["Delivery"];
export type DeliveryDetail = Schemas["DeliveryDetail"];
type DeliveryListing = Schemas["DeliveryListing"];
export type DeliveryPage = Required<Pick<DeliveryListing, "deliveries" | "total" | "page" | "per_page">>;
export type DeliveryList = Required<Pick<DeliveryListing, "data" | "cursor">> &
  Pick<DeliveryListing, "iterator">;
/** The reason for which a pending delivery is not sent yet. */
export type WaitingFor = Schemas["WaitingFor"];
export type Attempt = Schemas["Attempt"];
export type NewWebhook = BodyOf<operations["sendWebhook"]>;
export type WebhookResults = { results: readonly BatchResult<"webhook", AcceptedDelivery>[] };

export type NewEvent = BodyOf<operations["publishEvent"]>;
export type PublishedEvent = Schemas["PublishedEvent"];
export type Event = Schemas["Event"];
export type EventPage = Schemas["EventPage"];
export type EventDetail = Schemas["EventDetail"];
export type EventDeliveries = Schemas["EventDeliveries"];
/** An endpoint that did not get an event, and the reason. */
export type MissedEvent = Schemas["MissedEvent"];
export type MissedEventPage = Schemas["MissedEventPage"];
export type EventResults = { results: readonly BatchResult<"event", PublishedEvent>[] };

/** Work on many deliveries in the background. */
export type Job = Schemas["Job"];
export type JobPage = Schemas["JobPage"];
/** Selects the deliveries to replay. */
export type Replay = BodyOf<operations["replayEndpoint"]>;
/** Deliveries to resend, by `ids` or a `filter`. */
export type ResendSelection = Omit<BodyOf<operations["resendWebhooks"]>, "dry_run">;
export type ResendCount = Schemas["ResendCount"];
/** Selects the payloads to erase. */
export type Erasure = BodyOf<operations["erasePayloads"]>;
/** The body of a feed event, by its type. */
export type FeedEvent = Schemas["FeedEvent"];

export type EventType = Schemas["EventType"];
export type EventTypePage = Schemas["EventTypePage"];
export type Me = Schemas["Me"];
export type Stats = Schemas["Stats"];
/** A delivery in a list with cursors, with the reason for which it waits. */
export type ListedDelivery = Schemas["ListedDelivery"];
export type Backlog = Schemas["Backlog"];
export type BacklogPage = Schemas["BacklogPage"];
export type QueuePage = Schemas["QueuePage"];
/** The orders of an endpoint whose first delivery is retried. */
export type StuckOrders = Schemas["StuckOrders"];
export type QueueQuery = QueryOf<operations["getEndpointQueue"]>;
/** The processes and partitions of the installation. */
export type System = Schemas["System"];
/** Figures over time. */
export type Series = Schemas["Series"];
export type SeriesQuery = QueryOf<operations["getStatsSeries"]>;
export type AllSeriesQuery = QueryOf<operations["getAllStatsSeries"]>;
export type Usage = Schemas["Usage"];

export type Key = Schemas["Key"];
export type CreatedKey = Schemas["CreatedKey"];
export type KeyList = Schemas["KeyList"];
export type NewKey = BodyOf<operations["createKey"]>;

export type AuditEntry = Schemas["AuditEntry"];
export type AuditPage = Schemas["AuditPage"];
export type AuditQuery = QueryOf<operations["listAudit"]>;
export type ActivityQuery = QueryOf<operations["listActivity"]>;

export type Account = Schemas["Account"];
export type AccountPage = Schemas["AccountPage"];
export type NewAccount = BodyOf<operations["createAccount"]>;
export type AccountChanges = BodyOf<operations["updateAccount"]>;
export type AccountSettings = BodyOf<operations["putAccount"]>;
export type Plan = Schemas["Plan"];
export type PlanList = Schemas["PlanList"];
export type PlanLimits = BodyOf<operations["putPlan"]>;

/** The codes of the service's errors. */
export type ErrorCode = Schemas["ErrorDetail"]["code"];

type BatchResult<Name extends string, Item> =
  | ({ status: number; error?: never } & { [N in Name]: Item })
  | ({ status: number; error: Schemas["ErrorDetail"] } & { [N in Name]?: never });

type ListQuery = QueryOf<operations["listWebhooks"]>;
type Position = "cursor" | "iterator";

/** Parameters of the list in pages, with a total. */
export type DeliveryPageQuery = Pick<ListQuery, "page" | "per_page" | "event" | "status">;

/** Filters of the list with cursors. `data.order_id` is the field `order_id` of the payload. */
export type DeliveryQuery = Omit<ListQuery, "page" | "per_page" | "event" | Position>;

/** Deliveries by status and answer. */
export type WebhookSummary = Schemas["WebhookSummary"];
export type WebhookSummaryQuery = QueryOf<operations["summarizeWebhooks"]>;

/** Filters of a list of endpoints. `metadata.team` is the entry `team` of the metadata. */
export type EndpointQuery = Omit<QueryOf<operations["listEndpoints"]>, "limit" | Position>;
/** Filters of the list of events. `data.order_id` is the field `order_id` of the payload. */
export type EventQuery = Omit<QueryOf<operations["listEvents"]>, Position>;

/** Filters of deliveries that are followed. */
export type FollowQuery = Omit<QueryOf<operations["tailWebhooks"]>, Position>;

/** An endpoint with its account. */
export type AccountEndpoint = Schemas["AccountEndpoint"];
export type AllEndpointsQuery = Omit<QueryOf<operations["listAllEndpoints"]>, Position>;
/** A delivery with its account. */
export type AccountDelivery = Schemas["AccountDelivery"];
export type AllDeliveriesQuery = Omit<QueryOf<operations["listAllDeliveries"]>, Position>;
/** An event with its account. */
export type AccountEvent = Schemas["AccountEvent"];
export type AllEventsQuery = Omit<QueryOf<operations["listAllEvents"]>, Position>;

export type CursorQuery = { limit?: number; cursor?: string };
