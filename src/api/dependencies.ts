import type { Accounts } from "../accounts/account";
import type { ApiKeys } from "../accounts/api-keys";
import type { Authenticator } from "../accounts/authentication/authenticator";
import type { Plans } from "../accounts/plan";
import type { RateLimiter } from "../accounts/rate-limit";
import type { ReceiverKeys } from "../accounts/receiver-keys";
import type { Usage } from "../accounts/usage";
import type { CheckAddress } from "../attempt/targets/address-check";
import type { TargetCheck } from "../attempt/targets/target";
import type { AuditLog } from "../audit/audit-log";
import type { OwnCell } from "../cells/own-cell";
import type { Vouching } from "../cells/vouching";
import type { Certifier } from "../certification/certifier";
import type { Thawing } from "../cold/thawing";
import type { Database } from "../db/database";
import type { Deliveries } from "../deliveries/deliveries";
import type { Erased } from "../deliveries/erasure";
import type { EndpointLog } from "../deliveries/log/endpoint-log";
import type { Stats } from "../deliveries/stats";
import type { QueueKey } from "../domain/partition";
import type { Endpoints } from "../endpoints/endpoint";
import type { CodeWriter } from "../event-types/code/code-writer";
import type { EventTypes } from "../event-types/event-type";
import type { FilterErrorCounts } from "../event-types/filter/error-counts";
import type { PayloadGate } from "../event-types/payload-gate";
import type { RulesThreads } from "../event-types/rules-threads";
import type { Samples } from "../event-types/sample";
import type { Events } from "../events/events";
import type { Installation } from "../installation/processes";
import type { FanOutIntake } from "../intake/events/fan-out";
import type { Intake } from "../intake/new-delivery";
import type { Replays } from "../intake/replays/replays";
import type { Jobs } from "../jobs/jobs";
import type { IdentityProvider } from "../oidc/identity-provider";
import type { Pulls } from "../pulling/pulls";
import type { Storage } from "../retention/storage";
import type { Clock } from "../runtime/clock";
import type { Log } from "../runtime/log";
import type { Series } from "../series/series";
import type { PortalSessions } from "../sessions/portal-sessions";
import type { Sessions } from "../sessions/sessions";
import type { Tracing } from "../tracing/tracing";
import type { SecretVault } from "../vault/vault";
import type { RequestLog } from "./edge/request-log";
import type { Cursors } from "./lists/cursors";
import type { LiveStreams } from "./live/live-streams";
import type { ApiSettings } from "./settings";

/** The dependencies of the HTTP API. */
export type Dependencies = {
  config: ApiSettings;
  clock: Clock;
  log: Log;
  db: Database;
  authenticator: Authenticator;
  rateLimiter: RateLimiter;
  accounts: Accounts;
  /** Null in an installation without cells. */
  cell: OwnCell | null;
  vouching: Vouching | null;
  plans: Plans;
  apiKeys: ApiKeys;
  receiverKeys: ReceiverKeys;
  sessions: Sessions;
  portalSessions: PortalSessions;
  /** Null if none is configured. */
  identityProvider: IdentityProvider | null;
  auditLog: AuditLog;
  usage: Usage;
  endpoints: Endpoints;
  certifier: Certifier;
  pulls: Pulls;
  deliveries: Deliveries;
  /** Brings deliveries back from files, for what changes or copies them. Null if all are in Postgres. */
  thawing: Thawing | null;
  endpointLog: EndpointLog;
  events: Events;
  stats: Stats;
  series: Series;
  installation: Installation;
  /** Reads the figures of the storage, which may be a minute old. */
  storage(): Promise<Storage>;
  eventTypes: EventTypes;
  payloadGate: PayloadGate;
  codeWriter: CodeWriter;
  samples: Samples;
  filterErrors: FilterErrorCounts;
  /** Checks and evaluates filters. */
  rules: Pick<RulesThreads, "checkFilter" | "filter">;
  intake: Intake;
  fanOuts: FanOutIntake;
  replays: Replays;
  jobs: Jobs;
  /** Makes dispatchers read an endpoint's queue again. */
  notifyChange(queue: QueueKey): void;
  /** Makes dispatchers read the queues again, and removes erased payloads from the stream. */
  afterErasure(erased: Erased): void;
  vault: SecretVault;
  cursors: Cursors;
  liveStreams: LiveStreams;
  /** Checks whether deliveries may go to a URL. */
  checkUrl: CheckUrl;
  /** Looks up the address of a URL. */
  checkAddress: CheckAddress;
  readiness(): Promise<Readiness>;
  /** Records every request under /v1, and every error. */
  meter?: RequestMeter | null;
  /** Null to log no requests. */
  requestLog: RequestLog | null;
  /** Null to trace no requests. */
  tracing: Tracing | null;
};

export type RequestMeter = { requested(): void; refused(status: number, code: string): void };

export type CheckUrl = (text: string) => TargetCheck;

/** `writes`: Postgres takes writes, as far as is known. */
export type Readiness = { postgres: boolean; nats: boolean; writes: boolean };
