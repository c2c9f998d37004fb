import { type Database, DatabaseUnavailable, untilNoDeadlock } from "../../db/database";
import type { AccountId, EndpointId } from "../../domain/ids";
import { isTest } from "../../domain/test-event";
import { BoundedMap } from "../../runtime/bounded-map";
import type { Clock } from "../../runtime/clock";
import type { UsageShard } from "../usage-shard";
import { type UsageKey, usageKeyAt } from "../usage-shard";
import { WrittenRowsCache } from "../written-rows-cache";
import { type AcceptedRow, acceptSends } from "./accept-sends";
import { planCommit } from "./commit-plan";
import { type CachedEndpoint, newEndpointCache } from "./endpoint-cache";
import type { Send } from "./send";
import { readEndpoints, readMonths, readTaken } from "./survey";

export type SendCommitOptions = {
  clock: Clock;
  /** The shard that counts its deliveries. */
  shard: UsageShard;
  /** Waits for locks without a limit, so a timeout does not show that Postgres was lost. `onLost` reports a loss. */
  patient: Database;
};

/** `null` means nothing was written: the endpoint is unknown or the key is taken. */
export type SendRow =
  | AcceptedRow
  | { verdict: "feed_endpoint" }
  | { verdict: "over_limit"; monthlyLimit: number }
  | null;

/** `begunAt`: monotonic milliseconds. */
type Commit = Readonly<{ db: Database; usageKey: UsageKey; begunAt: number }>;

/** Most plans tried for the same sends. Each after the first is made from rows read just before. */
const MOST_PLANS = 10;
const MAX_SUSPECTS = 10_000;

/**
 * Commits many sends in one statement. The plan assumes that the endpoints have not changed since they were read, that the keys
 * are free, and that the monthly limits are not reached. This is nearly always right. A wrong plan writes nothing: then reads
 * the rows behind these assumptions, refuses the sends that must be refused, and plans the others again.
 */
export class SendCommit {
  private readonly written = new WrittenRowsCache();
  private readonly endpoints = newEndpointCache();
  /** Accounts that recently used a taken key or reached their limit. Their sends are checked before they are planned. */
  private readonly suspects = new BoundedMap<AccountId, true>(MAX_SUSPECTS);

  constructor(private readonly options: SendCommitOptions) {}

  /** Commits on `db`. Returns the rows in the order of the sends. */
  async run(sends: readonly Send[], db: Database): Promise<SendRow[]> {
    const { clock, shard, patient } = this.options;
    const commit = { db, usageKey: usageKeyAt(clock.now(), shard), begunAt: clock.monotonic() };
    try {
      return await this.commit(sends, commit);
    } catch (error) {
      if (error instanceof DatabaseUnavailable && db !== patient) this.forgetAll();
      throw error;
    }
  }

  /** Forgets all rows. Called after a lost connection: a promoted standby may lack the last commits. */
  forgetAll(): void {
    this.endpoints.clear();
    this.written.forgetAll();
  }

  /** Forgets a changed endpoint, to avoid a wrong plan, which Postgres would log as an error. */
  endpointChanged(id: EndpointId): void {
    this.endpoints.delete(id);
  }

  private async commit(sends: readonly Send[], commit: Commit): Promise<SendRow[]> {
    const endpoints = await this.endpointsOf(sends, commit.db);
    let isSuspect = sends.some(({ accountId }) => this.suspects.get(accountId));
    for (let plan = 0; plan < MOST_PLANS; plan++) {
      const decided = isSuspect ? await this.judge(sends, commit, endpoints) : refusedOf(sends, endpoints);
      const open = sends.filter((send) => !decided.has(send));
      const rows = await this.insert(open, endpoints, commit);
      if (rows) {
        for (const [i, row] of rows.entries()) decided.set(open[i] as Send, row);
        return sends.map((send) => decided.get(send) ?? null);
      }
      // Wrong although its rows were just read: a promoted standby may lack the month's usage.
      if (isSuspect) this.written.forgetAll();
      isSuspect = true;
    }
    throw new Error(`could not commit sends: ${MOST_PLANS} plans in a row were wrong`);
  }

  /** Returns the endpoints of the sends, without unknown ones. */
  private async endpointsOf(sends: readonly Send[], db: Database): Promise<Map<EndpointId, CachedEndpoint>> {
    const endpoints = new Map<EndpointId, CachedEndpoint>();
    const missing = new Set<EndpointId>();
    for (const { endpointId } of sends) {
      const cached = this.endpoints.get(endpointId);
      if (cached) endpoints.set(endpointId, cached);
      else missing.add(endpointId);
    }
    if (missing.size > 0) await this.readInto(endpoints, [...missing], db);
    return endpoints;
  }

  private async readInto(
    endpoints: Map<EndpointId, CachedEndpoint>,
    ids: readonly EndpointId[],
    db: Database,
  ): Promise<void> {
    const found = await db.run((sql) => readEndpoints(sql, ids));
    for (const id of ids) {
      const endpoint = found.get(id);
      if (endpoint) endpoints.set(id, endpoint);
      else endpoints.delete(id);
      // A feed's endpoint is read each time: a cached one could refuse webhooks after its feed has ended.
      if (endpoint && !endpoint.isFeed) this.endpoints.set(id, endpoint);
      else this.endpoints.delete(id);
    }
  }

  /** Reads everything that a plan assumes, and answers the sends that must be refused. */
  private async judge(
    sends: readonly Send[],
    { db, usageKey, begunAt }: Commit,
    endpoints: Map<EndpointId, CachedEndpoint>,
  ): Promise<Map<Send, SendRow>> {
    const { clock } = this.options;
    const accounts = [...new Set(sends.map(({ accountId }) => accountId))];
    await this.readInto(endpoints, [...new Set(sends.map(({ endpointId }) => endpointId))], db);
    const taken = await db.run((sql) => readTaken(sql, sends, clock.monotonic() - begunAt));
    const months = await db.run((sql) => readMonths(sql, accounts, usageKey));
    await this.written.ensureUsage(
      [...months.keys()].map((accountId) => ({ accountId })),
      usageKey,
      db,
    );
    const decided = refusedOf(sends, endpoints);
    for (const accountId of accounts) this.suspects.delete(accountId);
    for (const send of sends) {
      if (decided.has(send)) continue;
      const month = months.get(send.accountId);
      if (taken.has(send)) decided.set(send, null);
      else if (month && month.left < 1)
        decided.set(send, { verdict: "over_limit", monthlyLimit: month.limit });
      else if (month) month.left--;
      if (decided.has(send)) this.suspects.set(send.accountId, true);
    }
    return decided;
  }

  /** Returns null if the plan was wrong. Then nothing was written. */
  private async insert(
    sends: readonly Send[],
    endpoints: ReadonlyMap<EndpointId, CachedEndpoint>,
    { db, usageKey }: Commit,
  ): Promise<AcceptedRow[] | null> {
    if (sends.length === 0) return [];
    const plan = planCommit(sends, (id) => {
      const endpoint = endpoints.get(id);
      if (!endpoint) throw new Error("a send to an unknown endpoint was planned");
      return endpoint;
    });
    const newEventTypes = this.written.newEventTypes(sends);
    const rows = await untilNoDeadlock(() =>
      db.run((sql) => acceptSends(sql, plan, { usageKey, newEventTypes })),
    );
    if (rows) this.written.remember(sends);
    return rows;
  }
}

/** Returns the sends that their endpoint can't get: the account has no such endpoint, or a feed's gets only tests. */
function refusedOf(
  sends: readonly Send[],
  endpoints: ReadonlyMap<EndpointId, CachedEndpoint>,
): Map<Send, SendRow> {
  const refused = new Map<Send, SendRow>();
  for (const send of sends) {
    const endpoint = endpoints.get(send.endpointId);
    if (endpoint?.accountId !== send.accountId) refused.set(send, null);
    else if (endpoint.isFeed && !isTest(send.event)) refused.set(send, { verdict: "feed_endpoint" });
  }
  return refused;
}
