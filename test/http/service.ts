import { DEFAULT_ACCOUNT } from "../../src/accounts/account";
import type { Dependencies } from "../../src/api/dependencies";
import { serve } from "../../src/api/edge/serve";
import { Database } from "../../src/db/database";
import type { AccountId } from "../../src/domain/ids";
import { partitionOf } from "../../src/domain/partition";
import { PERMISSIONS, type Permission } from "../../src/domain/permission";
import { Endpoints } from "../../src/endpoints/endpoint";
import { RulesThreads } from "../../src/event-types/rules-threads";
import { FanOutCommit } from "../../src/intake/events/fan-out-commit";
import { Replays } from "../../src/intake/replays/replays";
import { GroupCommit } from "../../src/intake/sends/group-commit";
import { chooseShards } from "../../src/intake/usage";
import { Jobs } from "../../src/jobs/jobs";
import { createApp } from "../../src/resources/app";
import { systemClock } from "../../src/runtime/clock";
import { createLog } from "../../src/runtime/log";
import { type Cold, openCold } from "../../src/service/cold";
import type { ColdSettings } from "../../src/service/cold-settings";
import { readConfig } from "../../src/service/config";
import { dependencies } from "../../src/service/dependencies";
import { parseEncryptionKeys } from "../../src/vault/encryption-key";
import { Vault } from "../../src/vault/vault";
import { atEnd } from "../support/at-end";
import { type TestDatabase, testDatabase } from "../support/postgres";
import { Client } from "./client";

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
  /** Keeps old deliveries in files. */
  cold?: ColdSettings;
  /** Instead of the real ones. */
  dependencies?: Partial<Dependencies>;
};

export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const database = options.beside?.database ?? (await testDatabase());
  const rules = new RulesThreads(log, clock);
  const session = database.open({ size: 1 });
  const cold = await openCold({ settings: options.cold ?? null, db: database.db, session, log });
  const dependencies = { ...dependenciesOn(database, rules, cold), ...options.dependencies };
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
      rules.close();
      if (!options.beside) await database.drop();
    },
  };
}

/** Starts a service for a test file, and stops it after the file's last test. Call it while the file is loaded. */
export async function useService(options?: TestServiceOptions): Promise<TestService> {
  const service = await startTestService(options);
  atEnd(service.stop);
  return service;
}

/** The routes of the API. Reads no database. */
export function apiRoutes() {
  const url = "postgres://localhost/none";
  const db = new Database({
    url,
    size: 1,
    statementTimeoutMs: 1,
    queryTimeoutMs: 1,
    log,
  });
  return createApp(dependenciesOn({ db, url }, new RulesThreads(log, clock))).routes;
}

const log = createLog("silent");
const clock = systemClock;
const vault = new Vault(parseEncryptionKeys(Buffer.alloc(32, 1).toString("base64")));

function dependenciesOn(
  { db, url }: Pick<TestDatabase, "db" | "url">,
  rules: RulesThreads,
  cold: Cold | null = null,
): Dependencies {
  const config = readConfig({ DATABASE_URL: url, HERMOD_JWT_SECRET: JWT_SECRET });
  const endpoints = new Endpoints(db, (id) => partitionOf(id, PARTITIONS), vault);
  const shards = chooseShards(Math.random());
  const intake = { db, clock, maxQueued: 1_000, onAccepted: () => {} };
  return {
    ...dependencies({ config, log, clock, db, vault, endpoints, rules, cold }),
    requestLog: null,
    tracing: null,
    intake: new GroupCommit({ ...intake, patient: db, commitsAtOnce: 2, shard: shards.sends }),
    fanOuts: new FanOutCommit({ ...intake, shard: shards.fanOuts }),
    replays: new Replays({ clock, shard: shards.replays, onAccepted: () => {} }),
    notifyChange: () => {},
    afterErasure: () => {},
    jobs: new Jobs(db, () => {}, cold !== null),
    readiness: async () => ({ postgres: true, nats: true, writes: true }),
  };
}
