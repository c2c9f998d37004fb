import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServiceRole } from "../../../src/service/service";
import { copyCluster } from "../cluster-copy";
import { type TestDatabase, testDatabase } from "../postgres";
import { serverFolder } from "../server-folder";
import type { Behaviour } from "./behaviour";
import type { Evidence } from "./checker/evidence";
import { DatabaseView } from "./database-view";
import { EmbeddedServers } from "./embedded-servers";
import { HermodClient } from "./hermod-client";
import { HermodProcess } from "./hermod-process";
import { Journal } from "./journal";
import { readLedger } from "./ledger-reader";
import type { Load } from "./load";
import { NatsServer } from "./nats-server";
import { PostgresServer } from "./postgres-server";
import { ReceiptBook } from "./receipt-book";
import { Receivers } from "./receivers";
import type { SmallDisk } from "./small-disk";
import { type Replication, StandbyPair } from "./standby-pair";
import { until } from "./until";

export const KEY = "a-key-for-tests-long-enough";
export const ENCRYPTION_KEY = Buffer.from("a key of 32 bytes for tests only").toString("base64");

/** The number of partitions, unless a test sets another one. */
export const PARTITIONS = 32;

/** Endpoints created at a time. More of them at once are refused on a busy machine. */
const MADE_AT_ONCE = 16;

/** Short times, so that the tests see in seconds what takes minutes in production. */
const SETTINGS = {
  HERMOD_ADMIN_KEY: KEY,
  HERMOD_ENCRYPTION_KEY: ENCRYPTION_KEY,
  HERMOD_RETRY_SCHEDULE: "50ms,100ms,200ms,400ms,800ms,1s,2s,2s,2s,2s",
  HERMOD_ATTEMPT_TIMEOUT: "5s",
  HERMOD_LEASE_TTL: "2s",
  HERMOD_PARTITIONS: String(PARTITIONS),
};

export type ClusterOptions = {
  /**
   * Whose Postgres. `own`: one for this cluster, with durable defaults, for tests that harm it. `synchronous` and
   * `asynchronous`: two such, of which one follows the other. `shared`: the one of the test run, which no test harms.
   * `embedded`: the one that the service starts for itself, like its NATS.
   */
  postgres: "own" | Replication | "shared" | "embedded";
  env?: Record<string, string>;
};

/** Runs real servers, real processes of the service and receivers, in a folder of its own. */
export class Cluster implements AsyncDisposable {
  readonly journal = new Journal();
  readonly book = new ReceiptBook();
  readonly receivers = new Receivers(this.book);
  private readonly processes: HermodProcess[] = [];
  private ownPostgres: PostgresServer | null = null;
  private ownPair: StandbyPair | null = null;
  private sharedDatabase: TestDatabase | null = null;
  private ownNats: NatsServer | null = null;
  private view: DatabaseView | null = null;
  private embeddedRoot = "";
  private serverFolder: string | null = null;

  private constructor(
    readonly folder: string,
    private readonly env: Record<string, string>,
  ) {}

  static async start({ postgres, env }: ClusterOptions): Promise<Cluster> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "hermod-faults-")));
    const cluster = new Cluster(folder, { ...SETTINGS, HERMOD_DATA_DIR: join(folder, "data"), ...env });
    await mkdir(join(folder, "logs"));
    if (postgres === "embedded") await copyCluster(join(folder, "data"));
    else await cluster.startServers(postgres);
    return cluster;
  }

  get postgres(): PostgresServer {
    if (!this.ownPostgres) throw new Error("this Postgres is not to be harmed");
    return this.ownPostgres;
  }

  get pair(): StandbyPair {
    if (!this.ownPair) throw new Error("this Postgres has no standby");
    return this.ownPair;
  }

  get nats(): NatsServer {
    if (!this.ownNats) throw new Error("the service has its NATS itself");
    return this.ownNats;
  }

  /** The servers that the service starts for itself on the cluster's data folder. */
  get embedded(): EmbeddedServers {
    return new EmbeddedServers(join(this.folder, "data"), this.embeddedRoot);
  }

  async databaseUrl(): Promise<string> {
    const own = this.ownPostgres?.url ?? this.ownPair?.writableUrl;
    return own ?? this.sharedDatabase?.url ?? this.embedded.databaseUrl();
  }

  /** Returns a connection to the database, past the service. */
  async sql(): Promise<DatabaseView["sql"]> {
    const url = await this.databaseUrl();
    const former = this.view;
    if (former?.url === url) return former.sql;
    // Set before the wait, so that concurrent callers share it.
    const view = new DatabaseView(url);
    this.view = view;
    await former?.close();
    return view.sql;
  }

  /** Starts a process of the service, on a disk of its own if one is given. */
  async launch(
    name: string,
    role: ServiceRole,
    env: Record<string, string> = {},
    disk?: SmallDisk,
  ): Promise<HermodProcess> {
    const servers: Record<string, string> = this.ownNats
      ? { DATABASE_URL: this.ownPair?.url ?? (await this.databaseUrl()), NATS_URL: this.ownNats.url }
      : {};
    const options = {
      name,
      role,
      logs: join(this.folder, "logs"),
      env: { ...this.env, ...servers, ...env },
      journal: this.journal,
      disk,
    };
    const process = new HermodProcess(options);
    this.processes.push(process);
    await process.start();
    if (disk) this.embeddedRoot = `/proc/${process.pid}/root`;
    return process;
  }

  /** The client of the first process that has an API. */
  get client(): HermodClient {
    const process = this.processes.find(({ role, isRunning }) => role !== "dispatcher" && isRunning);
    if (!process) throw new Error("no API is running");
    return new HermodClient(process.url, KEY);
  }

  /** Creates endpoints whose receivers have this behaviour. `fields` are further fields of the endpoints. */
  async newEndpoints(count: number, behaviour?: Behaviour, fields: object = {}): Promise<string[]> {
    const { client, receivers } = this;
    const make = async () => {
      const url = receivers.newUrl();
      const subscription = await client.newEndpoint(url, fields);
      receivers.open(url, subscription, behaviour);
      return subscription.endpoint;
    };
    const made: string[] = [];
    for (let left = count; left > 0; left -= MADE_AT_ONCE)
      made.push(...(await Promise.all(Array.from({ length: Math.min(left, MADE_AT_ONCE) }, make))));
    return made;
  }

  /** Resolves once nothing is pending. */
  async settled(withinMs?: number): Promise<void> {
    let left: bigint | null = null;
    const isEmpty = async () => {
      const sql = await this.sql();
      const [row] = await sql<{ count: bigint }[]>`select count(*) from queue`;
      left = row?.count ?? null;
      return left === 0n;
    };
    await until(isEmpty, {
      withinMs,
      pollMs: 50,
      what: () => `an empty queue (${left ?? "unknown"} pending)`,
    });
  }

  /** Returns the account's figures. An API that has just lost Postgres answers 503 until it reconnects. */
  private stats(): ReturnType<HermodClient["stats"]> {
    return until(() => this.client.stats(), { what: "figures of the account" });
  }

  /** Counts the pending deliveries of these endpoints. */
  async pendingOf(endpoints: readonly string[]): Promise<number> {
    const { deliveries } = await readLedger(await this.sql(), await this.stats());
    const own = new Set(endpoints);
    return deliveries.filter(({ endpoint, status }) => status === "pending" && own.has(endpoint)).length;
  }

  /** Collects all evidence of the run for `check`. */
  async evidence(loads: readonly Pick<Load, "sends">[]): Promise<Evidence> {
    for (const process of this.processes) process.assertSound();
    const stats = await this.stats();
    const ledger = await readLedger(await this.sql(), stats);
    const sends = loads.flatMap((load) => load.sends);
    return { sends, receipts: this.book.receipts, faults: this.journal.faults, ledger };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.processes.filter((each) => each.isRunning).map((each) => each.kill()));
    await this.view?.close();
    await Promise.all([
      this.ownPostgres?.close(),
      this.ownPair?.close(),
      this.ownNats?.close(),
      this.sharedDatabase?.drop(),
      this.embedded.stop(),
    ]);
    await this.receivers.close();
    for (const folder of [this.folder, this.serverFolder])
      if (folder) await rm(folder, { recursive: true, force: true });
  }

  private async startServers(postgres: Exclude<ClusterOptions["postgres"], "embedded">): Promise<void> {
    const dataDir = await serverFolder();
    this.serverFolder = dataDir;
    const [nats] = await Promise.all([
      NatsServer.start(dataDir, this.journal),
      this.startPostgres(postgres, dataDir),
    ]);
    this.ownNats = nats;
  }

  private async startPostgres(
    postgres: Exclude<ClusterOptions["postgres"], "embedded">,
    dataDir: string,
  ): Promise<void> {
    if (postgres === "own") await copyCluster(dataDir);
    if (postgres === "shared") this.sharedDatabase = await testDatabase();
    else if (postgres === "own") this.ownPostgres = await PostgresServer.start(dataDir, this.journal);
    else this.ownPair = await StandbyPair.start(this.journal, postgres);
  }
}
