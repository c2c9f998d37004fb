import { type Database, untilNoDeadlock } from "../db/database";
import type { Sql } from "../db/pool";
import { arrayOf } from "../db/sql/arrays";
import { isKey, lifetime } from "../db/sql/idempotency-key";
import { intervalOf } from "../db/sql/time";
import type { AccountId } from "../domain/ids";
import { BoundedMap } from "../runtime/bounded-map";
import type { Clock } from "../runtime/clock";
import type { Hint } from "../stream/hint";
import { accept } from "./accept";
import { type Addressees, type CommitItem, planCommit } from "./commit-plan";
import { type JustAccepted, MAX_DELIVERIES, type SendingRequest } from "./new-delivery";
import { type UsageKey, type UsageShard, usageKeyAt, WrittenRowsCache } from "./usage";

/** An item whose endpoints can't get it, for a reason that needs no further look-up. */
type Refused<Refusal> = Readonly<{ kind: "refused"; refusal: Refusal }>;
export type AddressResult<Refusal> = Addressees | Refused<Refusal>;
type RequestItem = CommitItem & Readonly<{ request?: SendingRequest | null }>;

/** Knows the endpoints that items go to. */
export type Directory<Item extends CommitItem, Refusal> = {
  /** Reads the endpoints of the items; with `anew`, those it knows as well. The result answers for these items. */
  read(items: readonly Item[], db: Database, anew: boolean): Promise<(item: Item) => AddressResult<Refusal>>;
  /** Returns the items that were accepted before, as when their commit began `agoMs` ago. */
  readTaken(sql: Sql, items: readonly Item[], agoMs: number): Promise<Set<Item>>;
  /** Forgets all endpoints. */
  clear(): void;
};

/** The decision about an item. Only `accepted` wrote anything. */
export type Decision<Refusal> =
  | { kind: "accepted"; recipients: Addressees; rows: readonly JustAccepted[] }
  | Refused<Refusal>
  /** The item's key is taken, or its report is sent. */
  | { kind: "taken" }
  | { kind: "over_monthly_limit"; limit: number }
  /** `made`: how many deliveries the request would make with this event. */
  | { kind: "over_request_limit"; made: number };

export type CommitOptions<Item extends CommitItem, Refusal> = Readonly<{
  clock: Clock;
  /** The shard that counts its deliveries. */
  shard: UsageShard;
  directory: Directory<Item, Refusal>;
}>;

/** `begunAt`: monotonic milliseconds. */
type CommitRun = Readonly<{ db: Database; usageKey: UsageKey; begunAt: number }>;
type Decisions<Item extends CommitItem, Refusal> = Map<Item, Decision<Refusal>>;
/** The items whose keys are taken, and what is left of each month with a limit. */
type ReadRows<Item> = Readonly<{ taken: ReadonlySet<Item>; months: Map<AccountId, Month> }>;
type Month = { limit: number; left: number };

/** Most tries of a commit. Each after the first reads the rows again that its plan assumes. */
const MOST_TRIES = 10;
const MAX_ACCOUNTS_TO_CHECK = 10_000;

/**
 * Commits many items in one statement. The plan assumes that the endpoints have not changed since they were read, that the keys
 * are free, and that the monthly limits are not reached. This is nearly always right. A wrong plan writes nothing: then reads
 * the rows behind these assumptions, refuses the items that must be refused, and plans the others again.
 */
export class Commit<Item extends RequestItem, Refusal> {
  private readonly written = new WrittenRowsCache();
  /** Accounts that recently used a taken key or reached their limit. Their items are checked before they are planned. */
  private readonly toCheck = new BoundedMap<AccountId, true>(MAX_ACCOUNTS_TO_CHECK);

  constructor(private readonly options: CommitOptions<Item, Refusal>) {}

  /** Commits on `db`. Returns the decisions in the order of the items. */
  async run(items: readonly Item[], db: Database): Promise<Decision<Refusal>[]> {
    const { clock, shard } = this.options;
    const running = { db, usageKey: usageKeyAt(clock.now(), shard), begunAt: clock.monotonic() };
    let checks = items.some(({ accountId }) => this.toCheck.get(accountId));
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const decided = await this.decide(items, running, checks);
      const isFull = [...decided.values()].some(({ kind }) => kind === "over_request_limit");
      // A key that is taken leaves more of the request's deliveries to the others.
      if ((!isFull || checks) && (await this.write(decided, running)))
        return items.map((item) => decided.get(item) ?? { kind: "taken" });
      // Wrong although its rows were just read: a promoted standby may lack the month's usage.
      if (checks) this.written.forgetAll();
      checks = true;
    }
    throw new Error(`could not commit: ${MOST_TRIES} plans in a row were wrong`);
  }

  /** Forgets all rows. Called after a lost connection: a promoted standby may lack the last commits. */
  forgetAll(): void {
    this.options.directory.clear();
    this.written.forgetAll();
  }

  /** Decides about the items. With `checks`, reads everything that a plan assumes. */
  private async decide(
    items: readonly Item[],
    running: CommitRun,
    checks: boolean,
  ): Promise<Decisions<Item, Refusal>> {
    const addressOf = await this.options.directory.read(items, running.db, checks);
    const read = checks ? await this.readRows(items, running) : { taken: new Set<Item>(), months: new Map() };
    const decided: Decisions<Item, Refusal> = new Map();
    const made = new Map<SendingRequest, number>();
    for (const item of items) decided.set(item, decisionOf(item, addressOf(item), read, made));
    if (checks) this.note(decided);
    return decided;
  }

  private async readRows(
    items: readonly Item[],
    { db, usageKey, begunAt }: CommitRun,
  ): Promise<ReadRows<Item>> {
    const { clock, directory } = this.options;
    const accounts = [...new Set(items.map(({ accountId }) => accountId))];
    const taken = await db.run((sql) => directory.readTaken(sql, items, clock.monotonic() - begunAt));
    const months = await db.run((sql) => readMonths(sql, accounts, usageKey));
    const limited = [...months.keys()].map((accountId) => ({ accountId }));
    await this.written.ensureUsage(limited, usageKey, db);
    return { taken, months };
  }

  private note(decided: Decisions<Item, Refusal>): void {
    for (const { accountId } of decided.keys()) this.toCheck.delete(accountId);
    for (const [{ accountId }, { kind }] of decided)
      if (kind === "taken" || kind === "over_monthly_limit") this.toCheck.set(accountId, true);
  }

  /** Writes the accepted items, and adds their rows. Resolves to false if the plan was wrong: then nothing was written. */
  private async write(decided: Decisions<Item, Refusal>, { db, usageKey }: CommitRun): Promise<boolean> {
    const accepted = new Map<Item, Addressees>();
    for (const [item, each] of decided) if (each.kind === "accepted") accepted.set(item, each.recipients);
    if (accepted.size === 0) return true;
    const plan = planCommit(accepted);
    // A feed's reports are not event types of the account.
    const typed = [...accepted].flatMap(([item, { kind }]) => (kind === "report" ? [] : [item]));
    const newEventTypes = this.written.newEventTypes(typed);
    const rows = await untilNoDeadlock(() => db.run((sql) => accept(sql, plan, { usageKey, newEventTypes })));
    if (!rows) return false;
    this.written.remember(typed);
    let at = 0;
    for (const [item, recipients] of accepted) {
      const from = at;
      at += recipients.targets.length;
      decided.set(item, { kind: "accepted", recipients, rows: rows.slice(from, at) });
    }
    return true;
  }
}

/** Returns the hints of an item's deliveries that are due now. */
export function hintsOf(item: CommitItem, rows: readonly JustAccepted[]): Hint[] {
  const { accountId, event, orderingKey, externalId = null, data } = item;
  return rows.flatMap(({ id, endpointId, sequence, revision, partition }) => {
    if (sequence === null) return [];
    const names = { event, orderingKey, eventExternalId: externalId };
    return [{ id, accountId, endpointId, partition, sequence, ...names, revision, data }];
  });
}

/** `made`: the deliveries of each request so far. What a month has left is reduced. */
function decisionOf<Item extends RequestItem, Refusal>(
  item: Item,
  address: AddressResult<Refusal>,
  { taken, months }: ReadRows<Item>,
  made: Map<SendingRequest, number>,
): Decision<Refusal> {
  // Also if its endpoint is gone: the answer to its first request stays valid.
  if (taken.has(item)) return { kind: "taken" };
  if (address.kind === "refused") return address;
  const { length: price } = address.targets;
  const { request } = item;
  if (request && address.kind === "event") {
    const total = (made.get(request) ?? request.made) + price;
    made.set(request, total);
    if (total > MAX_DELIVERIES) return { kind: "over_request_limit", made: total };
  }
  const month = address.kind === "report" ? undefined : months.get(item.accountId);
  if (month && month.left < price) return { kind: "over_monthly_limit", limit: month.limit };
  if (month) month.left -= price;
  return { kind: "accepted", recipients: address, rows: [] };
}

/** Returns the items whose keys were taken when their commit began, `agoMs` ago: a key may expire while the commit waits. */
export async function readTaken<Item extends CommitItem>(
  sql: Sql,
  items: readonly Item[],
  agoMs: number,
): Promise<Set<Item>> {
  const keyed = items.filter(({ idempotency }) => idempotency !== null);
  if (keyed.length === 0) return new Set();
  const rows = await sql<{ n: number }[]>`
    select i.n from unnest(
      ${arrayOf(keyed.map(({ accountId }) => accountId))}::uuid[],
      ${arrayOf(keyed.map(({ idempotency }) => idempotency?.key ?? null))}::text[]
    ) with ordinality as i(account_id, key, n)
    join idempotency_keys k on ${isKey(sql, "i")} and k.created_at + ${lifetime(sql)} > now() - ${intervalOf(sql, agoMs)}
  `;
  return new Set(rows.flatMap(({ n }) => keyed[n - 1] ?? []));
}

/** Reads the monthly limit of each account that has one, and how many deliveries are left of it. */
async function readMonths(
  sql: Sql,
  accounts: readonly AccountId[],
  { period }: UsageKey,
): Promise<Map<AccountId, Month>> {
  const rows = await sql<(Month & { id: AccountId })[]>`
    select a.id, p.webhooks_per_month as limit, p.webhooks_per_month - coalesce((
        select sum(u.used)::bigint from usage u where u.account_id = a.id and u.period = ${period}::date
      ), 0) as left
    from accounts a join plans p on p.name = a.plan
    where a.id = any(${arrayOf(accounts)}::uuid[]) and p.webhooks_per_month is not null
  `;
  return new Map(rows.map(({ id, limit, left }) => [id, { limit, left }]));
}
