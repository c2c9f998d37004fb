import { and, desc, eq, sql as expression, inArray, isNotNull, isNull, lt, ne, type SQL } from "drizzle-orm";
import { withFreeExternalId } from "../accounts/external-id";
import { ensureBelowLimit } from "../accounts/limit";
import type { Database } from "../db/database";
import { untilNoDeadlock } from "../db/database";
import type { PageRequest } from "../db/page";
import type { TransactionSql } from "../db/pool";
import { endpoints, mailboxes } from "../db/schema";
import { typed } from "../db/typed";
import { retryWaiting } from "../deliveries/retry";
import { columnOf, SETTING_NAMES, type Tuning, type TuningPatch } from "../domain/endpoint-settings";
import type { EventFilter } from "../domain/event-filter";
import { type AccountId, type EndpointId, newId } from "../domain/ids";
import { isSameOrigin } from "../domain/origin";
import type { QueueKey } from "../domain/partition";
import type { StoredHeaders } from "../domain/tuning";
import type { SecretVault } from "../vault/vault";
import { Deletion } from "./deletion";
import { type EndpointSearch, matchesSearch } from "./endpoint-search";
import { activation, HEALTH_COLUMNS, type Health } from "./health";
import { presenceOf } from "./presence";
import {
  type RequestHeader,
  SecretHeadersNeeded,
  sealHeaders,
  secretNames,
  secretsTakenAlong,
} from "./request-headers";
import { type Rotation, removeExpiredSecrets, rotateSecret, type WantedRotation } from "./secret-rotation";
import { withoutConflict } from "./settings-conflict";
import { newSigningSecret, secretContext } from "./signing-secret";
import { type EndpointStats, readEndpointStats } from "./stats";
import { holdAfterSwitch } from "./switch";

export type Endpoint = {
  id: EndpointId;
  accountId: AccountId;
  /** Null if its receiver reads its deliveries. */
  url: string | null;
  description: string | null;
  eventFilter: EventFilter;
  /** The condition on payloads, in CEL; null for no condition. */
  filter: string | null;
  isActive: boolean;
  /** True if it receives the account's feed, and no events of the account's own. */
  feed: boolean;
  /** The accounts that its feed reports on, none for all; null for its own account. */
  feedAccounts: readonly AccountId[] | null;
  /** Headers that the account adds; null for none. */
  headers: StoredHeaders | null;
  /** The account's own id of the endpoint; null for none. */
  externalId: string | null;
  /** Unix milliseconds. */
  createdAt: number;
} & Health &
  Tuning;

/** The caller has checked the headers with `headersProblem`. */
export type NewEndpoint = {
  /** Null for an endpoint whose receiver reads. */
  url: string | null;
  description: string | null;
  eventFilter: EventFilter;
  /** The caller has checked it with `PayloadFilter`. */
  filter?: string | null;
  isActive?: boolean;
  feed?: boolean;
  feedAccounts?: readonly AccountId[] | null;
  headers?: readonly RequestHeader[];
  tuning?: TuningPatch;
  /** Checked by the caller with `isSigningSecret`. If it is absent, a new secret is made. */
  signingSecret?: string | undefined;
  externalId?: string | null | undefined;
};

/** Changes to an endpoint. Absent or undefined settings stay unchanged. */
export type EndpointPatch = {
  url?: string | null | undefined;
  description?: string | null | undefined;
  eventFilter?: EventFilter | undefined;
  /** The caller has checked it with `PayloadFilter`. */
  filter?: string | null | undefined;
  isActive?: boolean | undefined;
  feed?: boolean | undefined;
  feedAccounts?: readonly AccountId[] | null | undefined;
  /** Replaces all headers. */
  headers?: readonly RequestHeader[] | undefined;
  /** If false, headers are replaced only if none is secret. */
  replacesSecrets?: boolean | undefined;
  externalId?: string | null | undefined;
} & TuningPatch;

const SETTING_COLUMNS = Object.fromEntries(
  SETTING_NAMES.map((name) => [columnOf(name), endpoints[columnOf(name)]]),
) as Pick<typeof endpoints, keyof Tuning>;

const COLUMNS = {
  id: endpoints.id,
  accountId: endpoints.accountId,
  url: endpoints.url,
  description: endpoints.description,
  eventFilter: endpoints.eventTypes,
  filter: endpoints.filter,
  isActive: endpoints.isActive,
  feed: endpoints.feed,
  feedAccounts: endpoints.feedAccounts,
  headers: endpoints.headers,
  externalId: endpoints.externalId,
  createdAt: endpoints.createdAt,
  ...HEALTH_COLUMNS,
  ...SETTING_COLUMNS,
};

const DEFAULT_ATTEMPT_TIMEOUT_MS = 15_000;

/** Each feed endpoint receives every report. */
export const FEED_ENDPOINTS = { most: 10, kind: "endpoints with feed: true" };

/** One event may have to be evaluated by all filters of its account. */
export const FILTERS = { most: 500, kind: "endpoints with a filter" };

export type RotatedSecret = Rotation & { endpoint: Endpoint };

/**
 * Stores endpoints. Does not return deleted ones. Every method throws `DatabaseUnavailable`. Locks an endpoint before its
 * mailbox, like the recorder.
 */
export class Endpoints {
  private readonly deletion: Deletion;

  constructor(
    private readonly db: Database,
    private readonly partitionOf: (id: EndpointId) => number,
    private readonly vault: SecretVault,
    /** Called after the commit of every change, to notify dispatchers and intakes. */
    private readonly onChanged: (queue: QueueKey) => void = () => {},
    /** The time limit of attempts at endpoints that have none of their own. */
    private readonly attemptTimeoutMs = DEFAULT_ATTEMPT_TIMEOUT_MS,
  ) {
    this.deletion = new Deletion(db, partitionOf, onChanged);
  }

  /** Creates an endpoint. Only this call returns its secret. Throws `LimitReached`, `ExternalIdTaken` and `SettingsConflict`. */
  async create(
    sql: TransactionSql,
    accountId: AccountId,
    wanted: NewEndpoint,
  ): Promise<{ endpoint: Endpoint; signingSecret: string }> {
    const { eventFilter, isActive = true, feed = false, headers = [], tuning, ...others } = wanted;
    const { signingSecret = newSigningSecret(), ...named } = others;
    const id = newId("ep");
    if (feed) await ensureFeedLimit(sql, accountId, id);
    if (others.filter) await ensureFilterLimit(sql, accountId, id);
    const row = {
      ...tuning,
      ...named,
      id,
      accountId,
      eventTypes: eventFilter,
      signingSecret: this.vault.seal(signingSecret, secretContext(accountId, id)),
      feed,
      headers: sealHeaders(headers, this.vault, accountId, id),
      isActive,
      inactiveSince: isActive ? null : expression`now()`,
    };
    const insert = withoutConflict(typed(sql).insert(endpoints).values(row).returning(COLUMNS));
    const [endpoint] = await withFreeExternalId("endpoint", insert);
    await typed(sql)
      .insert(mailboxes)
      .values({ endpointId: id, partition: this.partitionOf(id) });
    if (!endpoint) throw new Error("the insert of an endpoint returned no row");
    return { endpoint, signingSecret };
  }

  /** Reads a page of endpoints, newest first; null for all accounts. */
  page(
    accountId: AccountId | null,
    { limit, beyond }: PageRequest<EndpointId>,
    search: EndpointSearch = {},
  ): Promise<Endpoint[]> {
    const isKept = accountId === null ? isNull(endpoints.deletedAt) : isOf(accountId);
    const those = and(isKept, beyond && lt(endpoints.id, beyond), matchesSearch(search));
    return this.db.run((sql) =>
      typed(sql).select(COLUMNS).from(endpoints).where(those).orderBy(desc(endpoints.id)).limit(limit),
    );
  }

  async get(accountId: AccountId, id: EndpointId): Promise<Endpoint | null> {
    const isIt = and(isOf(accountId), eq(endpoints.id, id));
    const [endpoint] = await this.db.run((sql) => typed(sql).select(COLUMNS).from(endpoints).where(isIt));
    return endpoint ?? null;
  }

  /** Reads the account's endpoints with these ids, in the order of ids. */
  async some(accountId: AccountId, ids: readonly EndpointId[]): Promise<Endpoint[]> {
    const isOne = and(isOf(accountId), inArray(endpoints.id, [...ids]));
    const found = await this.db.run((sql) => typed(sql).select(COLUMNS).from(endpoints).where(isOne));
    return found.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
  }

  /** Returns those of the endpoints that receive a feed, deleted ones too. */
  async feedsAmong(ids: readonly EndpointId[]): Promise<ReadonlySet<EndpointId>> {
    const isOne = and(inArray(endpoints.id, [...new Set(ids)]), eq(endpoints.feed, true));
    const found = await this.db.run((sql) =>
      typed(sql).select({ id: endpoints.id }).from(endpoints).where(isOne),
    );
    return new Set(found.map(({ id }) => id));
  }

  /** Returns the account's endpoints that receive a feed, deleted ones too. */
  async feedsOf(accountId: AccountId): Promise<readonly EndpointId[]> {
    const isOne = and(eq(endpoints.accountId, accountId), eq(endpoints.feed, true));
    const found = await this.db.run((sql) =>
      typed(sql).select({ id: endpoints.id }).from(endpoints).where(isOne),
    );
    return found.map(({ id }) => id);
  }

  /** Resolves to null if no endpoint of the account has the external id. */
  async idOf(accountId: AccountId, externalId: string): Promise<EndpointId | null> {
    const isIt = and(isOf(accountId), eq(endpoints.externalId, externalId));
    const [endpoint] = await this.db.run((sql) =>
      typed(sql).select({ id: endpoints.id }).from(endpoints).where(isIt),
    );
    return endpoint?.id ?? null;
  }

  /** Reads an endpoint's figures. Resolves to null if there is no such endpoint. */
  stats(accountId: AccountId, id: EndpointId, now: number): Promise<EndpointStats | null> {
    const queue = { partition: this.partitionOf(id), endpointId: id };
    return this.db.run((sql) => readEndpointStats(sql, accountId, queue, now));
  }

  /**
   * Changes the endpoint and its revision, which dispatchers compare. `check` throws if the endpoint, which is locked, may not be
   * changed so. Resolves to null if there is no such endpoint. Throws `LimitReached`, `SecretHeadersNeeded`, `ExternalIdTaken` and
   * `SettingsConflict`.
   */
  async update(
    accountId: AccountId,
    id: EndpointId,
    patch: EndpointPatch,
    check: (before: FormerEndpoint) => void = () => {},
  ): Promise<Endpoint | null> {
    if (Object.values(patch).every((value) => value === undefined)) return this.get(accountId, id);
    const { headers, replacesSecrets = true, ...others } = patch;
    const sealed = headers && sealHeaders(headers, this.vault, accountId, id);
    const written = untilNoDeadlock(() =>
      this.db.transaction(async (sql) => {
        if ((await presenceOf(sql, accountId, id)) !== "there") return null;
        if (patch.feed) await ensureFeedLimit(sql, accountId, id);
        if (patch.filter) await ensureFilterLimit(sql, accountId, id);
        const before = await lock(sql, id);
        check(before);
        if (headers === undefined && patch.url) ensureSecretsStay(before, patch.url);
        if (!replacesSecrets) ensureNoSecrets(before);
        const isMoved = patch.url !== undefined && !isSameOrigin(before.url, patch.url);
        const written = await write(sql, accountId, id, { ...others, headers: sealed }, isMoved);
        if (isSwitch(before, patch)) await holdAfterSwitch(sql, id, this.attemptTimeoutMs);
        return written;
      }),
    );
    const endpoint = await withFreeExternalId("endpoint", withoutConflict(written));
    if (endpoint && mayEndFailure(patch))
      await untilNoDeadlock(() => this.db.transaction((sql) => this.retry(sql, accountId, id)));
    if (endpoint) this.notifyChange(id);
    return endpoint;
  }

  /**
   * Gives the endpoint a new secret. The old one also signs for a while. Resolves to null if there is no such endpoint. If the
   * change is in the caller's transaction, the caller calls `notifyChange` after the commit.
   */
  async rotateSecret(
    sql: TransactionSql,
    accountId: AccountId,
    id: EndpointId,
    wanted: WantedRotation,
  ): Promise<RotatedSecret | null> {
    const rotation = await rotateSecret(sql, this.vault, accountId, id, wanted);
    const [endpoint] = await typed(sql).select(COLUMNS).from(endpoints).where(eq(endpoints.id, id));
    return rotation && endpoint ? { ...rotation, endpoint } : null;
  }

  /**
   * Makes deliveries that wait for a retry due now. Returns their number, or null if there is no such endpoint. The caller
   * calls `notifyChange` after the commit.
   */
  async retry(sql: TransactionSql, accountId: AccountId, id: EndpointId): Promise<number | null> {
    if ((await presenceOf(sql, accountId, id)) !== "there") return null;
    return retryWaiting(sql, { partition: this.partitionOf(id), endpointId: id });
  }

  /** Notifies dispatchers and intakes of a change. If they miss it, they notice the new revision later. */
  notifyChange(id: EndpointId): void {
    this.onChanged({ partition: this.partitionOf(id), endpointId: id });
  }

  /** Removes replaced secrets whose overlap has ended. */
  removeExpiredSecrets(): Promise<void> {
    return removeExpiredSecrets(this.db);
  }

  /** Deletes the endpoint and cancels its pending deliveries, now or soon. Resolves to false if there is none. */
  delete(accountId: AccountId, id: EndpointId): Promise<boolean> {
    return this.deletion.run(accountId, id);
  }

  /** Continues deletions that were interrupted, or had too many deliveries to cancel. */
  cancelLeftovers(): Promise<void> {
    return this.deletion.runLeftovers();
  }
}

/** True for a change after which failing attempts may succeed. */
function mayEndFailure({ isActive, url, headers, retryScheduleMs }: EndpointPatch): boolean {
  return isActive === true || url !== undefined || headers !== undefined || retryScheduleMs !== undefined;
}

/** True if the change switches the endpoint between push and pull, or gives a receiver that reads another ordering. */
function isSwitch(before: FormerEndpoint, { url, ordering }: EndpointPatch): boolean {
  const isPulled = url === undefined ? before.url === null : url === null;
  return isPulled !== (before.url === null) || (isPulled && ordering !== undefined);
}

/** SQL: the account's endpoints that are not deleted. */
function isOf(accountId: AccountId): SQL | undefined {
  return and(eq(endpoints.accountId, accountId), isNull(endpoints.deletedAt));
}

/** Counts the other endpoints that receive the feed, since this endpoint may already receive it. */
function ensureFeedLimit(sql: TransactionSql, accountId: AccountId, id: EndpointId): Promise<void> {
  const isOther = and(isOf(accountId), eq(endpoints.feed, true), ne(endpoints.id, id));
  const others = typed(sql).select({ id: endpoints.id }).from(endpoints).where(isOther);
  return ensureBelowLimit(sql, accountId, FEED_ENDPOINTS, others);
}

function ensureFilterLimit(sql: TransactionSql, accountId: AccountId, id: EndpointId): Promise<void> {
  const isOther = and(isOf(accountId), isNotNull(endpoints.filter), ne(endpoints.id, id));
  const others = typed(sql).select({ id: endpoints.id }).from(endpoints).where(isOther);
  return ensureBelowLimit(sql, accountId, FILTERS, others);
}

/** The settings of an endpoint before a change, by which some changes are refused. */
export type FormerEndpoint = Pick<Endpoint, "url" | "headers" | "eventFilter" | "feedAccounts">;

/** Locks the endpoint, so that nothing by which a change is refused changes before it is written. */
async function lock(sql: TransactionSql, id: EndpointId): Promise<FormerEndpoint> {
  const { url, headers, eventTypes: eventFilter, feedAccounts } = endpoints;
  const locked = typed(sql)
    .select({ url, headers, eventFilter, feedAccounts })
    .from(endpoints)
    .where(eq(endpoints.id, id));
  const [endpoint] = await locked.for("no key update");
  if (!endpoint) throw new Error("an endpoint is gone, though rows of endpoints are never deleted");
  return endpoint;
}

/** Throws `SecretHeadersNeeded`. */
function ensureSecretsStay({ headers, url: from }: FormerEndpoint, url: string): void {
  const names = secretsTakenAlong(headers, from, url);
  if (names.length > 0) throw SecretHeadersNeeded.atNewOrigin(names);
}

/** Throws `SecretHeadersNeeded`. */
function ensureNoSecrets({ headers }: FormerEndpoint): void {
  const names = secretNames(headers);
  if (names.length > 0) throw SecretHeadersNeeded.amongReplaced(names);
}

/** SQL: the errors of the filter after a change to this one: none, unless it is the same. */
function errorsAfter(filter: string | null): SQL {
  return expression`case when ${endpoints.filter} is not distinct from ${filter} then ${endpoints.filterErrors} end`;
}

/** Writes the given settings, and raises the revision. Resolves to null if the endpoint was deleted meanwhile. */
async function write(
  sql: TransactionSql,
  accountId: AccountId,
  id: EndpointId,
  {
    isActive,
    eventFilter,
    ...others
  }: Omit<EndpointPatch, "headers"> & { headers: StoredHeaders | null | undefined },
  isMoved: boolean,
): Promise<Endpoint | null> {
  const { filter } = others;
  const set = {
    ...others,
    eventTypes: eventFilter,
    ...(isActive !== undefined && activation(isActive)),
    ...(filter !== undefined && { filterErrors: errorsAfter(filter) }),
  };
  const isIt = and(isOf(accountId), eq(endpoints.id, id));
  const [endpoint] = await typed(sql).update(endpoints).set(set).where(isIt).returning(COLUMNS);
  if (!endpoint) return null;
  const filterChanges =
    eventFilter === undefined && others.feed === undefined && others.feedAccounts === undefined ? 0 : 1;
  await typed(sql)
    .update(mailboxes)
    .set({
      revision: expression`${mailboxes.revision} + 1`,
      filterRevision: expression`${mailboxes.filterRevision} + ${filterChanges}::integer`,
      ...(isMoved && { originSequence: expression`${mailboxes.lastSequence}` }),
    })
    .where(eq(mailboxes.endpointId, id));
  return endpoint;
}
