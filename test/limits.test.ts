import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { KEYS } from "../src/accounts/api-keys";
import { KEY_SET_LIMIT } from "../src/accounts/authentication/key-set";
import { SESSION } from "../src/accounts/authentication/session-lookup";
import { EXTERNAL_ID_MAX_LENGTH } from "../src/accounts/external-id";
import { BATCH_MAX_ITEMS } from "../src/api/batch";
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
import { MAX_KEY_LENGTH } from "../src/api/idempotency/idempotency";
import { EXACT, FREE, MAX_DEPTH, MODELLED } from "../src/api/json/json-text";
import { BODY_LIMIT } from "../src/api/json/request-body";
import { PAGE_CHARACTERS } from "../src/api/lists/cursor-page";
import { DEFAULT_LIMIT, MAX_LIMIT } from "../src/api/lists/page-limit";
import { HEARTBEAT_SECONDS, LIVE_STREAMS } from "../src/api/live/live-streams";
import { MAX_DROPPED_BYTES } from "../src/attempt/connections/connection";
import { MAX_TRIES } from "../src/attempt/connections/connector";
import { IDLE_S, MAX_IDLE } from "../src/attempt/connections/idle-connections";
import { IN_A_ROW_MS, MAX_HANDSHAKE_BYTES, SMALL_HANDSHAKE_BYTES } from "../src/attempt/connections/tls";
import {
  MAX_KEPT_HEADERS,
  MAX_LINES,
  MAX_LOCATION,
  MAX_VALUE_LENGTH,
} from "../src/attempt/http1/answer-head";
import { MAX_HEAD_BYTES, MAX_INPUT_BYTES, MAX_INTERIM } from "../src/attempt/http1/answer-reader";
import { MAX_BODY_BYTES, SMALL_BODY_BYTES } from "../src/attempt/send";
import { LOOKUPS, MAX_ADDRESSES } from "../src/attempt/targets/lookups";
import { MAX_URL_LENGTH as TARGET_LENGTH } from "../src/attempt/targets/target";
import { BUCKET_BYTES, ENTRY_DAYS } from "../src/cells/bucket";
import { MOST_CELLS } from "../src/cells/cell-list";
import { BRIEFLY_MS, MOST_REMEMBERED, QUESTIONS, SILENT_MS } from "../src/cells/directory";
import { CLAIM_MS } from "../src/cells/own-cell";
import { ANSWER_MS, MOST_ASKED } from "../src/cells/questions";
import { MOST_VOUCHED, VOUCHER_QUESTIONS } from "../src/cells/vouching";
import { CERTIFICATIONS_AT_ONCE } from "../src/certification/certifier";
import { LARGE_BYTES, TRIALS } from "../src/certification/trial";
import { RUN_MS, TRIAL_MS } from "../src/certification/trial-run";
import { COMPLETION } from "../src/cli/commands/completion";
import { ITEMS, MOST_CHARACTERS } from "../src/cli/mcp/tools";
import { PROFILE_NAME } from "../src/cli/profiles";
import { WATCH_SECONDS } from "../src/cli/watch";
import { RECEIVED_BODY_BYTES } from "../src/client/received-body";
import { STORE_CALL_MS } from "../src/cold/store";
import { MOST_CHANGES } from "../src/console/console/line-diff";
import { MOST_TYPES } from "../src/console/pages/type-tree";
import { MOST_ROWS } from "../src/console/shared/most-rows";
import { KEPT_VARIANTS } from "../src/db/database";
import { LIFETIME } from "../src/db/sql/idempotency-key";
import { MOST_PENDING } from "../src/deliveries/backlog";
import { MOST_MERGED, NEAR, PAGE_TURN_MS } from "../src/deliveries/deliveries";
import {
  FILE_TURN_MS,
  MOST_BLOCKS,
  MOST_OVERLAPPING,
  MOST_WITHOUT_CURSOR,
} from "../src/deliveries/lists/cold-reads";
import { SEARCH_MS, TURN_MS } from "../src/deliveries/lists/search-pace";
import { AT_ONCE } from "../src/deliveries/lists/search-turns";
import { LOG_PAGE, MOST_APART_MS } from "../src/deliveries/log/endpoint-log";
import { MOST_READ } from "../src/deliveries/log/entries";
import { MOST_FREE, MOST_RETRIED } from "../src/deliveries/retry";
import { MOST_EXAMINED } from "../src/deliveries/stuck-orders";
import { MAX_WATCHED } from "../src/deliveries/tail";
import { MOST_COUNTED, MAX_SEARCHED as MOST_SEARCHED } from "../src/deliveries/waiting";
import { DELIVERY_WEIGHT, MAX_WEIGHT } from "../src/dispatch/actor";
import { FULL_PAGE, SMALLEST_PAGE } from "../src/dispatch/backlog/backlog";
import { BATCH_CHARACTERS } from "../src/dispatch/lane/batch";
import { IN_FLIGHT_CHARACTERS, LANE_CHARACTERS, LANE_DELIVERIES } from "../src/dispatch/lane/lane";
import { MOST_HELD } from "../src/dispatch/lane/lane-state";
import { KEY_DELIVERIES } from "../src/dispatch/lane/page";
import { MACHINE_MAX_LENGTH } from "../src/domain/console-login";
import { MAX_SCHEDULE_MS, METADATA, SETTINGS } from "../src/domain/endpoint-settings";
import { FILTER_MAX_LENGTH, MAX_PATTERNS, MAX_RESOURCE_PARTS } from "../src/domain/event-filter";
import { MAX_HOPS } from "../src/domain/ids";
import { EVENT_MAX_LENGTH, ORDERING_KEY_MAX_LENGTH } from "../src/domain/names";
import { PORTAL } from "../src/domain/portal";
import { RECEIVER_KEYS } from "../src/domain/receiver-key";
import { MAX_RETRIES_READ } from "../src/endpoints/blocked";
import { FEED_ENDPOINTS, FILTERS } from "../src/endpoints/endpoint";
import {
  MAX_HEADER_NAME,
  MAX_HEADER_VALUE,
  MAX_HEADERS,
  MAX_HEADERS_LENGTH,
} from "../src/endpoints/request-headers";
import { MAX_EARLIER_SECRETS, MAX_OVERLAP_S } from "../src/endpoints/secret-rotation";
import { MAX_RESOLVED_BYTES } from "../src/event-types/catalogue/document";
import { EXAMPLE_SIZE, MAX_IMPORTED } from "../src/event-types/catalogue/entry";
import { YAML_LIMITS } from "../src/event-types/catalogue/yaml";
import {
  CODE_MS,
  MAX_CODE,
  MAX_CODED_SCHEMA,
  MAX_KEPT_CODE,
  MAX_QUEUED_CODE,
} from "../src/event-types/code/code-writer";
import { DESCRIPTION_LIMITS } from "../src/event-types/description";
import { DESCRIBED, MAX_VERSIONS, PAGE_BYTES, SCHEMAS } from "../src/event-types/event-type-limits";
import { MOST_KEPT, WRITE_EVERY_MS } from "../src/event-types/filter/error-counts";
import { MAX_CONVERTED, MAX_FILTER_STEPS } from "../src/event-types/filter/filter-budget";
import { MAX_FILTER_PARTS } from "../src/event-types/filter/inspection";
import {
  MAX_ERROR_LENGTH,
  MAX_FILTER_DEPTH,
  MAX_FILTER_LENGTH,
} from "../src/event-types/filter/payload-filter";
import { MAX_FILTER_CHARACTERS, MAX_REQUEST_STEPS } from "../src/event-types/judge";
import { LONGEST_MS } from "../src/event-types/rules-thread";
import {
  ALLOWED_MS,
  FIRST_WAIT_MS,
  FORGIVEN_AFTER_MS,
  LONGEST_WAIT_MS,
  MAX_DEBT_MS,
  QUESTION_MS,
  REPAID_SHARE,
  SLOW_MS,
} from "../src/event-types/rules-threads";
import { MAX_SAMPLE, MAX_SAMPLE_BYTES } from "../src/event-types/sample";
import { MAX_SCHEMA_DEPTH } from "../src/event-types/schema/enforcement";
import { MAX_COMPILED_BYTES, MatchBudget } from "../src/event-types/schema/match-budget";
import { MAX_PATTERN_LENGTH, MAX_PATTERN_SIZE } from "../src/event-types/schema/pattern";
import { MAX_PATTERNS_SIZE, SIZE_OF_EACH, SIZE_OF_PROPERTY } from "../src/event-types/schema/patterns";
import { MAX_SCHEMA_WEIGHT } from "../src/event-types/schema/schema-compiler";
import {
  MAX_NUMBER_LENGTH,
  MAX_REPEATED_NODES,
  MAX_SCHEMA_BYTES,
  MAX_SCHEMA_NODES,
} from "../src/event-types/schema/schema-limits";
import { MAX_NAME_LENGTH } from "../src/event-types/schema/schema-walk";
import { MAX_WARNINGS } from "../src/event-types/schema/schema-warnings";
import { MAX_FACT_CHARACTERS, MAX_FACTS } from "../src/feeds/chat-message";
import { USAGE_ACCOUNTS } from "../src/feeds/feeds";
import { MAX_DOMAIN, MAX_LOCAL_PART } from "../src/feeds/mail/mail-address";
import { MAIL_SESSIONS } from "../src/feeds/mail/mail-sender";
import { MOST_WAITING } from "../src/feeds/outbox";
import { MAX_ENDPOINTS, MAX_READ, SHARED_DELIVERIES } from "../src/intake/events/audience";
import { MOST_AHEAD, STALLED_MS } from "../src/intake/events/delivery-pace";
import { MAX_QUEUED_CHARACTERS as QUEUED_EVENTS } from "../src/intake/events/fan-out-commit";
import { MAX_DELIVERIES } from "../src/intake/new-delivery";
import { MAX_SENDS, MAX_QUEUED_CHARACTERS as QUEUED_SENDS } from "../src/intake/sends/group-commit";
import { RUNNING_JOBS } from "../src/jobs/jobs";
import { MAX_PENDING } from "../src/jobs/replay-step";
import { CLOSING_MS, LEAVE_MS } from "../src/moves/move";
import { PURGED_AT_ONCE } from "../src/moves/purge";
import { MOST_SUBJECTS, PACKED } from "../src/moves/source";
import { ANSWER_LIMIT } from "../src/oidc/identity-provider";
import { SAID_MAX_LENGTH } from "../src/oidc/sign-in-refusal";
import { MOST_OVER } from "../src/pulling/handed-page";
import { EXAMINED, PAGE_BYTES as PULLED_BYTES, SEARCHED_KEYLESS } from "../src/pulling/next-page";
import { MOST_PAGES } from "../src/pulling/receive";
import { MOST_HANDED_OUT } from "../src/pulling/settling";
import { MOST_WAITING as WAITING_READERS } from "../src/pulling/waiting-room";
import { MAX_OUTCOMES } from "../src/recorder/recorder";
import {
  MAX_TRIED_CHARACTERS,
  MAX_WARNED_CHARACTERS,
  SCHEMAS_MS,
} from "../src/resources/catalogue/importing";
import { FOUND_PROBLEMS_PER_MINUTE } from "../src/resources/endpoints/address-check";
import { CERTIFICATIONS_PER_MINUTE } from "../src/resources/endpoints/certification";
import { DESCRIPTION_MAX_LENGTH, MAX_FEED_ACCOUNTS } from "../src/resources/endpoints/endpoint";
import { RECEIVE } from "../src/resources/endpoints/receiving";
import { MAX_ENTRIES, SEARCH_MAX_LENGTH } from "../src/resources/endpoints/search-query";
import { WRITTEN_CODE_PER_MINUTE } from "../src/resources/event-types/type-code";
import { eventId } from "../src/resources/events/event-id";
import { SAID_SECONDS } from "../src/resources/oidc/routes";
import { MAX_POINTS } from "../src/resources/stats/series";
import { MAX_RESENT } from "../src/resources/webhooks/resend-selection";
import { MAX_PAYLOAD_FIELDS } from "../src/resources/webhooks/search-query";
import { MAX_DELIVER_AFTER_MS } from "../src/resources/webhooks/send-body";
import { MOST_BESIDE_WAITING } from "../src/retention/freezing";
import { BLOCK_LIMITS } from "../src/retention/next-block";
import { MOST_WAITING as MOST_LEFT, MOST_PUT_BACK } from "../src/retention/waiting-rows";
import { HEAD_SECONDS, KEPT_BODY_BYTES } from "../src/router/forwarding";
import { ENTRY_SECONDS } from "../src/router/placing";
import { mostWaiting } from "../src/router/remote-cell";
import { MOST_HOMES } from "../src/router/router";
import { MOST_OF_ONE } from "../src/runtime/queues/batcher";
import { MINUTES_KEPT_MS } from "../src/series/upkeep";
import { readConfig } from "../src/service/config";
import { MOST_UNDER_WAY } from "../src/service/dispatcher-processes";
import { CONNECTIONS } from "../src/service/monitor";
import { SESSIONS_PER_KEY } from "../src/sessions/sessions";
import { MAX_MESSAGE_BYTES, MAX_MESSAGE_DATA_BYTES } from "../src/stream/hint";
import { FLOOD_REST_MS, MAX_REFUSED_PER_SECOND, VALID_MS } from "../src/stream/signer";
import { ROWS_AT_ONCE } from "../src/transfer/export";
import { BATCH_BYTES } from "../src/transfer/export-file";
import { SESSION_LIMITS } from "../src/transfer/transfer";

const { steps, comparisons, characters } = new MatchBudget();
const config = readConfig({});

/** Returns a constant of the Java client. */
function inJava(name: string): number {
  const path = "../clients/java/src/main/java/dev/hermod/json/Json.java";
  const [, value = ""] = readFileSync(join(import.meta.dir, path), "utf8").split(` ${name} = `);
  return Number.parseInt(value.replaceAll("_", ""), 10);
}
const DAY_MS = 86_400_000;
const MIB = 1_048_576;
/** Held by test/http/batch.test.ts. */
const ITEM_ANSWER = 1_024;

/** The first cell of each row, and the numbers of its limit. */
const ROWS: Record<string, readonly number[]> = {
  // Limits that you can set
  "sends that wait for a commit, in a process": [config.intakeQueue],
  "connections of clients to the API, in a process; half of them for one address": [config.apiConnections],
  "attempts in flight, in a process": [config.maxInFlight],
  "an attempt, from the look-up of the name to the last byte": [config.attemptTimeoutMs / 1_000],
  "the body of an answer that Hermod keeps": [config.responseBodyBytes],
  "a console session of a person": [1],
  "age of a delivery": [config.retentionMs / DAY_MS],
  "age of an entry of the audit log": [config.auditRetentionMs / DAY_MS],
  // Requests
  "a body, counted as it arrives": [BODY_LIMIT],
  "nesting of `data`": [MAX_DEPTH],
  [`a body of more than ${written(FREE.unchecked)} characters`]: [FREE.depth, FREE.names, FREE.values],
  [`a body without payload, schema or document, of more than ${written(MODELLED.unchecked)} characters`]: [
    MODELLED.names,
    MODELLED.values,
  ],
  [`a schema or an imported document of more than ${written(EXACT.unchecked)} characters`]: [
    EXACT.depth,
    EXACT.values,
  ],
  "the URL": [MAX_URL_LENGTH],
  headers: [REQUEST_HEADERS, MAX_HEADER_LENGTH],
  "`Content-Encoding`": [],
  "`Idempotency-Key`": [MAX_KEY_LENGTH],
  "life of an `Idempotency-Key`": [Number(/\d+/.exec(LIFETIME))],
  "time without progress: between requests, or in a body slower than 16 KiB a second": [IDLE_TIMEOUT_SECONDS],
  "connections to the metrics port": [CONNECTIONS],
  "live streams of a process": [LIVE_STREAMS.inAll],
  "live streams of an account": [LIVE_STREAMS.ofAccount],
  "live streams of all portal sessions in a process": [LIVE_STREAMS.ofPortals],
  "live streams of an account's portal sessions, beside its own": [LIVE_STREAMS.ofAccountsPortals],
  "live streams of a portal session": [LIVE_STREAMS.ofSession],
  "silence of a live stream": [HEARTBEAT_SECONDS],
  "pending deliveries that a live stream watches for changes": [MAX_WATCHED],
  "failed authentications of an address (IPv6: a network of 64 bits), in a process": [FAILURES_PER_MINUTE],
  "problems that an account finds by checks of URLs, in a process": [FOUND_PROBLEMS_PER_MINUTE],
  "failed sign-ins of an address, in a process": [FAILED_SIGN_INS_PER_MINUTE],
  "answers 403 to a key, a session or the JWTs of an account, in a process": [REFUSALS_PER_MINUTE],
  "console sessions of a key or a person": [SESSIONS_PER_KEY],
  "a console session of a key": [SESSION.hours],
  "a console session without a request": [SESSION.idleMinutes],
  "a portal session": [PORTAL.leastSeconds / 60, PORTAL.mostSeconds / 60],
  "a portal session's scope": [PORTAL.endpoints, MAX_PATTERNS],
  "time to open a portal link, once": [PORTAL.linkSeconds],
  "requests of an account's portal sessions, beside its own": [PORTAL.requestsPerMinute],
  "API keys of an account": [KEYS.most],
  "receiver keys of an endpoint": [RECEIVER_KEYS.most],
  "requests of all receiver keys of an endpoint, beside the account's": [RECEIVER_KEYS.requestsPerMinute],
  "an answer of the identity provider": [ANSWER_LIMIT],
  "words of the identity provider about a refused sign-in": [SAID_MAX_LENGTH],
  "time that the page shows these words": [SAID_SECONDS],
  "the key set at `HERMOD_JWKS_URL`": [KEY_SET_LIMIT],
  // Sending
  "an event type": [EVENT_MAX_LENGTH],
  "an ordering key": [ORDERING_KEY_MAX_LENGTH],
  "`event_id`": [eventId.maxLength ?? 0],
  "`deliver_after`": [MAX_DELIVER_AFTER_MS / DAY_MS],
  "a batch": [BATCH_MAX_ITEMS],
  "the result of a refused item, beyond the item's own text": [ITEM_ANSWER],
  "endpoints of one event": [MAX_ENDPOINTS],
  "deliveries of one request's events": [MAX_DELIVERIES],
  "deliveries that led to a request (`webhook-hops`)": [MAX_HOPS],
  "running jobs of an account": [RUNNING_JOBS.most],
  "pending deliveries of an endpoint during a replay": [MAX_PENDING],
  "ids of one resend": [MAX_RESENT.ids],
  "deliveries that the filter of one resend selects": [MAX_RESENT.filter, MAX_RESENT.seconds],
  "deliveries of events in one commit": [SHARED_DELIVERIES],
  "event types whose endpoints one commit reads": [MAX_READ],
  "an account's deliveries without an outcome, in a process of `bun start`": [MOST_AHEAD],
  "time without an outcome, while events wait so": [STALLED_MS],
  "an account's sends or outcomes in one commit, while other accounts have some": [MOST_OF_ONE],
  "sends in one commit": [MAX_SENDS],
  "outcomes in one commit": [MAX_OUTCOMES],
  // Endpoints
  "the URL of an endpoint": [TARGET_LENGTH],
  "the description of an endpoint": [DESCRIPTION_MAX_LENGTH],
  "an external id, of an endpoint or an account": [EXTERNAL_ID_MAX_LENGTH],
  "event type patterns of an endpoint": [MAX_PATTERNS, EVENT_MAX_LENGTH],
  "`event_filter`, all patterns as one text": [FILTER_MAX_LENGTH],
  "parts of a resource in front of `.*`": [MAX_RESOURCE_PARTS],
  metadata: Object.values(METADATA),
  "headers of an endpoint": [MAX_HEADERS, MAX_HEADER_NAME, MAX_HEADER_VALUE, MAX_HEADERS_LENGTH],
  "content type": [SETTINGS.content_type.most],
  "retry schedule": [
    SETTINGS.retry_schedule_ms.most,
    SETTINGS.retry_schedule_ms.each.least,
    SETTINGS.retry_schedule_ms.each.most,
    MAX_SCHEDULE_MS,
  ],
  "permanent statuses": Object.values(SETTINGS.permanent_statuses.each),
  "`timeout_ms`": [SETTINGS.timeout_ms.least, SETTINGS.timeout_ms.most],
  "rate limit": [SETTINGS.rate_limit.most, 1, 1 / SETTINGS.rate_limit.least],
  "deliveries in flight, by key or unordered": [SETTINGS.max_in_flight.most],
  "deliveries in one request, `batch_size`": [SETTINGS.batch_size.most],
  "deliveries that one retry of an endpoint makes due": [MOST_RETRIED],
  "attempts of a delivery, after which a retry uses up a step of its schedule": [MOST_FREE],
  "overlap of a replaced signing secret": [MAX_OVERLAP_S],
  "replaced signing secrets that still sign": [MAX_EARLIER_SECRETS],
  "feed endpoints of an account": [FEED_ENDPOINTS.most],
  "accounts that a feed names": [MAX_FEED_ACCOUNTS],
  "pending deliveries that a feed's report counts": [MOST_WAITING],
  "accounts whose monthly usage a process compares with the limit, each half second": [USAGE_ACCOUNTS],
  "endpoints of an account with a payload filter": [FILTERS.most],
  "certifications that an account asks for, in a process": [CERTIFICATIONS_PER_MINUTE],
  "certifications at a time": [1, CERTIFICATIONS_AT_ONCE],
  "a certification": [TRIALS.length, LARGE_BYTES / 1_024, RUN_MS / 1_000],
  "a trial, if the endpoint's `timeout_ms` or `HERMOD_ATTEMPT_TIMEOUT` is not shorter": [TRIAL_MS / 1_000],
  "a message for Slack, Teams or e-mail": [MAX_FACTS, MAX_FACT_CHARACTERS],
  "the recipient of e-mail: ASCII letters, digits and `. _ + - = ~ '` before the `@`": [
    MAX_LOCAL_PART,
    MAX_DOMAIN,
  ],
  "sessions with the mail server, in a process": [MAIL_SESSIONS],
  "retries that Hermod reads each minute to find what blocks an endpoint": [MAX_RETRIES_READ],
  // Reading
  "deliveries of a page": [RECEIVE.deliveries.most],
  "payloads of a page, unless it has one delivery": [PULLED_BYTES / MIB],
  "`lease`, a receiver's time for a page": [RECEIVE.lease.most],
  "`wait` for a delivery": [RECEIVE.wait.most],
  "requests that wait, in a process": [WAITING_READERS.process, WAITING_READERS.account],
  "pages that receivers of an endpoint have at a time, by key or unordered": [MOST_PAGES],
  "a receiver's words about a failed delivery": [RECEIVE.errorCharacters],
  "hand-outs of a delivery that is never acknowledged": [MOST_HANDED_OUT],
  "pages whose time is over that one request takes back": [MOST_OVER],
  "deliveries or keys that the search for a page looks at, by key or unordered": [EXAMINED],
  "deliveries searched for what a delivery without an ordering key waits for": [MOST_SEARCHED, MOST_SEARCHED],
  "deliveries searched for the next one without an ordering key": [SEARCHED_KEYLESS],
  // Lists and searches
  "a page": [DEFAULT_LIMIT, MAX_LIMIT],
  "the size of a page": [PAGE_CHARACTERS],
  "a page of an endpoint's log": [LOG_PAGE.default, LOG_PAGE.numbers, LOG_PAGE.bytes],
  "the clocks of API processes, for the log to find every number": [MOST_APART_MS / 1_000, MOST_READ],
  "time of a search": [SEARCH_MS],
  "time that a search waits for its turn": [TURN_MS / 1_000],
  "searches of payloads at a time": [1, AT_ONCE],
  "searches of other slow lists at a time": [1, AT_ONCE],
  "a file": [BLOCK_LIMITS.items, BLOCK_LIMITS.bytes],
  "files that one answer reads": [MOST_BLOCKS, MOST_OVERLAPPING],
  "files that a numbered page, or a request to resend many, reads": [MOST_WITHOUT_CURSOR],
  "reads of files at a time": [1, AT_ONCE],
  "time that a read of a file waits": [FILE_TURN_MS / 1_000],
  "time of a call to the store of files": [STORE_CALL_MS / 1_000],
  "the last delivery on a numbered page of an account with files": [MOST_MERGED],
  "pending webhooks, and events with pending deliveries, that stay in Postgres when their time range moves": [
    MOST_LEFT,
  ],
  "rows of these, with attempts": [MOST_PUT_BACK],
  "deliveries of a time range that moves while something in it is pending": [MOST_BESIDE_WAITING],
  [`numbered pages at a time by status and event, beyond ${written(NEAR)} deliveries, or of a portal session in an account with feeds`]:
    [1, AT_ONCE],
  "time that a numbered page waits": [PAGE_TURN_MS / 1_000],
  "payload fields in one search": [MAX_PAYLOAD_FIELDS],
  "a search for endpoints": [SEARCH_MAX_LENGTH, MAX_ENTRIES],
  "the count of an endpoint's pending deliveries": [MOST_PENDING],
  "deliveries in front of a delivery, and behind it, among which those of its order are counted": [
    MOST_COUNTED,
  ],
  "pending deliveries of an endpoint, among which orders are found that a retry holds back": [MOST_EXAMINED],
  "points of figures over time": [MAX_POINTS],
  "age of figures in steps of less than an hour": [MINUTES_KEPT_MS / 3_600_000],
  "kinds of lists whose plans a connection to Postgres keeps, 1 or 2 MB each": [KEPT_VARIANTS],
  // Schemas of event types
  "a schema": [MAX_SCHEMA_BYTES],
  "a number in a schema, within ±1.8e308": [MAX_NUMBER_LENGTH],
  "schemas within each other": [MAX_SCHEMA_DEPTH],
  "values of a schema, with the targets of references": [MAX_SCHEMA_NODES],
  "values that are read for each item or property": [MAX_REPEATED_NODES],
  "a name in a schema": [MAX_NAME_LENGTH],
  "a compiled schema": [MAX_SCHEMA_WEIGHT / MIB],
  "warnings about a schema": [MAX_WARNINGS],
  "characters of the warnings about the schemas of an imported document": [MAX_WARNED_CHARACTERS],
  "event types of an account with a schema": [SCHEMAS.most],
  "described event types of an account": [DESCRIBED.most],
  "the description of an event type": [DESCRIPTION_LIMITS.description],
  "the group of an event type": [DESCRIPTION_LIMITS.group],
  "the example of an event type": [DESCRIPTION_LIMITS.exampleBytes],
  "event types of an imported document": [MAX_IMPORTED],
  "schemas and examples of an imported document, with the targets of references": [MAX_RESOLVED_BYTES],
  "an imported document in YAML": [YAML_LIMITS.characters, YAML_LIMITS.bytes],
  "nesting of an imported document in YAML": [YAML_LIMITS.depth],
  "aliases of an imported document in YAML": [YAML_LIMITS.aliases],
  "names that merge keys (`<<`) of an imported document in YAML copy": [YAML_LIMITS.mergedNames],
  "a tag in an imported document in YAML": [YAML_LIMITS.tag],
  "nesting of an example in an imported document": [EXAMPLE_SIZE.depth],
  "time to check the schemas of an imported document": [SCHEMAS_MS / 1_000],
  "kept payloads on which the schemas of an imported document are tried": [MAX_TRIED_CHARACTERS / MIB],
  "schemas and examples on a page of event types": [PAGE_BYTES],
  "event types that the console and the portal read": [MOST_TYPES],
  "rows of a live list in the console or the portal, beside those that somebody has scrolled to": [MOST_ROWS],
  "lines that differ between two schemas in the console": [MOST_CHANGES],
  "a schema or example for which types are written": [MAX_CODED_SCHEMA],
  "CPU time to write types for an event type": [CODE_MS / 1_000],
  "types for an event type": [MAX_CODE],
  "types written at a time, in a process; waiting": [1, MAX_QUEUED_CODE],
  "types that an account has written, in a process": [WRITTEN_CODE_PER_MINUTE],
  "types that a process keeps": [MAX_KEPT_CODE],
  "versions of a schema": [MAX_VERSIONS],
  "kept payloads in a check of a schema": [MAX_SAMPLE, MAX_SAMPLE_BYTES / MIB],
  "a pattern": [MAX_PATTERN_LENGTH, MAX_PATTERN_SIZE],
  [`the patterns of a schema; each different pattern counts ${SIZE_OF_EACH} more, each \`\\p{…}\` ${SIZE_OF_PROPERTY} more`]:
    [MAX_PATTERNS_SIZE],
  "pattern steps of a request (characters of the text times instructions of the pattern)": [steps],
  "comparisons of a request's payloads with schemas": [comparisons],
  "characters of a request's payloads that schemas count": [characters],
  "compiled schemas in memory; as many again for accounts that are judged apart": [MAX_COMPILED_BYTES / MIB],
  "schemas compiled for one request": [MAX_COMPILED_BYTES / MIB],
  // Filters of payloads
  "a payload filter": [MAX_FILTER_LENGTH, MAX_FILTER_PARTS],
  "brackets and conditions (`a ? b : c`) of a filter within each other": [MAX_FILTER_DEPTH],
  "steps of a filter for one event": [MAX_FILTER_STEPS],
  "a text that a filter converts to a number or a time": [MAX_CONVERTED],
  "the error of a filter": [MAX_ERROR_LENGTH],
  "endpoints whose filter errors a process keeps in memory": [MOST_KEPT, WRITE_EVERY_MS / 1_000],
  "steps of all filters for the payloads of a request": [MAX_REQUEST_STEPS],
  "compiled filters in memory; as many again for accounts that are judged apart": [MAX_FILTER_CHARACTERS],
  "kept payloads in a test of a filter": [MAX_SAMPLE, MAX_SAMPLE_BYTES / MIB],
  // Threads for schemas and filters
  "CPU time of one schema or filter": [QUESTION_MS / 1_000],
  "time of one schema or filter on a machine that is busy with something else": [LONGEST_MS / 1_000],
  "suspension of an account, in which its requests with schemas or filters get a 503": [
    FIRST_WAIT_MS / 1_000,
    LONGEST_WAIT_MS / 1_000,
    FIRST_WAIT_MS / 1_000,
    FORGIVEN_AFTER_MS / 1_000,
  ],
  "CPU time of a question": [SLOW_MS],
  [`an account's CPU time in slow questions, less ${REPAID_SHARE * 1_000} ms for each second that passes`]: [
    ALLOWED_MS,
  ],
  "time that an account is judged apart, after its last slow question": [MAX_DEBT_MS / REPAID_SHARE / 60_000],
  // Receivers
  "a webhook that the client's inbox and `readBody` read": [RECEIVED_BODY_BYTES],
  "nesting of JSON that the Java client reads or writes": [inJava("MOST_LEVELS")],
  "characters of a number that the Java client makes a `BigDecimal` of": [inJava("MOST_DIGITS")],
  "heads of an answer, interim answers included": [MAX_HEAD_BYTES / 1_024],
  "header lines of a head": [MAX_LINES],
  "a header of an answer that Hermod reads": [MAX_VALUE_LENGTH],
  "interim answers": [MAX_INTERIM],
  "header lines that Hermod keeps": [MAX_KEPT_HEADERS],
  "a redirect's `Location` that Hermod keeps": [MAX_LOCATION],
  "addresses of a name": [MAX_ADDRESSES],
  "addresses that one attempt tries": [MAX_TRIES],
  "names looked up at a time, in a process; seven eighths for one account": [LOOKUPS.most],
  "time that a look-up waits": [LOOKUPS.waitMs / 1_000],
  "data of a TLS handshake": [MAX_HANDSHAKE_BYTES, SMALL_HANDSHAKE_BYTES],
  "TLS handshakes in a row": [IN_A_ROW_MS],
  "idle connections of a process, and those that are being ended": [MAX_IDLE],
  "time of an idle connection": [IDLE_S],
  "time of a connection that is being ended": [IDLE_S],
  "data of a connection that is being ended": [MAX_DROPPED_BYTES],
  // Stream
  "a message": [MAX_MESSAGE_BYTES],
  "a payload in a message": [MAX_MESSAGE_DATA_BYTES],
  "age of a message": [VALID_MS / 1_000],
  "refused messages of a subject": [MAX_REFUSED_PER_SECOND],
  "pause in reading, after too many refused messages": [FLOOD_REST_MS / 1_000],
  "deliveries on their way to a dispatcher that `bun start` runs; each counts as 512 characters more": [
    MOST_UNDER_WAY,
  ],
  // Cells
  "cells of an installation": [MOST_CELLS],
  "a body that a router can send to a second cell": [KEPT_BODY_BYTES],
  "homes that a router tries for a request": [MOST_HOMES],
  "time until a cell begins its answer": [HEAD_SECONDS],
  "requests of a router that wait for the answer of one cell: a quarter of `HERMOD_API_CONNECTIONS`": [
    mostWaiting(config.apiConnections),
  ],
  "time until a cell says how many accounts it has": [ENTRY_SECONDS],
  "time until a cell answers a question of the directory": [ANSWER_MS / 1_000],
  "time for which a cell that hangs is not asked again": [SILENT_MS / 1_000],
  "keys and accounts in one question": [MOST_ASKED],
  "questions at a time, and keys and accounts that wait for one, in a process": Object.values(QUESTIONS),
  "keys and accounts whose cell a process remembers": [MOST_REMEMBERED],
  "time for which a process trusts that no cell, or every cell, has a key or an account": [
    BRIEFLY_MS / 1_000,
  ],
  "administrators of other cells that a process knows": [MOST_VOUCHED],
  "questions about administrators at a time, and questions that wait, in a process":
    Object.values(VOUCHER_QUESTIONS),
  "the directory's disk": [BUCKET_BYTES / 1_024 ** 3],
  "age of an entry of the directory": [ENTRY_DAYS],
  "an entry of an external id without an account": [CLAIM_MS / 1_000],
  // Moves
  "accounts that move from a cell or to it at a time": [1],
  "time for which requests of an account get 503 before it leaves, so that none is under way": [
    CLOSING_MS / 1_000,
  ],
  "the departure of an account, in which its smaller rows are taken: pending deliveries, endpoints, keys, idempotency keys, audit log":
    [LEAVE_MS / 1_000],
  "endpoints whose figures over time are copied before the departure": [MOST_SUBJECTS],
  "rows in one list of `moved_rows`": [PACKED],
  "deliveries or events that one statement deletes from the cell that the account left": [PURGED_AT_ONCE],
  // Memory
  "deliveries of an endpoint in memory": [LANE_DELIVERIES, LANE_CHARACTERS],
  "deliveries of an ordering key in memory": [KEY_DELIVERIES],
  "payloads of a request with several deliveries": [BATCH_CHARACTERS],
  "payloads of an endpoint in flight": [IN_FLIGHT_CHARACTERS],
  [`deliveries in memory, in a process; each counts as ${DELIVERY_WEIGHT} characters more`]: [MAX_WEIGHT],
  "keys of an endpoint that wait for a retry": [MOST_HELD],
  "a payload that waits in memory": [FULL_PAGE.payloadBytes, SMALLEST_PAGE.payloadBytes],
  [`payloads of more than ${written(SMALL_BODY_BYTES)} bytes that the kernel has not taken, in a process; seven eighths for one account`]:
    [MAX_BODY_BYTES / MIB],
  "unfinished heads of answers and waiting handshakes, in a process": [MAX_INPUT_BYTES / MIB],
  "payloads of sends that wait for a commit, in a process": [QUEUED_SENDS],
  "payloads of events that wait for a commit, in a process": [QUEUED_EVENTS],
  "an answer to an agent": [MOST_CHARACTERS],
  "items of a list that an agent reads": [ITEMS.most, ITEMS.usual],
  "the name of a machine that `hermod login` shows": [MACHINE_MAX_LENGTH],
  "the name of a profile of the command line": [PROFILE_NAME.maxLength],
  "endpoints or event types that a shell completes": [COMPLETION.words],
  "time for the service's answer to a shell": [COMPLETION.answerMs / 1_000],
  "seconds between two readings of `--watch`": [WATCH_SECONDS.most, WATCH_SECONDS.usual],
  "rows that an export reads at a time": [ROWS_AT_ONCE],
  "rows that an import writes at a time": [BATCH_BYTES],
  "silence of an export or import": [SESSION_LIMITS.idleMs / 1_000],
  "a statement of an export or import": [SESSION_LIMITS.statementMs / 1_000],
};

const page = readFileSync(join(import.meta.dir, "../docs/limits.md"), "utf8");
/** The limits of the page: the rows of each table whose first column is `limited`. */
const limits = new Map(
  [...page.matchAll(/^\| limited \|.*\n(?:\|.*\n)+/gm)]
    .flatMap(([table]) => [...table.matchAll(/^\| (?!limited |---)(.+?) \| (.+?) \|/gm)])
    .map(([, limited = "", limit = ""]) => [limited, limit]),
);

test("a silent live stream is not closed as idle", () => {
  expect(2 * HEARTBEAT_SECONDS).toBeLessThan(IDLE_TIMEOUT_SECONDS);
});

test("docs/limits.md has a row for each limit that is checked here, and no other", () => {
  expect([...limits.keys()].toSorted()).toEqual(Object.keys(ROWS).toSorted());
});

test.each(Object.entries(ROWS))("docs/limits.md states the real limit: %s", (limited, figures) => {
  const plain = limits.get(limited)?.replaceAll(/`[^`]*`/g, "") ?? "";
  const named = [...plain.matchAll(/\d+(,\d{3})*/g)].map(([figure]) => figure);
  expect(named).toEqual(figures.map(written));
});

function written(figure: number): string {
  return figure.toLocaleString("en");
}
