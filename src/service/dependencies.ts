import { Accounts } from "../accounts/account";
import { ApiKeys } from "../accounts/api-keys";
import { Authenticator } from "../accounts/authentication/authenticator";
import { Plans } from "../accounts/plan";
import { RateLimiter } from "../accounts/rate-limit";
import { SharedWindows } from "../accounts/rate-window";
import { ReceiverKeys } from "../accounts/receiver-keys";
import { Usage } from "../accounts/usage";
import type { Dependencies } from "../api/dependencies";
import { RequestLog } from "../api/edge/request-log";
import { Cursors } from "../api/lists/cursors";
import { LiveStreams } from "../api/live/live-streams";
import { Exchanger } from "../attempt/exchanger";
import { createAddressPolicy } from "../attempt/targets/address";
import { addressCheck } from "../attempt/targets/address-check";
import { TargetResolver } from "../attempt/targets/resolver";
import { AuditLog } from "../audit/audit-log";
import type { OwnCell } from "../cells/own-cell";
import type { Vouching } from "../cells/vouching";
import { Certifier } from "../certification/certifier";
import type { Database } from "../db/database";
import { Deliveries } from "../deliveries/deliveries";
import { EndpointLog } from "../deliveries/log/endpoint-log";
import { Stats } from "../deliveries/stats";
import type { Endpoints } from "../endpoints/endpoint";
import { CodeWriter } from "../event-types/code/code-writer";
import { EventTypes } from "../event-types/event-type";
import { FilterErrorCounts } from "../event-types/filter/error-counts";
import { PayloadGate } from "../event-types/payload-gate";
import type { RulesThreads } from "../event-types/rules-threads";
import { Samples } from "../event-types/sample";
import { Events } from "../events/events";
import { messagesFor } from "../feeds/chat-message";
import { checkEndpointUrl } from "../feeds/endpoint-url";
import { Installation } from "../installation/processes";
import { IdentityProvider } from "../oidc/identity-provider";
import { Pulls } from "../pulling/pulls";
import { recentStorage } from "../retention/storage";
import type { Clock } from "../runtime/clock";
import type { Log } from "../runtime/log";
import { USER_AGENT } from "../runtime/version";
import { Series } from "../series/series";
import { PortalSessions } from "../sessions/portal-sessions";
import { Sessions } from "../sessions/sessions";
import type { Vault } from "../vault/vault";
import type { Cold } from "./cold";
import type { Config } from "./config";

export type DependencyOptions = {
  config: Config;
  log: Log;
  clock: Clock;
  db: Database;
  vault: Vault;
  endpoints: Endpoints;
  rules: RulesThreads;
  cold?: Cold | null;
  /** Resolves once the keys of the installation exist. Requests wait for it. */
  keysAreThere?: Promise<void>;
  /** Null, the default, in an installation without cells. */
  cell?: OwnCell | null;
  vouching?: Vouching | null;
};

/** Creates the dependencies of the API that need only Postgres. The rest needs the intake and NATS. */
export function dependencies(options: DependencyOptions) {
  const { config, log, clock, db, vault, endpoints, rules, cold = null, keysAreThere } = options;
  const { cell = null, vouching = null } = options;
  const files = cold?.reads ?? null;
  const policy = createAddressPolicy(config);
  const resolver = new TargetResolver({ ...config, policy, clock });
  const payloadGate = new PayloadGate(db, clock, rules);
  return {
    config,
    log,
    clock,
    db,
    vault,
    cursors: new Cursors(vault.derive("cursors")),
    endpoints,
    certifier: certifierOf(options, resolver),
    authenticator: new Authenticator({ db, clock, jwt: config.jwt, keysAreThere }),
    rateLimiter: new RateLimiter({ windows: new SharedWindows(db), clock }),
    accounts: new Accounts(db, config.defaultPlan, cell),
    cell,
    vouching,
    plans: new Plans(db),
    apiKeys: new ApiKeys(db),
    receiverKeys: new ReceiverKeys(db),
    sessions: new Sessions(db),
    portalSessions: new PortalSessions(db),
    identityProvider: config.oidc && new IdentityProvider(config.oidc),
    auditLog: new AuditLog(db),
    usage: new Usage(db),
    pulls: new Pulls({ ...config, db, clock, log, onHandedOver: (id) => endpoints.notifyChange(id) }),
    deliveries: new Deliveries(db, files),
    endpointLog: new EndpointLog(db, files),
    events: new Events(db, files),
    thawing: cold?.thawing ?? null,
    stats: new Stats(db),
    series: new Series(db),
    installation: new Installation(db, clock),
    storage: recentStorage(db, clock),
    eventTypes: new EventTypes(db, rules, payloadGate),
    payloadGate,
    codeWriter: new CodeWriter(clock),
    samples: new Samples(db, files),
    filterErrors: new FilterErrorCounts({ db, clock, log }),
    rules,
    liveStreams: new LiveStreams({ clock, log }),
    requestLog:
      config.logRequests === 0
        ? null
        : new RequestLog({ log, share: config.logRequests, random: Math.random }),
    checkAddress: addressCheck(resolver),
    checkUrl: (text: string) => checkEndpointUrl(text, policy, config),
  } satisfies Partial<Dependencies>;
}

/** Sends trials as a dispatcher sends deliveries, by the same rules for addresses. */
function certifierOf({ config, clock, db, vault }: DependencyOptions, resolver: TargetResolver): Certifier {
  const { allowStaticRsa, attemptTimeoutMs, responseBodyBytes, egressProxy, publicUrl } = config;
  const exchanger = new Exchanger({
    resolver,
    timeoutMs: attemptTimeoutMs,
    responseBodyBytes,
    userAgent: USER_AGENT,
    clock,
    egressProxy,
    tls: { allowStaticRsa },
  });
  const messages = messagesFor(publicUrl);
  return new Certifier({
    db,
    openSecret: vault.open.bind(vault),
    exchanger,
    messages,
    clock,
    attemptTimeoutMs,
  });
}
