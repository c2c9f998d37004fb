import { sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  customType,
  date,
  doublePrecision,
  index,
  integer,
  json,
  jsonb,
  pgEnum,
  pgSequence,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { ACCOUNT_DEPARTURES } from "../domain/account-departure";
import type { AuditEntry, Facts } from "../domain/audit-entry";
import { COLD_STATES, type ColdCount } from "../domain/cold-block";
import { DELIVERY_STATUSES, END_REASONS } from "../domain/delivery-status";
import { SETTINGS } from "../domain/endpoint-settings";
import { ALL_EVENTS, type EventFilter } from "../domain/event-filter";
import type { DisabledReason, FilterErrors, LastFailure } from "../domain/health";
import type {
  AccountId,
  AuditId,
  DeliveryId,
  EndpointId,
  EventId,
  JobId,
  KeyId,
  SessionId,
} from "../domain/ids";
import { JOB_KINDS, JOB_STATES } from "../domain/job";
import type { Permission } from "../domain/permission";
import type { Portal } from "../domain/portal";
import type { Person } from "../domain/role";
import {
  BODY_FORMATS,
  type EarlierSecret,
  ON_EXHAUSTED,
  ORDERINGS,
  type StoredHeaders,
  WHILE_INACTIVE,
} from "../domain/tuning";

const bytes = customType<{ data: Uint8Array }>({ dataType: () => "bytea" });
const transactionId = customType<{ data: string }>({ dataType: () => "xid8" });
const stampRanges = customType<{ data: string }>({ dataType: () => "int8multirange" });
/** A time. Code has it in Unix milliseconds. */
const instant = customType<{ data: number; driverData: Date }>({
  dataType: () => "timestamp (3) with time zone",
  toDriver: (ms) => new Date(ms),
  fromDriver: (date) => date.getTime(),
});
const count = (name: string) => bigint(name, { mode: "number" }).notNull().default(0);

/** Limits of an account per minute and per month; null is unlimited. */
export const plans = pgTable("plans", {
  name: text().primaryKey(),
  requestsPerMinute: integer("requests_per_minute"),
  webhooksPerMonth: bigint("webhooks_per_month", { mode: "number" }),
});

export const accountDeparture = pgEnum("account_departure", ACCOUNT_DEPARTURES);

export const accounts = pgTable(
  "accounts",
  {
    id: uuid().$type<AccountId>().primaryKey(),
    name: text().notNull(),
    plan: text()
      .notNull()
      .references(() => plans.name),
    createdAt: instant("created_at").notNull().default(sql`now()`),
    /** The operator's own id for the account; null is none. */
    externalId: text("external_id"),
    /** Counts the changes by which another endpoint may get the account's events, in the transaction of each. A trigger counts. */
    audienceRevision: integer("audience_revision").notNull().default(1),
    /** Counts the servers that its deliveries were accepted by, since each numbers its transactions by itself. See `stamp`. */
    era: smallint().notNull().default(0),
    /** Null unless it moves to another cell. See `moves`. */
    departure: accountDeparture("departure"),
  },
  (t) => [uniqueIndex("accounts_external_id").on(t.externalId).where(sql`${t.externalId} is not null`)],
);

/**
 * API keys, and the keys of receivers. A key is shown once and never stored: `hash` is its SHA-256. `createdBy` is the key that
 * created it; null means the operator. Revoking a key revokes its descendants.
 */
export const apiKeys = pgTable(
  "api_keys",
  {
    id: uuid().$type<KeyId>().primaryKey(),
    accountId: uuid("account_id")
      .$type<AccountId>()
      .notNull()
      .references(() => accounts.id),
    name: text(),
    hash: bytes().notNull(),
    permissions: text().array().$type<Permission[]>().notNull(),
    isActive: boolean("is_active").notNull().default(true),
    expiresAt: instant("expires_at"),
    createdAt: instant("created_at").notNull().default(sql`now()`),
    lastUsedAt: instant("last_used_at"),
    createdBy: uuid("created_by")
      .$type<KeyId>()
      .references((): AnyPgColumn => apiKeys.id, { onDelete: "cascade" }),
    /** The endpoint whose receiver has the key, which then has no permissions; null for an API key. */
    endpointId: uuid("endpoint_id")
      .$type<EndpointId>()
      .references((): AnyPgColumn => endpoints.id),
  },
  (t) => [
    uniqueIndex("api_keys_hash").on(t.hash),
    // An account may have very many receivers, whose keys no list of its API keys reads.
    index("api_keys_account").on(t.accountId, t.id).where(sql`${t.endpointId} is null`),
    index("api_keys_endpoint").on(t.endpointId, t.id).where(sql`${t.endpointId} is not null`),
    index("api_keys_created_by").on(t.createdBy).where(sql`${t.createdBy} is not null`),
    check("api_keys_receiver", sql`${t.endpointId} is null or ${t.permissions} = '{}'`),
  ],
);

/**
 * Sessions in browsers. Only the browser has the token: `hash` is its SHA-256. A link is a portal session that is not open yet;
 * opening it replaces the hash.
 */
export const sessions = pgTable(
  "sessions",
  {
    id: uuid().$type<SessionId>().primaryKey(),
    hash: bytes().notNull(),
    accountId: uuid("account_id")
      .$type<AccountId>()
      .notNull()
      .references(() => accounts.id),
    /** The key that began the session or made the link. The session ends with this key. Null for a person. */
    keyId: uuid("key_id")
      .$type<KeyId>()
      .references(() => apiKeys.id, { onDelete: "cascade" }),
    /** The person whom an identity provider signed in; null for a key. */
    person: jsonb().$type<Person>(),
    /** The scope of a portal session; null for the console. */
    portal: jsonb().$type<Portal>(),
    isLink: boolean("is_link").notNull().default(false),
    createdAt: instant("created_at").notNull().default(sql`now()`),
    expiresAt: instant("expires_at").notNull(),
    /** The time of its last request, exact to a minute. */
    seenAt: instant("seen_at").notNull().default(sql`now()`),
  },
  (t) => [uniqueIndex("sessions_hash").on(t.hash), index("sessions_key").on(t.keyId, t.id)],
);

/** Sign-ins with an identity provider that have begun a session, so that none begins another. The id is a hash of the sign-in. */
export const usedSignIns = pgTable("used_sign_ins", {
  id: bytes().primaryKey(),
  usedAt: instant("used_at").notNull().default(sql`now()`),
});

/** Changes, each with its key or person. The id has the time. No foreign keys, because entries outlive the rows they name. */
export const auditLog = pgTable(
  "audit_log",
  {
    id: uuid().$type<AuditId>().primaryKey(),
    accountId: uuid("account_id").$type<AccountId>().notNull(),
    operation: text().notNull(),
    target: text(),
    actorKind: text("actor_kind").$type<AuditEntry["actorKind"]>().notNull(),
    keyId: uuid("key_id").$type<KeyId>(),
    actorName: text("actor_name"),
    sessionId: uuid("session_id").$type<SessionId>(),
    requestId: text("request_id").notNull(),
    before: jsonb().$type<Facts>(),
    after: jsonb().$type<Facts>(),
  },
  (t) => [index("audit_log_account").on(t.accountId, t.id), index("audit_log_target").on(t.target, t.id)],
);

export const ordering = pgEnum("ordering", ORDERINGS);

export const bodyFormat = pgEnum("body_format", BODY_FORMATS);

export const whileInactive = pgEnum("while_inactive", WHILE_INACTIVE);

export const onExhausted = pgEnum("on_exhausted", ON_EXHAUSTED);

export const endpoints = pgTable(
  "endpoints",
  {
    id: uuid().$type<EndpointId>().primaryKey(),
    accountId: uuid("account_id")
      .$type<AccountId>()
      .notNull()
      .references(() => accounts.id),
    /** Null if its receiver reads its deliveries (`delivery: "pull"`). */
    url: text(),
    description: text(),
    /** The condition on payloads, in CEL; null for no condition. See `PayloadFilter`. */
    filter: text(),
    /** Patterns of the wanted event types. See `EventFilter`. */
    eventTypes: text("event_types").array().$type<EventFilter>().notNull().default(ALL_EVENTS),
    signingSecret: text("signing_secret").notNull(),
    /** Rotated secrets that still sign, newest first; null is none. See `EarlierSecret`. */
    earlierSecrets: jsonb("earlier_secrets").$type<EarlierSecret[]>(),
    /** Headers that the account adds to its requests; null is none. See `StoredHeaders`. */
    headers: jsonb().$type<StoredHeaders>(),
    isActive: boolean("is_active").notNull().default(true),
    /** True if it receives the account's feed, and no events of the account's own. */
    feed: boolean().notNull().default(false),
    /** The accounts that the feed reports on, none for all; null for the endpoint's own account. */
    feedAccounts: uuid("feed_accounts").array().$type<readonly AccountId[]>(),
    /** Start of inactivity; null while it is active. */
    inactiveSince: instant("inactive_since"),
    /** The reason if Hermod disabled it; null if it is active or the account disabled it. */
    disabledReason: text("disabled_reason").$type<DisabledReason>(),
    /** Start of uninterrupted failure; null while the last attempt succeeded. */
    failingSince: instant("failing_since"),
    /** Number of deliveries that failed since `failingSince`. */
    failedDeliveries: integer("failed_deliveries").notNull().default(0),
    /** Time of the first 410 since `failingSince`. */
    goneSince: instant("gone_since"),
    /** True once the feed has warned that Hermod will disable it. */
    isWarned: boolean("is_warned").notNull().default(false),
    /** Time of the last warning to the account that pending deliveries will expire. */
    expiryWarnedAt: instant("expiry_warned_at"),
    /** The delivery that holds back its order, and the start of its first attempt; ignored once it ended. See `findBlocked`. */
    blockedBy: uuid("blocked_by").$type<DeliveryId>(),
    blockedSince: instant("blocked_since"),
    /**
     * The receiver asked for a rest until this time: no attempt begins before it. After it, attempts run one at a time until one
     * succeeds, which sets it to null.
     */
    restsUntil: instant("rests_until"),
    /**
     * Before this time nothing is sent or handed out: deliveries may still be in flight in the way from which the endpoint was
     * switched, by push or by pull. Null if it was never switched, or they have ended.
     */
    switchedUntil: instant("switched_until"),
    /** Time of the last request of a receiver that reads. */
    lastReadAt: instant("last_read_at"),
    /** Where the next page begins at an endpoint with several orders: after this key (`by_key`) or this sequence (`unordered`). */
    readPosition: text("read_position"),
    /** Time of the success that ended the last failure. Other successes are not stored. */
    lastSuccessAt: instant("last_success_at"),
    lastFailure: jsonb("last_failure").$type<LastFailure>(),
    /** Null while the filter has not failed since it was changed. */
    filterErrors: jsonb("filter_errors").$type<FilterErrors>(),
    metadata: jsonb().$type<Readonly<Record<string, string>>>().notNull().default({}),
    /** Null for the service's own schedule. */
    retryScheduleMs: jsonb("retry_schedule_ms").$type<readonly number[]>(),
    /** Null for the service's own time limit. */
    timeoutMs: integer("timeout_ms"),
    /** Most attempts that may begin in any one second; null for no limit. */
    rateLimit: doublePrecision("rate_limit"),
    ordering: ordering().notNull().default(SETTINGS.ordering.default),
    whileInactive: whileInactive("while_inactive").notNull().default(SETTINGS.while_inactive.default),
    onExhausted: onExhausted("on_exhausted").notNull().default(SETTINGS.on_exhausted.default),
    /** HTTP statuses that fail a delivery at once. */
    permanentStatuses: smallint("permanent_statuses")
      .array()
      .$type<readonly number[]>()
      .notNull()
      .default([]),
    /** The form of the body. */
    format: bodyFormat().notNull().default(SETTINGS.format.default),
    /** The body's media type. */
    contentType: text("content_type").notNull().default(SETTINGS.content_type.default),
    /** True if requests carry `traceparent`. */
    traceparent: boolean().notNull().default(SETTINGS.traceparent.default),
    /** Most attempts in flight. Ignored if the ordering is `ordered`. */
    maxInFlight: smallint("max_in_flight").notNull().default(SETTINGS.max_in_flight.default),
    /** Most deliveries of one order in a request. */
    batchSize: smallint("batch_size").notNull().default(SETTINGS.batch_size.default),
    createdAt: instant("created_at").notNull().default(sql`now()`),
    deletedAt: instant("deleted_at"),
    /** The account's own id of the endpoint; null for none. */
    externalId: text("external_id"),
  },
  (t) => [
    uniqueIndex("endpoints_external_id")
      .on(t.accountId, t.externalId)
      .where(sql`${t.externalId} is not null and ${t.deletedAt} is null`),
    index("endpoints_account").on(t.accountId, t.id).where(sql`${t.deletedAt} is null`),
    // Finds unfinished deletions, since a deletion removes the secret last.
    index("endpoints_unfinished")
      .on(t.id)
      .where(sql`${t.deletedAt} is not null and ${t.signingSecret} <> ''`),
    // Finds rotated secrets, which the sweep removes when they expire.
    index("endpoints_rotated").on(t.id).where(sql`${t.earlierSecrets} is not null`),
    // Finds errors of filters, which quote payloads and expire with them.
    index("endpoints_filter_errors").on(t.id).where(sql`${t.filterErrors} is not null`),
    index("endpoints_filter").on(t.accountId).where(sql`${t.filter} is not null and ${t.deletedAt} is null`),
    // Other formats have no use for an address, and an e-mail has none for headers.
    check(
      "endpoints_email",
      sql`(${t.format} = 'email') = coalesce(${t.url} like 'mailto:%', false) and (${t.format} <> 'email' or (${t.feed} and ${t.headers} is null))`,
    ),
    // Without an order nothing says which deliveries go together, and only envelopes have the number of each.
    check(
      "endpoints_batches",
      sql`${t.batchSize} = 1 or (${t.ordering} <> 'unordered' and ${t.format} = 'envelope')`,
    ),
    check("endpoints_feed_accounts", sql`${t.feedAccounts} is null or ${t.feed}`),
    // Includes deleted ones, whose deliveries stay hidden in portal sessions.
    index("endpoints_feed").on(t.accountId).where(sql`${t.feed}`),
    // Finds the feeds about other accounts, which are few.
    index("endpoints_feed_accounts")
      .on(t.accountId)
      .where(sql`${t.feedAccounts} is not null and ${t.deletedAt} is null`),
  ],
);

/**
 * The last sequence of an endpoint. A narrow row, because every commit of the intake updates it. `revision` counts the changes
 * to the endpoint, so that dispatchers see that their copy is old. `filterRevision` counts the changes to its filter and its
 * `feed`, for intakes. `queueRevision` counts the removals from its queue by anybody but its dispatcher. Each is counted in the
 * transaction of the change. Deleting the endpoint deletes the row, whose lock orders sends before or after the deletion.
 */
export const mailboxes = pgTable("mailboxes", {
  endpointId: uuid("endpoint_id").$type<EndpointId>().primaryKey(),
  partition: smallint().notNull(),
  revision: integer().notNull().default(1),
  filterRevision: integer("filter_revision").notNull().default(1),
  queueRevision: integer("queue_revision").notNull().default(1),
  lastSequence: count("last_sequence"),
  /** The last sequence before the URL's origin changed the last time; null if it never has. */
  originSequence: bigint("origin_sequence", { mode: "number" }),
});

/**
 * Accepted events. The ids of an event's deliveries begin with the event's id (see `lastIdOf`), so that they share its time
 * range and need no further column or index. Never updated, except to erase the payload. Split like `deliveries`.
 */
export const events = pgTable(
  "events",
  {
    id: uuid().$type<EventId>().notNull(),
    accountId: uuid("account_id").$type<AccountId>().notNull(),
    event: text(),
    orderingKey: text("ordering_key"),
    /** The sender's own id for the event; null is none. */
    externalId: text("external_id"),
    /** The payload of all its deliveries, byte for byte as it was sent; '' once it is erased. */
    data: text().notNull(),
    /** Number of deliveries that were accepted with it. A replay of missing events adds more. */
    deliveryCount: smallint("delivery_count").notNull(),
    /** Inactive endpoints whose filter matched: the delivery is held if there is one, else it was skipped. Null for none. */
    inactive: uuid().array(),
    /** Endpoints whose event types matched and whose filter did not. Null for none. */
    refusedBy: uuid("refused_by").array(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.id] }),
    index("events_event").on(t.accountId, t.event, t.id),
    index("events_external").on(t.accountId, t.externalId, t.id).where(sql`${t.externalId} is not null`),
  ],
);

/**
 * The spans that continue the traces of sampled deliveries and events. A table of its own, so that deliveries without a trace
 * cost nothing. Kept for a day.
 */
export const traces = pgTable("traces", {
  id: uuid().primaryKey(),
  traceparent: text().notNull(),
});

/** Accepted deliveries. Updated only to erase a payload, and when a scheduled delivery is due. Split by id, and so by time. */
export const deliveries = pgTable(
  "deliveries",
  {
    id: uuid().$type<DeliveryId>().notNull(),
    accountId: uuid("account_id").$type<AccountId>().notNull(),
    endpointId: uuid("endpoint_id").$type<EndpointId>().notNull(),
    /** Null until a scheduled delivery is due, and if the endpoint's filter excluded the delivery then. */
    sequence: bigint({ mode: "number" }),
    event: text(),
    /** Groups deliveries that keep their order at endpoints with the ordering `by_key`; null is none. */
    orderingKey: text("ordering_key"),
    /** The transaction that inserted the row, in the account's era (`stamp`). Iterators follow it: ids become visible out of order. */
    transaction: transactionId().notNull().default(sql`pg_current_xact_id()`),
    /** The payload, byte for byte as it was sent; null if the event has it; '' once it is erased, also from the event. */
    data: text(),
    /** The time at which a scheduled delivery is due; null for others. See `deliveries/schedule`. */
    dueAt: instant("due_at"),
    /** The first delivery of the chain of resends to which this delivery belongs; null if it is no resend. */
    replayOf: uuid("replay_of").$type<DeliveryId>(),
    /** The sender's own id for the event, which begins the receivers' `webhook-id`; null is none. */
    eventExternalId: text("event_external_id"),
    /**
     * True if it got its sequence long after its id: it was scheduled, or is the replay of a missed event. Null for others, whose
     * sequences have the order of their ids, but for commits at the same time. See `deliveries/log`.
     */
    isNumberedLater: boolean("is_numbered_later"),
  },
  (t) => [
    // Serves lists, whose order it has, and look-ups by id. Each further index costs every send 5 to 10 % of Postgres' time
    // (measured), and some 100 bytes of WAL.
    primaryKey({ columns: [t.accountId, t.id] }),
    // Erasures find the resends of a payload. Does not contain other deliveries, which cost nothing.
    index("deliveries_replays").on(t.replayOf).where(sql`${t.replayOf} is not null`),
    // Lists, searches and jobs find the deliveries of an event type.
    index("deliveries_event").on(t.accountId, t.event, t.id),
    // Iterators follow deliveries in the order in which they became visible.
    index("deliveries_transaction").on(t.accountId, t.transaction, t.id),
    // Does not contain other deliveries, which cost nothing.
    index("deliveries_numbered_later").on(t.endpointId, t.sequence).where(sql`${t.isNumberedLater}`),
  ],
);

/** Numbers scheduled deliveries in the queue until they are due. */
export const scheduledNumber = pgSequence("scheduled_number");

/** Pending deliveries. A row is deleted when its delivery ends, so a delivery is pending exactly while it is here. */
export const queue = pgTable(
  "queue",
  {
    partition: smallint().notNull(),
    endpointId: uuid("endpoint_id").$type<EndpointId>().notNull(),
    sequence: bigint({ mode: "number" }).notNull(),
    deliveryId: uuid("delivery_id").$type<DeliveryId>().notNull(),
    accountId: uuid("account_id").$type<AccountId>().notNull(),
    attemptCount: smallint("attempt_count").notNull().default(0),
    /** Recorded attempts that used no step of the schedule. */
    freeAttempts: smallint("free_attempts").notNull().default(0),
    /** True if the next attempt uses no step of the schedule: a retry, or a change of the endpoint, ended the wait before it. */
    nextIsFree: boolean("next_is_free").notNull().default(false),
    responseStatus: smallint("response_status"),
    nextAttemptAt: instant("next_attempt_at"),
    orderingKey: text("ordering_key"),
    /**
     * Deliveries up to this sequence get a single attempt, because an earlier one used up its schedule. Applies to this delivery
     * and to later ones of its order, until one succeeds. Null for the whole schedule.
     */
    singleAttemptTo: bigint("single_attempt_to", { mode: "number" }),
  },
  (t) => [
    // Lanes read their pages by it, records find their rows, and the sweep finds the first row of each endpoint.
    primaryKey({ columns: [t.partition, t.endpointId, t.sequence] }),
    // Lanes and `waiting_for` find the first deliveries of one key among a million others. Does not contain deliveries without
    // a key, which cost nothing.
    index("queue_keys")
      .on(t.partition, t.endpointId, t.orderingKey, t.sequence)
      .where(sql`${t.orderingKey} is not null`),
    // Lists and look-ups find pending deliveries in the order of ids. Includes the endpoint, so that it is compared in the index. The
    // condition is always true, and limits the index to statements that name the account. Otherwise, after statistics of an empty
    // queue, statements that name only the endpoint would use it and scan the queue for each delivery: recording 34 of 12,000
    // then takes 130 ms instead of 0.4 ms (measured).
    index("queue_account").on(t.accountId, t.deliveryId, t.endpointId).where(sql`${t.accountId} is not null`),
    // The loop that starts scheduled deliveries finds those that are due. Does not contain other deliveries, which cost nothing.
    index("queue_scheduled").on(t.nextAttemptAt).where(sql`${t.partition} = -1`),
    // Lanes and `waiting_for` find the retries of an unordered or crowded endpoint, and a retry of all that wait. Does not contain deliveries that were never attempted, which cost nothing.
    index("queue_retries")
      .on(t.partition, t.endpointId, t.nextAttemptAt)
      .where(sql`${t.nextAttemptAt} is not null`),
  ],
);

/**
 * Pages of pending deliveries that receivers have read and not acknowledged. The row goes with its last delivery, or once the
 * time for it is over and its deliveries are handed out again.
 */
export const pulls = pgTable(
  "pulls",
  {
    endpointId: uuid("endpoint_id").$type<EndpointId>().notNull(),
    /** Proves that the receiver has the page. */
    receipt: uuid().notNull().defaultRandom(),
    /** The receipt in the request that the page answered. A receiver that lost the answer asks with it again. */
    previous: uuid(),
    sequences: bigint({ mode: "number" }).array().notNull(),
    /** The ordering key of each delivery; null for none. */
    orderingKeys: text("ordering_keys").array().$type<(string | null)[]>().notNull(),
    handedAt: instant("handed_at").notNull().default(sql`now()`),
    endsAt: instant("ends_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.endpointId, t.receipt] })],
);

export const deliveryStatus = pgEnum("delivery_status", DELIVERY_STATUSES);
export const endReason = pgEnum("end_reason", END_REASONS);

/**
 * The results of ended deliveries, each written once. If the only attempt succeeded, as nearly always, the row holds that
 * attempt (see `deliveries/attempts`). Split like `deliveries`.
 */
export const results = pgTable(
  "results",
  {
    deliveryId: uuid("delivery_id").$type<DeliveryId>().notNull(),
    accountId: uuid("account_id").$type<AccountId>().notNull(),
    status: deliveryStatus().notNull(),
    attemptCount: smallint("attempt_count").notNull(),
    responseStatus: smallint("response_status"),
    endReason: endReason("end_reason"),
    completedAt: instant("completed_at").notNull(),
    /** The duration of the only attempt; null if the attempts are in `attempts` or there is none. */
    durationMs: integer("duration_ms"),
    responseBody: text("response_body"),
    /** Request, answer and timing of the only attempt. See `recorder/exchange-record`. */
    exchange: text(),
    endpointId: uuid("endpoint_id").$type<EndpointId>().notNull(),
  },
  (t) => [
    // In the order of an endpoint's lists, so that one index serves lists and look-ups. One more index would cost Postgres 10 %
    // more for recording (measured). It is here and not at `deliveries`, although lists then read the queue as well: no client
    // waits when a delivery ends. Without such scattered index writes an API accepts 7 % more sends (measured).
    primaryKey({ columns: [t.endpointId, t.deliveryId] }),
    // Lists find the deliveries of one status, and `page` reaches the one of a number.
    index("results_status").on(t.accountId, t.status, t.deliveryId),
    // Searches find everything but deliveries that succeeded at their first attempt. Searches check their other filters in its
    // columns. Has few rows, and costs nothing for plain successes.
    index("results_troubled")
      .on(t.accountId, t.deliveryId, t.status, t.endpointId, t.responseStatus)
      .where(sql`${t.durationMs} is null`),
  ],
);

/** The times at which payloads were erased. A table of its own, so that deliveries and events need no column for it. */
export const erasures = pgTable("erasures", {
  deliveryId: uuid("delivery_id").$type<DeliveryId | EventId>().primaryKey(),
  erasedAt: instant("erased_at").notNull().default(sql`now()`),
});

export const jobKind = pgEnum("job_kind", JOB_KINDS);
export const jobState = pgEnum("job_state", JOB_STATES);

/**
 * Work on many deliveries, step by step. `position` is the last delivery that was read; each step's transaction moves it.
 */
export const jobs = pgTable(
  "jobs",
  {
    id: uuid().$type<JobId>().primaryKey(),
    accountId: uuid("account_id").$type<AccountId>().notNull(),
    kind: jobKind().notNull(),
    state: jobState().notNull().default("running"),
    endpointId: uuid("endpoint_id").$type<EndpointId>(),
    event: text(),
    status: deliveryStatus(),
    createdFrom: instant("created_from"),
    createdBefore: instant("created_before").notNull(),
    position: uuid().$type<DeliveryId | EventId>().notNull(),
    /** True for a resend that must not send what is older than a change of its endpoint's origin. */
    atOriginOnly: boolean("at_origin_only").notNull().default(false),
    /** The deliveries that a resend has not sent yet; null for other kinds. */
    remaining: uuid().$type<DeliveryId>().array(),
    /** Number of deliveries in its range; null if there are too many to count. */
    total: bigint({ mode: "number" }),
    examined: count("examined"),
    done: count("done"),
    failure: text(),
    nextStepAt: instant("next_step_at").notNull().default(sql`now()`),
    /** Wait before the next step in milliseconds if the last step did not move the job; 0 otherwise. */
    waitedMs: integer("waited_ms").notNull().default(0),
    createdAt: instant("created_at").notNull().default(sql`now()`),
    completedAt: instant("completed_at"),
  },
  (t) => [
    index("jobs_account").on(t.accountId, t.id),
    index("jobs_running").on(t.nextStepAt).where(sql`${t.state} = 'running'`),
    index("jobs_running_of_account").on(t.accountId).where(sql`${t.state} = 'running'`),
  ],
);

/** Recorded attempts, except those in `results`; never updated. Split like `deliveries`. */
export const attempts = pgTable(
  "attempts",
  {
    deliveryId: uuid("delivery_id").$type<DeliveryId>().notNull(),
    accountId: uuid("account_id").$type<AccountId>().notNull(),
    attempt: smallint().notNull(),
    status: smallint().notNull(),
    error: text(),
    errorDetail: text("error_detail"),
    location: text(),
    startedAt: instant("started_at").notNull(),
    durationMs: integer("duration_ms").notNull(),
    responseBody: text("response_body"),
    /** Request, answer and timing. See `recorder/exchange-record`. */
    exchange: text(),
  },
  (t) => [
    primaryKey({ columns: [t.deliveryId, t.attempt] }),
    // Finds the errors of a delivery without reading its attempts, which are scattered over the table.
    index("attempts_errors").on(t.deliveryId, t.error).where(sql`${t.error} is not null`),
  ],
);

/**
 * Counts of an account's deliveries by event type and outcome, without the latest, which are in `counter_deltas`. A figure is
 * the sum of both. Pending is accepted minus ended. The event '' means no event.
 */
export const counters = pgTable(
  "counters",
  {
    accountId: uuid("account_id").$type<AccountId>().notNull(),
    event: text().notNull(),
    accepted: count("accepted"),
    delivered: count("delivered"),
    failed: count("failed"),
    cancelled: count("cancelled"),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.event] })],
);

/** Sums of an account's counters over its event types, so that reading them needs no aggregation. */
export const totals = pgTable("totals", {
  accountId: uuid("account_id").$type<AccountId>().primaryKey(),
  accepted: count("accepted"),
  delivered: count("delivered"),
  failed: count("failed"),
  cancelled: count("cancelled"),
});

/**
 * Changes not yet added to counters and totals: a row for each event type of a commit, negative for deliveries that retention
 * drops. Commits that only insert never wait for each other. A row costs 10 % of updating two rows that every commit changes
 * (measured). See `deliveries/counter-deltas`.
 */
export const counterDeltas = pgTable(
  "counter_deltas",
  {
    accountId: uuid("account_id").$type<AccountId>().notNull(),
    event: text().notNull(),
    accepted: integer().notNull().default(0),
    delivered: integer().notNull().default(0),
    failed: integer().notNull().default(0),
    cancelled: integer().notNull().default(0),
  },
  (t) => [index("counter_deltas_account").on(t.accountId)],
);

/**
 * Tallies of attempts and ended deliveries, until their minute is folded into `series`: a row for each commit, with a code for
 * each outcome (see `domain/tally`). Written in the transaction that it counts.
 */
export const tallies = pgTable("tallies", {
  at: instant("at").notNull().default(sql`now()`),
  endpointIds: uuid("endpoint_ids").array().notNull(),
  codes: integer().array().notNull(),
  /** The number of each code; null if each occurred once. */
  counts: bigint({ mode: "number" }).array(),
});

/**
 * Figures over time: a row for each minute and subject, after two days for each hour. The subject is an endpoint, an account,
 * or the zero id for everything. A code may occur several times in a row.
 */
export const series = pgTable(
  "series",
  {
    subject: uuid().notNull(),
    at: instant("at").notNull(),
    codes: integer().array().notNull(),
    counts: integer().array().notNull(),
  },
  (t) => [primaryKey({ columns: [t.subject, t.at] }), index("series_at").using("brin", t.at)],
);

/** The figures of each endpoint at its last fold. */
export const seriesPositions = pgTable("series_positions", {
  endpointId: uuid("endpoint_id").$type<EndpointId>().primaryKey(),
  /** The endpoint's last sequence. */
  accepted: count("accepted"),
  /** Number of its deliveries that had ended. */
  ended: count("ended"),
  lastSuccessAt: instant("last_success_at"),
});

/** Webhooks accepted in a calendar month (UTC); `period` is its first day. */
export const usage = pgTable(
  "usage",
  {
    accountId: uuid("account_id").$type<AccountId>().notNull(),
    period: date({ mode: "string" }).notNull(),
    used: count("used"),
    /** The month's count is the sum over its shards (see `intake/usage-shard`). */
    shard: smallint().notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.period, t.shard] })],
);

/**
 * Reports that wait to be sent to accounts' feeds. Written with the change that they report, deleted once their deliveries are
 * accepted.
 */
export const feedOutbox = pgTable(
  "feed_outbox",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    /** The account whose feed gets it. */
    accountId: uuid("account_id").$type<AccountId>().notNull(),
    /** The account that it is about. */
    about: uuid().$type<AccountId>().notNull(),
    event: text().notNull(),
    facts: json().notNull(),
    occurredAt: instant("occurred_at").notNull().default(sql`now()`),
  },
  (t) => [index("feed_outbox_account").on(t.accountId, t.id)],
);

/** Percentages of a month's webhooks whose use was reported to the account's feed. */
export const usageNotices = pgTable(
  "usage_notices",
  {
    accountId: uuid("account_id").$type<AccountId>().notNull(),
    period: date({ mode: "string" }).notNull(),
    percent: smallint().notNull(),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.period, t.percent] })],
);

/** Requests that an account used per minute, over all processes. An unlogged table, so a crash may lose it. */
export const rateWindows = pgTable("rate_windows", {
  accountId: uuid("account_id").$type<AccountId>().primaryKey(),
  startedAt: instant("started_at").notNull(),
  allowance: integer().notNull(),
  used: integer().notNull(),
  /** Number of requests granted to the process that asked last. */
  granted: integer().notNull(),
});

/**
 * Responses to POSTs with an Idempotency-Key. A send's response is derived from its delivery. Other responses are stored
 * encrypted, since they may contain a secret.
 */
export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    accountId: uuid("account_id").$type<AccountId>().notNull(),
    key: text().notNull(),
    fingerprint: bytes().notNull(),
    deliveryId: uuid("delivery_id").$type<DeliveryId>(),
    status: smallint(),
    response: text(),
    createdAt: instant("created_at").notNull().default(sql`now()`),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.key] }), index("idempotency_keys_created").on(t.createdAt)],
);

/** Event types that an account has used or described. `schema` is the JSON Schema that payloads must match. */
export const eventTypes = pgTable(
  "event_types",
  {
    accountId: uuid("account_id").$type<AccountId>().notNull(),
    name: text().notNull(),
    /** A JSON Schema as JSON text, with its numbers as they were given. */
    schema: text(),
    /** Number of changes of the schema so far. */
    schemaVersion: integer("schema_version").notNull().default(0),
    description: text(),
    /** The group that lists show the type in; null for none. */
    group: text(),
    /** A payload as JSON text, byte for byte as it was given. */
    example: text(),
    deprecated: boolean().notNull().default(false),
    createdAt: instant("created_at").notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.name] }),
    index("event_types_newest").on(t.accountId, t.createdAt, t.name),
    // Finds the types with a schema. Nearly every send reads them, and an account may have very many types.
    index("event_types_schema").on(t.accountId, t.name).where(sql`${t.schema} is not null`),
  ],
);

/** The latest schemas of event types; null where one was removed. */
export const schemaVersions = pgTable(
  "schema_versions",
  {
    accountId: uuid("account_id").$type<AccountId>().notNull(),
    name: text().notNull(),
    version: integer().notNull(),
    schema: text(),
    createdAt: instant("created_at").notNull().default(sql`now()`),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.name, t.version] })],
);

/** The progress of counting an expired time range before it is dropped. See `retention/expired-count`. */
export const retentionProgress = pgTable("retention_progress", {
  /** Name of the time range's table of deliveries. */
  timeRange: text("time_range").primaryKey(),
  /** Transactions below this one had ended when the count began. */
  began: transactionId().notNull().default(sql`pg_snapshot_xmin(pg_current_snapshot())`),
  /** Key of the last delivery counted. */
  accountId: uuid("account_id").notNull().default("00000000-0000-0000-0000-000000000000"),
  deliveryId: uuid("delivery_id").notNull().default("00000000-0000-0000-0000-000000000000"),
  isComplete: boolean("is_complete").notNull().default(false),
});

export const coldState = pgEnum("cold_state", COLD_STATES);

/**
 * The files with deliveries and events that left Postgres. A file exists only if it has a row. A block has everything of an
 * account from its first id to its last, but for what arrived later.
 */
export const coldBlocks = pgTable(
  "cold_blocks",
  {
    id: uuid("id").primaryKey(),
    accountId: uuid("account_id").$type<AccountId>().notNull(),
    state: coldState("state").notNull().default("writing"),
    firstId: uuid("first_id").$type<DeliveryId | EventId>().notNull(),
    lastId: uuid("last_id").$type<DeliveryId | EventId>().notNull(),
    path: text("path").notNull(),
    /** SHA-256 of the file, hexadecimal; empty while it is written. */
    digest: text("digest").notNull().default(""),
    byteCount: integer("byte_count").notNull().default(0),
    /** Rows of all tables, and deliveries among them. */
    rowCount: integer("row_count").notNull().default(0),
    deliveries: integer("deliveries").notNull().default(0),
    /** The originals of its resends, which share their payload. */
    resent: uuid("resent").array().$type<DeliveryId[]>().notNull().default([]),
    /** Ranges with the stamps of its deliveries, as `{[1,5],[9,9]}`: some of these may have none. */
    stamps: stampRanges().notNull().default("{}"),
    /** The block's share of the account's counters, by event. */
    counts: jsonb("counts").$type<ColdCount[]>().notNull().default([]),
  },
  (table) => [
    index("cold_blocks_account").on(table.accountId, table.lastId).where(sql`${table.state} = 'live'`),
    index("cold_blocks_next")
      .on(table.accountId, sql`lower(${table.stamps})`)
      .where(sql`${table.state} = 'live'`),
    index("cold_blocks_across")
      .on(table.accountId, sql`upper(${table.stamps})`, sql`lower(${table.stamps})`)
      .where(sql`${table.state} = 'live'`),
    index("cold_blocks_last").on(table.lastId).where(sql`${table.state} = 'live'`),
    index("cold_blocks_unfinished").on(table.state).where(sql`${table.state} <> 'live'`),
  ],
);

/** The numbers of an endpoint that are in a cold block: a row for each run of numbers without a gap. No two live blocks share one. */
export const coldNumbers = pgTable(
  "cold_numbers",
  {
    endpointId: uuid("endpoint_id").$type<EndpointId>().notNull(),
    first: bigint("first", { mode: "number" }).notNull(),
    last: bigint("last", { mode: "number" }).notNull(),
    blockId: uuid("block_id")
      .notNull()
      .references(() => coldBlocks.id, { onDelete: "cascade" }),
  },
  (t) => [
    primaryKey({ columns: [t.endpointId, t.last, t.blockId] }),
    index("cold_numbers_block").on(t.blockId),
  ],
);

/** Counts of an expired time range so far. */
export const retentionCounts = pgTable(
  "retention_counts",
  {
    timeRange: text("time_range").notNull(),
    accountId: uuid("account_id").$type<AccountId>().notNull(),
    event: text().notNull(),
    accepted: count("accepted"),
    delivered: count("delivered"),
    failed: count("failed"),
    cancelled: count("cancelled"),
  },
  (t) => [primaryKey({ columns: [t.timeRange, t.accountId, t.event] })],
);

/** Running processes. Each updates its row every few seconds. A dispatcher has the id of its process. */
export const processes = pgTable("processes", {
  id: uuid().primaryKey(),
  role: text().notNull(),
  version: text().notNull(),
  host: text().notNull(),
  pid: integer().notNull(),
  startedAt: instant("started_at").notNull(),
  seenAt: instant("seen_at").notNull().default(sql`now()`),
  memoryBytes: bigint("memory_bytes", { mode: "number" }).notNull(),
  cpuSeconds: doublePrecision("cpu_seconds").notNull(),
  figures: jsonb().notNull(),
});

/** Live dispatchers and the partitions that they own. Postgres' clock decides expiry. */
export const dispatchers = pgTable("dispatchers", {
  id: uuid().primaryKey(),
  expiresAt: instant("expires_at").notNull(),
});

export const partitionLeases = pgTable("partition_leases", {
  partition: smallint().primaryKey(),
  owner: uuid(),
  term: bigint({ mode: "number" }).notNull().default(0),
  expiresAt: instant("expires_at"),
});

/**
 * The accounts that move from this cell or to it, from the first step of a move to the last. No time range is counted, dropped or
 * written to files meanwhile: some of its rows may be in both cells.
 */
export const moves = pgTable("moves", {
  accountId: uuid("account_id").$type<AccountId>().primaryKey(),
  /** The move is given up at this time, unless the account has left by then. */
  deadline: instant("deadline").notNull(),
  /**
   * No attempt at its deliveries begins before this time. Renewals of leases return it, so that each dispatcher knows within a
   * lease. Null in the cell to which it moves.
   */
  heldUntil: instant("held_until"),
});

/**
 * The small rows of an account that leaves, many of a table in one list. Replication carries them behind everything else, and the
 * last list, which is empty, says that all are there.
 */
export const movedRows = pgTable(
  "moved_rows",
  {
    accountId: uuid("account_id").$type<AccountId>().notNull(),
    number: bigint({ mode: "number" }).generatedAlwaysAsIdentity(),
    /** The name of the rows' table; '' for the last list. */
    table: text().notNull(),
    rows: json().notNull(),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.number] })],
);

/** Values that are fixed for the whole installation, such as the number of partitions. */
export const settings = pgTable("settings", {
  name: text().primaryKey(),
  value: text().notNull(),
});
