import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { KEYS } from "../src/accounts/api-keys";
import { KEY_SET_LIMIT } from "../src/accounts/authentication/key-set";
import { SESSION } from "../src/accounts/authentication/session-lookup";
import { EXTERNAL_ID_MAX_LENGTH } from "../src/accounts/external-id";
import { BATCH_MAX_ITEMS } from "../src/api/batch";
import { BODY_LIMIT } from "../src/api/edge/body";
import {
  FAILED_SIGN_INS_PER_MINUTE,
  FAILURES_PER_MINUTE,
  REFUSALS_PER_MINUTE,
} from "../src/api/edge/failure-limit";
import {
  MAX_HEADER_LENGTH,
  MAX_URL_LENGTH,
  MAX_HEADERS as REQUEST_HEADERS,
} from "../src/api/edge/request-head";
import { IDLE_TIMEOUT_SECONDS } from "../src/api/edge/serve";
import { FREE, MODELLED } from "../src/api/json/json-bounds";
import { MAX_DEPTH } from "../src/api/json/json-text";
import { PAGE_CHARACTERS } from "../src/api/lists/cursor-page";
import { HEARTBEAT_SECONDS, LIVE_STREAMS } from "../src/api/live/live-streams";
import { IN_A_ROW_MS } from "../src/attempt/admission/handshake-queue";
import { MAX_BODY_BYTES, SMALL_BODY_BYTES } from "../src/attempt/admission/memory";
import { MAX_DROPPED_BYTES } from "../src/attempt/connections/connection";
import { MAX_TRIES } from "../src/attempt/connections/connector";
import { IDLE_S, MAX_IDLE } from "../src/attempt/connections/idle-connections";
import { MAX_HANDSHAKE_BYTES, SMALL_HANDSHAKE_BYTES } from "../src/attempt/connections/tls";
import {
  MAX_KEPT_HEADERS,
  MAX_LINES,
  MAX_LOCATION,
  MAX_VALUE_LENGTH,
} from "../src/attempt/http1/answer-head";
import { MAX_HEAD_BYTES, MAX_INTERIM } from "../src/attempt/http1/answer-reader";
import { MAIL_SESSIONS } from "../src/attempt/send";
import { LOOKUPS, MAX_ADDRESSES } from "../src/attempt/targets/lookups";
import { MAX_URL_LENGTH as TARGET_LENGTH } from "../src/attempt/targets/target";
import { MOST_PENDING as MOST_BACKLOG } from "../src/deliveries/backlog";
import { MAX_DELIVER_AFTER_MS } from "../src/deliveries/schedule";
import { MAX_WATCHED } from "../src/deliveries/tail";
import { MOST_COUNTED } from "../src/deliveries/waiting";
import { FULL_PAGE, SMALLEST_PAGE } from "../src/dispatch/backlog/backlog";
import { IN_FLIGHT_CHARACTERS, LANE_CHARACTERS, LANE_DELIVERIES } from "../src/dispatch/lane/lane";
import { MOST_HELD } from "../src/dispatch/lane/orders";
import { KEY_DELIVERIES } from "../src/dispatch/lane/page";
import { METADATA, SETTINGS } from "../src/domain/endpoint-settings";
import { FILTER_MAX_LENGTH, MAX_PATTERNS, MAX_RESOURCE_PARTS } from "../src/domain/event-filter";
import { MAX_HOPS } from "../src/domain/ids";
import { EVENT_MAX_LENGTH, ORDERING_KEY_MAX_LENGTH } from "../src/domain/names";
import { PORTAL } from "../src/domain/portal";
import { MAX_RETRIES_READ } from "../src/endpoints/blocked";
import { FEED_ENDPOINTS, FILTERS } from "../src/endpoints/endpoint";
import { MOST_PENDING } from "../src/endpoints/health";
import {
  MAX_HEADER_NAME,
  MAX_HEADER_VALUE,
  MAX_HEADERS,
  MAX_HEADERS_LENGTH,
} from "../src/endpoints/request-headers";
import { MAX_RESOLVED_BYTES } from "../src/event-types/catalogue/document";
import { EXAMPLE_SIZE, MAX_IMPORTED } from "../src/event-types/catalogue/entry";
import { DESCRIPTION_LIMITS } from "../src/event-types/description";
import { DESCRIBED, MAX_VERSIONS, PAGE_BYTES, SCHEMAS } from "../src/event-types/event-type-limits";
import { MAX_FILTER_STEPS } from "../src/event-types/filter/filter-budget";
import { MAX_FILTER_PARTS } from "../src/event-types/filter/inspection";
import { MAX_FILTER_DEPTH, MAX_FILTER_LENGTH } from "../src/event-types/filter/payload-filter";
import { MAX_REQUEST_STEPS } from "../src/event-types/judge";
import {
  ALLOWED_MS,
  FIRST_WAIT_MS,
  FORGIVEN_AFTER_MS,
  LONGEST_WAIT_MS,
  MAX_DEBT_MS,
  REPAID_SHARE,
  SLOW_MS,
} from "../src/event-types/rules-allowance";
import { LONGEST_MS } from "../src/event-types/rules-thread";
import { QUESTION_MS } from "../src/event-types/rules-threads";
import { MAX_SAMPLE } from "../src/event-types/sample";
import { MAX_COMPILED_BYTES, MatchBudget } from "../src/event-types/schema/match-budget";
import { MAX_PATTERN_LENGTH, MAX_PATTERN_SIZE } from "../src/event-types/schema/pattern";
import { MAX_PATTERNS_SIZE } from "../src/event-types/schema/patterns";
import { MAX_SCHEMA_WEIGHT } from "../src/event-types/schema/schema-compiler";
import {
  MAX_REPEATED_NODES,
  MAX_SCHEMA_BYTES,
  MAX_SCHEMA_DEPTH,
  MAX_SCHEMA_NODES,
} from "../src/event-types/schema/schema-limits";
import { MAX_NAME_LENGTH } from "../src/event-types/schema/schema-walk";
import { MAX_FACT_CHARACTERS, MAX_FACTS } from "../src/feeds/chat-message";
import { MAX_DOMAIN, MAX_LOCAL_PART } from "../src/feeds/mail/mail-address";
import { MAX_ENDPOINTS, SHARED_DELIVERIES } from "../src/intake/events/accept-events";
import { MOST_AHEAD, STALLED_MS } from "../src/intake/events/delivery-pace";
import { MAX_SENDS } from "../src/intake/sends/group-commit";
import { MAX_DELIVERIES } from "../src/intake/sends/sending-request";
import { RUNNING_JOBS } from "../src/jobs/jobs";
import { MAX_PENDING } from "../src/jobs/replay-step";
import { ANSWER_LIMIT } from "../src/oidc/identity-provider";
import { SAID_MAX_LENGTH } from "../src/oidc/sign-in-refusal";
import { MAX_OUTCOMES } from "../src/recorder/recorder";
import { MAX_TRIED_CHARACTERS, SCHEMAS_MS } from "../src/resources/catalogue/importing";
import { MAX_ENTRIES, SEARCH_MAX_LENGTH } from "../src/resources/endpoints/search-query";
import { SAID_SECONDS } from "../src/resources/oidc/routes";
import { MAX_POINTS } from "../src/resources/stats/series";
import { MAX_RESENT } from "../src/resources/webhooks/resend-selection";
import { MAX_PAYLOAD_FIELDS } from "../src/resources/webhooks/search-query";
import { MOST_OF_ONE } from "../src/runtime/queues/batcher";
import { MINUTES_KEPT_MS } from "../src/series/upkeep";
import { readConfig } from "../src/service/config";
import { CONNECTIONS } from "../src/service/monitor";
import { SESSIONS_PER_KEY } from "../src/sessions/sessions";
import { MAX_MESSAGE_BYTES, MAX_MESSAGE_DATA_BYTES } from "../src/stream/hint";
import { FLOOD_REST_MS, MAX_REFUSED_PER_SECOND, VALID_MS } from "../src/stream/signer";
import { ROWS_AT_ONCE } from "../src/transfer/export";
import { BATCH_BYTES } from "../src/transfer/export-file";
import { SESSION_LIMITS } from "../src/transfer/session";

const { steps, comparisons, characters } = new MatchBudget();

/** The first cell of a row, and what the second one must name. */
const ROWS: Record<string, readonly number[]> = {
  body: [BODY_LIMIT, MAX_DEPTH, ...Object.values(FREE), MODELLED.names, MODELLED.values, MODELLED.unchecked],
  "URL, headers": [MAX_URL_LENGTH, REQUEST_HEADERS, MAX_HEADER_LENGTH],
  "connections of clients": [readConfig({}).apiConnections, CONNECTIONS],
  "idle connections": [MAX_IDLE, IDLE_S],
  "connections being ended": [IDLE_S, MAX_DROPPED_BYTES],
  time: [IDLE_TIMEOUT_SECONDS],
  "failed authentications": [FAILURES_PER_MINUTE],
  "refused requests": [REFUSALS_PER_MINUTE],
  "failed sign-ins": [FAILED_SIGN_INS_PER_MINUTE],
  "portal sessions": [
    PORTAL.linkSeconds,
    PORTAL.leastSeconds / 60,
    PORTAL.mostSeconds / 60,
    PORTAL.requestsPerMinute,
    PORTAL.endpoints,
    MAX_PATTERNS,
  ],
  "answers of an identity provider": [KEY_SET_LIMIT, ANSWER_LIMIT, SAID_MAX_LENGTH, SAID_SECONDS],
  "live streams": [...Object.values(LIVE_STREAMS), HEARTBEAT_SECONDS, MAX_WATCHED],
  sessions: [SESSIONS_PER_KEY, SESSION.hours, SESSION.idleMinutes],
  "`deliver_after`": [MAX_DELIVER_AFTER_MS / 86_400_000],
  "event type, ordering key": [EVENT_MAX_LENGTH, ORDERING_KEY_MAX_LENGTH],
  batch: [BATCH_MAX_ITEMS],
  "an event": [MAX_ENDPOINTS],
  "a request's events": [MAX_DELIVERIES],
  "events beside each other": [SHARED_DELIVERIES],
  "an account's events": [MOST_AHEAD, STALLED_MS],
  "an account's part of a commit": [MOST_OF_ONE, MAX_SENDS, MAX_OUTCOMES],
  replays: [MAX_PENDING],
  "a resend of many": [MAX_RESENT.ids, MAX_RESENT.filter, MAX_RESENT.seconds],
  "running jobs": [RUNNING_JOBS.most],
  loops: [MAX_HOPS],
  "API keys": [KEYS.most],
  "URL, description, external id": [EXTERNAL_ID_MAX_LENGTH, TARGET_LENGTH],
  filter: [MAX_PATTERNS, EVENT_MAX_LENGTH, FILTER_MAX_LENGTH, MAX_RESOURCE_PARTS],
  "filter of payloads": [MAX_FILTER_LENGTH, MAX_FILTER_PARTS, MAX_FILTER_DEPTH, FILTERS.most],
  "a filter over one event": [MAX_FILTER_STEPS],
  "the filters of all payloads of a request": [MAX_REQUEST_STEPS],
  "a test of a filter": [MAX_SAMPLE],
  metadata: Object.values(METADATA),
  headers: [MAX_HEADERS, MAX_HEADER_NAME, MAX_HEADER_VALUE, MAX_HEADERS_LENGTH],
  "retry schedule": [SETTINGS.retry_schedule_ms.most],
  "content type": [SETTINGS.content_type.most],
  "timeout of an attempt": [SETTINGS.timeout_ms.least, SETTINGS.timeout_ms.most / 1_000],
  "message for Slack, Teams or e-mail": [MAX_FACTS, MAX_FACT_CHARACTERS],
  "recipient of e-mail": [MAX_LOCAL_PART, MAX_DOMAIN],
  "sessions with the mail server": [MAIL_SESSIONS],
  "rate limit, deliveries in flight (by key or unordered)": [
    SETTINGS.rate_limit.most,
    SETTINGS.max_in_flight.most,
  ],
  "endpoints for an account's feed": [FEED_ENDPOINTS.most],
  "retries that are read to find what blocks an endpoint": [MAX_RETRIES_READ],
  "figures over time": [MAX_POINTS, MINUTES_KEPT_MS / 3_600_000],
  "what waits": [MOST_PENDING, MOST_COUNTED, MOST_BACKLOG],
  "endpoints searched": [SEARCH_MAX_LENGTH, MAX_ENTRIES],
  "payload fields searched at once": [MAX_PAYLOAD_FIELDS],
  "a schema": [
    MAX_SCHEMA_BYTES,
    MAX_SCHEMA_DEPTH,
    MAX_SCHEMA_NODES,
    MAX_REPEATED_NODES,
    MAX_NAME_LENGTH,
    MAX_SCHEMA_WEIGHT / 1_048_576,
  ],
  "one schema or filter in a turn": [QUESTION_MS / 1_000, LONGEST_MS / 1_000],
  "an account whose rule was beyond this": [
    FIRST_WAIT_MS / 1_000,
    LONGEST_WAIT_MS / 1_000,
    FORGIVEN_AFTER_MS / 1_000,
  ],
  "an account that is judged with the others": [
    SLOW_MS,
    ALLOWED_MS,
    REPAID_SHARE * 1_000,
    MAX_DEBT_MS / REPAID_SHARE / 60_000,
  ],
  "compiled schemas": [MAX_COMPILED_BYTES / 1_048_576],
  "an account": [SCHEMAS.most, DESCRIBED.most],
  "a description, a group, an example": Object.values(DESCRIPTION_LIMITS),
  "an imported document": [
    MAX_IMPORTED,
    MAX_RESOLVED_BYTES,
    EXAMPLE_SIZE.depth,
    SCHEMAS_MS / 1_000,
    MAX_TRIED_CHARACTERS / 1_048_576,
  ],
  page: [PAGE_CHARACTERS],
  "a page of event types": [PAGE_BYTES],
  "versions of a schema": [MAX_VERSIONS],
  "a check of a schema": [MAX_SAMPLE],
  patterns: [MAX_PATTERN_LENGTH, MAX_PATTERN_SIZE, MAX_PATTERNS_SIZE],
  "matching the payloads of a request": [steps, comparisons, characters],
  "of an answer": [
    MAX_HEAD_BYTES / 1_024,
    MAX_LINES,
    MAX_VALUE_LENGTH,
    MAX_INTERIM,
    readConfig({}).responseBodyBytes,
    MAX_KEPT_HEADERS,
    MAX_LOCATION,
  ],
  "addresses of a name": [MAX_ADDRESSES, MAX_TRIES],
  "a TLS handshake": [MAX_HANDSHAKE_BYTES, SMALL_HANDSHAKE_BYTES],
  "TLS handshakes": [IN_A_ROW_MS],
  "names looked up at once": [LOOKUPS.most, LOOKUPS.waitMs / 1_000],
  "large payloads": [FULL_PAGE.payloadBytes, SMALLEST_PAGE.payloadBytes],
  [`payloads of more than ${SMALL_BODY_BYTES.toLocaleString("en")} bytes on their way to the kernel`]: [
    MAX_BODY_BYTES / 1_048_576,
  ],
  "a message": [MAX_MESSAGE_BYTES, MAX_MESSAGE_DATA_BYTES],
  "a message's age": [VALID_MS / 1_000],
  "refused messages": [MAX_REFUSED_PER_SECOND, FLOOD_REST_MS / 1_000],
  "keys that wait for a retry": [MOST_HELD],
  "an export or import": [
    ROWS_AT_ONCE,
    BATCH_BYTES,
    SESSION_LIMITS.idleMs / 1_000,
    SESSION_LIMITS.statementMs / 1_000,
  ],
  "deliveries in memory": [LANE_DELIVERIES, KEY_DELIVERIES, LANE_CHARACTERS, IN_FLIGHT_CHARACTERS],
};

const page = readFileSync(join(import.meta.dir, "../docs/limits.md"), "utf8");
const cells = new Map(
  [...page.matchAll(/^\| ([^|]+) \| (.+) \|$/gm)].map(([, name = "", text = ""]) => [name, text]),
);

test("a silent live stream is not closed as idle", () => {
  expect(2 * HEARTBEAT_SECONDS).toBeLessThan(IDLE_TIMEOUT_SECONDS);
});

test.each(Object.entries(ROWS))("docs/limits.md states the real limit: %s", (name, figures) => {
  const named = cells.get(name)?.match(/\d+(,\d{3})*/g) ?? [];
  for (const figure of figures) expect(named).toContain(figure.toLocaleString("en"));
});
