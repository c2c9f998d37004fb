import { Accounts, DEFAULT_ACCOUNT } from "../../src/accounts/account";
import { ApiKeys } from "../../src/accounts/api-keys";
import { Authenticator } from "../../src/accounts/authentication/authenticator";
import { PERMISSIONS, type Permission } from "../../src/accounts/authentication/permissions";
import { Plans } from "../../src/accounts/plan";
import { RateLimiter } from "../../src/accounts/rate-limit";
import { SharedWindows } from "../../src/accounts/rate-window";
import { Usage } from "../../src/accounts/usage";
import { checkEndpointUrl } from "../../src/attempt/endpoint-url";
import { createAddressPolicy } from "../../src/attempt/targets/address";
import { AuditLog } from "../../src/audit/audit-log";
import { Database } from "../../src/db/database";
import { Deliveries } from "../../src/deliveries/deliveries";
import { Stats } from "../../src/deliveries/stats";
import type { AccountId } from "../../src/domain/ids";
import { partitionOf } from "../../src/domain/partition";
import { Endpoints } from "../../src/endpoints/endpoint";
import { EventTypes } from "../../src/event-types/event-type";
import { PayloadGate } from "../../src/event-types/payload-gate";
import { RulesThreads } from "../../src/event-types/rules-threads";
import { Events } from "../../src/events/events";
import { createApp } from "../../src/http/app";
import type { Dependencies } from "../../src/http/dependencies";
import { serve } from "../../src/http/edge/serve";
import { Cursors } from "../../src/http/lists/cursors";
import { LiveStreams } from "../../src/http/live/live-streams";
import { Installation } from "../../src/installation/processes";
import { FanOutCommit } from "../../src/intake/events/fan-out-commit";
import { Replays } from "../../src/intake/replays/replays";
import { GroupCommit } from "../../src/intake/sends/group-commit";
import { chooseShards } from "../../src/intake/usage-shard";
import { Jobs } from "../../src/jobs/jobs";
import { IdentityProvider } from "../../src/oidc/identity-provider";
import { systemClock } from "../../src/runtime/clock";
import { createLog } from "../../src/runtime/log";
import { Series } from "../../src/series/series";
import { readConfig } from "../../src/service/config";
import { PortalSessions } from "../../src/sessions/portal-sessions";
import { Sessions } from "../../src/sessions/sessions";
import { parseEncryptionKeys } from "../../src/vault/encryption-key";
import { Vault } from "../../src/vault/vault";
import { type TestDatabase, testDatabase } from "../support/postgres";
import { Client } from "./client";
import { TestVault } from "./vault";

export const JWT_SECRET = "a secret for tests, of 32 characters and more";
const PARTITIONS = 8;

/** The API over a database of its own, on a port of its own; nothing dispatches. */
export type TestService = Readonly<{
  url: string;
  database: TestDatabase;
  dependencies: Dependencies;
  /** Holds every permission, in the default account, which has no limits. */
  admin: Client;
  /** A client of a new account. */
  newClient(options?: { plan?: string; permissions?: readonly Permission[] }): Promise<Client>;
  /** Another key of an account. */
  newKey(accountId: AccountId, permissions: readonly Permission[], expiresAt?: number): Promise<Client>;
  stop(): Promise<void>;
}>;

export type TestServiceOptions = {
  /** Shares the database of another one, as a second process would. */
  beside?: TestService;
  /** Instead of the real ones. */
  dependencies?: Partial<Dependencies>;
};

export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const database = options.beside?.database ?? (await testDatabase());
  const dependencies = { ...dependenciesOn(database), ...options.dependencies };
  const server = serve(createApp(dependencies), { host: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${server.port}`;
  const newKey = async (accountId: AccountId, permissions: readonly Permission[], expiresAt?: number) => {
    const wanted = { name: null, permissions, expiresAt: expiresAt ?? null };
    const { key } = await database.db.transaction((sql) =>
      dependencies.apiKeys.create(sql, accountId, wanted, null),
    );
    return new Client(url, accountId, key);
  };
  return {
    url,
    database,
    dependencies,
    admin: await newKey(DEFAULT_ACCOUNT, PERMISSIONS),
    newKey,
    newClient: async ({ plan = "unlimited", permissions = PERMISSIONS } = {}) => {
      const { id } = await database.db.transaction((sql) =>
        dependencies.accounts.create(sql, { name: "test", plan }),
      );
      return newKey(id, permissions);
    },
    stop: async () => {
      await server.close();
      if (!options.beside) await database.drop();
    },
  };
}

/** The routes of the API. Reads no database. */
export function apiRoutes() {
  const url = "postgres://localhost/none";
  const db = new Database({
    url,
    size: 1,
    statementTimeoutMs: 1,
    queryTimeoutMs: 1,
    log: createLog("silent"),
  });
  return createApp(dependenciesOn({ db, url })).routes;
}

function dependenciesOn({ db, url }: Pick<TestDatabase, "db" | "url">): Dependencies {
  const clock = systemClock;
  const log = createLog("silent");
  const vault = new TestVault();
  const rules = new RulesThreads(log, clock);
  const payloadGate = new PayloadGate(db, clock, rules);
  const config = readConfig({ DATABASE_URL: url, HERMOD_JWT_SECRET: JWT_SECRET });
  const policy = createAddressPolicy(config);
  const shards = chooseShards(Math.random());
  return {
    config,
    clock,
    log,
    db,
    vault,
    cursors: new Cursors(
      new Vault(parseEncryptionKeys(Buffer.alloc(32, 1).toString("base64"))).derive("cursors"),
    ),
    authenticator: new Authenticator({ db, clock, jwt: config.jwt }),
    rateLimiter: new RateLimiter({ windows: new SharedWindows(db), clock }),
    accounts: new Accounts(db, config.defaultPlan),
    plans: new Plans(db),
    apiKeys: new ApiKeys(db),
    sessions: new Sessions(db),
    portalSessions: new PortalSessions(db),
    identityProvider: config.oidc && new IdentityProvider(config.oidc),
    auditLog: new AuditLog(db),
    usage: new Usage(db),
    endpoints: new Endpoints(db, (id) => partitionOf(id, PARTITIONS), vault),
    deliveries: new Deliveries(db),
    events: new Events(db),
    stats: new Stats(db),
    series: new Series(db),
    installation: new Installation(db, clock),
    eventTypes: new EventTypes(db, rules, payloadGate),
    payloadGate,
    rules,
    requestLog: null,
    liveStreams: new LiveStreams({ clock, log }),
    // Nothing is said: streams look by themselves.
    notifier: { listen: () => () => {} },
    tracing: null,
    intake: new GroupCommit({
      db,
      patient: db,
      commitsAtOnce: 2,
      clock,
      shard: shards.sends,
      maxQueued: 1_000,
      onAccepted: () => {},
    }),
    fanOuts: new FanOutCommit({
      db,
      clock,
      shard: shards.fanOuts,
      maxQueued: 1_000,
      onAccepted: () => {},
    }),
    replays: new Replays({ clock, shard: shards.replays, onAccepted: () => {} }),
    notifyChange: () => {},
    afterErasure: () => {},
    jobs: new Jobs(db),
    checkUrl: (text) => checkEndpointUrl(text, policy, config),
    readiness: async () => ({ postgres: true, nats: true, writes: true }),
  };
}
