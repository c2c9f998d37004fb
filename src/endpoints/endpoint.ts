import { withFreeExternalId } from "../accounts/external-id";
import { ensureRoom } from "../accounts/limit";
import type { Database } from "../db/database";
import { untilNoDeadlock } from "../db/deadlock";
import type { PageRequest } from "../db/page";
import type { AnySql, Fragment, TransactionSql } from "../db/pool";
import { arrayOf } from "../db/sql/arrays";
import { unixMs } from "../db/sql/time";
import { retryWaiting } from "../deliveries/retry";
import type { EventFilter } from "../domain/event-filter";
import { type AccountId, type EndpointId, newId } from "../domain/ids";
import type { Tuning, TuningPatch } from "../domain/tuning";
import { Deletion } from "./deletion";
import { activation, type Health, type HealthState, healthColumns, healthState } from "./health";
import { presenceOf } from "./presence";
import {
  type RequestHeader,
  SecretHeadersNeeded,
  type StoredHeaders,
  sealHeaders,
  secretNames,
  secretsTakenAlong,
} from "./request-headers";
import { type Rotation, removeExpiredSecrets, rotateSecret, type WantedRotation } from "./secret-rotation";
import { newSigningSecret, type SecretVault, secretContext } from "./signing-secret";
import { type EndpointStats, readEndpointStats } from "./stats";
import { tuningAssignments, tuningColumns } from "./tuning-columns";

export type Endpoint = {
  id: EndpointId;
  accountId: AccountId;
  url: string;
  description: string | null;
  eventFilter: EventFilter;
  isActive: boolean;
  /** True if it receives the account's feed, and no events of the account's own. */
  feed: boolean;
  /** Null: none. */
  headers: StoredHeaders | null;
  /** The account's own id for it; null is none. */
  externalId: string | null;
  /** Unix milliseconds. */
  createdAt: number;
} & Health &
  Tuning;

/** The caller has checked the headers with `headersFlaw`. */
export type NewEndpoint = {
  url: string;
  description: string | null;
  eventFilter: EventFilter;
  isActive?: boolean;
  feed?: boolean;
  headers?: readonly RequestHeader[];
  tuning?: TuningPatch;
  /** The caller has checked the secret with `isSigningSecret`. Absent: a new one. */
  signingSecret?: string | undefined;
  externalId?: string | null | undefined;
};

/** Absent or undefined settings stay as they are. */
export type EndpointPatch = {
  url?: string | undefined;
  description?: string | null | undefined;
  eventFilter?: EventFilter | undefined;
  isActive?: boolean | undefined;
  feed?: boolean | undefined;
  /** Replaces all headers. */
  headers?: readonly RequestHeader[] | undefined;
  /** False: the headers are replaced only if none is secret. */
  replacesSecrets?: boolean | undefined;
  externalId?: string | null | undefined;
} & TuningPatch;

/** Each of them receives every report. */
export const FEED_ENDPOINTS = { most: 10, what: "endpoints with feed: true" };

export type RotatedSecret = Rotation & { endpoint: Endpoint };

/**
 * An account's endpoints, without deleted ones. Every method throws `DatabaseUnavailable`. Locks rows in the order
 * endpoint, mailbox, as the recorder does.
 */
export class Endpoints {
  private readonly deletion: Deletion;

  constructor(
    private readonly db: Database,
    private readonly partitionOf: (id: EndpointId) => number,
    private readonly vault: SecretVault,
    /** Called after the commit of every change, so dispatchers and intakes learn of it at once. */
    private readonly onChanged: (partition: number, id: EndpointId) => void = () => {},
  ) {
    this.deletion = new Deletion(db, partitionOf, onChanged);
  }

  /** Creates an endpoint, and returns its secret this once. Throws `LimitReached` and `ExternalIdTaken`. */
  async create(
    sql: TransactionSql,
    accountId: AccountId,
    wanted: NewEndpoint,
  ): Promise<{ endpoint: Endpoint; signingSecret: string }> {
    const { url, description, eventFilter, isActive = true, feed = false, headers = [], tuning } = wanted;
    const { signingSecret = newSigningSecret(), externalId = null } = wanted;
    const id = newId("ep");
    if (feed) await ensureRoomForFeed(sql, accountId, id);
    const sealed = this.vault.seal(signingSecret, secretContext(accountId, id));
    const insert = sql<Endpoint[]>`
      insert into endpoints
        (id, account_id, url, description, event_types, signing_secret, feed, headers, is_active, inactive_since,
          external_id)
      values (${id}, ${accountId}, ${url}, ${description}, ${arrayOf(eventFilter)}::text[], ${sealed}, ${feed},
        ${this.headersJson(headers, accountId, id)}::text::jsonb, ${isActive},
        case when ${!isActive} then now() end, ${externalId})
      returning ${columns(sql)}
    `;
    const [made] = await withFreeExternalId("endpoint", insert);
    const endpoint = tuning ? await tune(sql, id, tuning) : made;
    await sql`insert into mailboxes (endpoint_id, partition) values (${id}, ${this.partitionOf(id)})`;
    if (!endpoint) throw new Error("the insert of an endpoint returned no row");
    return { endpoint, signingSecret };
  }

  /** Lists a page of endpoints, newest first; with `health`, of one state. */
  page(
    accountId: AccountId,
    { limit, beyond }: PageRequest<EndpointId>,
    health?: HealthState,
  ): Promise<Endpoint[]> {
    return this.db.run(
      (sql) => sql<Endpoint[]>`
        select ${columns(sql)} from endpoints
        where account_id = ${accountId} and deleted_at is null
          and ${beyond === undefined ? sql`true` : sql`id < ${beyond}`}
          and ${health === undefined ? sql`true` : sql`${healthState(sql)} = ${health}`}
        order by id desc
        limit ${limit}
      `,
    );
  }

  async get(accountId: AccountId, id: EndpointId): Promise<Endpoint | null> {
    const [endpoint] = await this.db.run(
      (sql) => sql<Endpoint[]>`
        select ${columns(sql)} from endpoints
        where id = ${id} and account_id = ${accountId} and deleted_at is null
      `,
    );
    return endpoint ?? null;
  }

  /** Null when no endpoint of the account has the external id. */
  async idOf(accountId: AccountId, externalId: string): Promise<EndpointId | null> {
    const [endpoint] = await this.db.run(
      (sql) => sql<{ id: EndpointId }[]>`
        select id from endpoints
        where account_id = ${accountId} and external_id = ${externalId} and deleted_at is null
      `,
    );
    return endpoint?.id ?? null;
  }

  /** Reads an endpoint's figures; null when there is no such endpoint. */
  stats(accountId: AccountId, id: EndpointId, now: number): Promise<EndpointStats | null> {
    const queue = { partition: this.partitionOf(id), endpointId: id };
    return this.db.run((sql) => readEndpointStats(sql, accountId, queue, now));
  }

  /**
   * Changes the endpoint and its revision, which dispatchers compare. Null when there is no such endpoint. Throws
   * `LimitReached`, `SecretHeadersNeeded` and `ExternalIdTaken`.
   */
  async update(accountId: AccountId, id: EndpointId, patch: EndpointPatch): Promise<Endpoint | null> {
    if (Object.values(patch).every((value) => value === undefined)) return this.get(accountId, id);
    const { headers, replacesSecrets = true, ...others } = patch;
    const json = headers && this.headersJson(headers, accountId, id);
    const write = (sql: AnySql) => updateStatement(sql, accountId, id, others, json);
    const movedTo = headers === undefined ? patch.url : undefined;
    const checkAndWrite = async (sql: TransactionSql) => {
      if ((await presenceOf(sql, accountId, id)) !== "there") return [];
      if (patch.feed) await ensureRoomForFeed(sql, accountId, id);
      if (movedTo !== undefined) await ensureSecretsStay(sql, id, movedTo);
      if (!replacesSecrets) await ensureNoSecrets(sql, id);
      return write(sql);
    };
    const written = untilNoDeadlock(() =>
      patch.feed || movedTo !== undefined || !replacesSecrets
        ? this.db.transaction(checkAndWrite)
        : this.db.run(write),
    );
    const [endpoint] = await withFreeExternalId("endpoint", written);
    if (endpoint && mayHeal(patch))
      await untilNoDeadlock(() => this.db.transaction((sql) => this.retry(sql, accountId, id)));
    if (endpoint) this.announceChange(id);
    return endpoint ?? null;
  }

  /**
   * Gives the endpoint a new secret; the old one also signs for a while. Null when there is no such endpoint. If the
   * change is in the caller's transaction, the caller announces it after the commit.
   */
  async rotateSecret(
    sql: TransactionSql,
    accountId: AccountId,
    id: EndpointId,
    wanted: WantedRotation,
  ): Promise<RotatedSecret | null> {
    const rotation = await rotateSecret(sql, this.vault, accountId, id, wanted);
    const [endpoint] = await sql<Endpoint[]>`select ${columns(sql)} from endpoints where id = ${id}`;
    return rotation && endpoint ? { ...rotation, endpoint } : null;
  }

  /**
   * Has what waits for a retry attempted now. Returns how many deliveries; null when there is no such endpoint. The caller announces
   * the change after the commit.
   */
  async retry(sql: TransactionSql, accountId: AccountId, id: EndpointId): Promise<number | null> {
    if ((await presenceOf(sql, accountId, id)) !== "there") return null;
    return retryWaiting(sql, { partition: this.partitionOf(id), endpointId: id });
  }

  /** Announces a change to dispatchers and intakes. The ones that miss it notice the new revision later. */
  announceChange(id: EndpointId): void {
    this.onChanged(this.partitionOf(id), id);
  }

  /** Removes replaced secrets whose overlap is over. */
  removeExpiredSecrets(): Promise<void> {
    return removeExpiredSecrets(this.db);
  }

  /** Deletes the endpoint; false when there is none. Cancels its pending deliveries now or soon. */
  delete(accountId: AccountId, id: EndpointId): Promise<boolean> {
    return this.deletion.run(accountId, id);
  }

  /** Continues deletions that were interrupted, or had too much to cancel. */
  cancelLeftovers(): Promise<void> {
    return this.deletion.runLeftovers();
  }

  private headersJson(
    headers: readonly RequestHeader[],
    accountId: AccountId,
    id: EndpointId,
  ): string | null {
    const stored = sealHeaders(headers, this.vault, accountId, id);
    return stored && JSON.stringify(stored);
  }
}

/** True for a change after which attempts may succeed that failed before. */
function mayHeal({ isActive, url, headers, retryScheduleMs }: EndpointPatch): boolean {
  return isActive === true || url !== undefined || headers !== undefined || retryScheduleMs !== undefined;
}

function columns(sql: AnySql) {
  return sql`
    endpoints.id, account_id as "accountId", url, description, event_types as "eventFilter",
    is_active as "isActive", feed, headers, external_id as "externalId", ${unixMs(sql, "created_at")} as "createdAt",
    ${healthColumns(sql)}, ${tuningColumns(sql)}
  `;
}

async function tune(sql: TransactionSql, id: EndpointId, tuning: TuningPatch): Promise<Endpoint | undefined> {
  const [endpoint] = await sql<Endpoint[]>`
    update endpoints set ${tuningAssignments(sql, tuning)} where id = ${id} returning ${columns(sql)}
  `;
  return endpoint;
}

/** Endpoints that receive the feed already may keep it. */
function ensureRoomForFeed(sql: TransactionSql, accountId: AccountId, id: EndpointId): Promise<void> {
  const others: Fragment = sql`
    select from endpoints
    where account_id = ${accountId} and feed and deleted_at is null
      and not exists (select from endpoints same where same.id = ${id} and same.feed)
  `;
  return ensureRoom(sql, accountId, FEED_ENDPOINTS, others);
}

/** Throws `SecretHeadersNeeded`. Locks the endpoint, so nobody adds secret headers before the URL is written. */
async function ensureSecretsStay(sql: TransactionSql, id: EndpointId, url: string): Promise<void> {
  const endpoint = await lockHeaders(sql, id);
  const names = endpoint ? secretsTakenAlong(endpoint.headers, endpoint.url, url) : [];
  if (names.length > 0) throw SecretHeadersNeeded.atNewOrigin(names);
}

/** Throws `SecretHeadersNeeded`. Locks the endpoint, so nobody adds secret headers before they are replaced. */
async function ensureNoSecrets(sql: TransactionSql, id: EndpointId): Promise<void> {
  const endpoint = await lockHeaders(sql, id);
  const names = secretNames(endpoint?.headers ?? null);
  if (names.length > 0) throw SecretHeadersNeeded.amongReplaced(names);
}

async function lockHeaders(sql: TransactionSql, id: EndpointId) {
  const [endpoint] = await sql<Pick<Endpoint, "url" | "headers">[]>`
    select url, headers from endpoints where id = ${id} for no key update
  `;
  return endpoint;
}

function updateStatement(
  sql: AnySql,
  accountId: AccountId,
  id: EndpointId,
  { url, description, eventFilter, isActive, feed, externalId, ...tuning }: Omit<EndpointPatch, "headers">,
  /** Undefined: they stay. */
  headers: string | null | undefined,
): Promise<Endpoint[]> {
  return sql<Endpoint[]>`
    with changed as (
      update endpoints set
        url = coalesce(${url ?? null}, url),
        description = case when ${description !== undefined} then ${description ?? null} else description end,
        event_types = coalesce(${eventFilter ? arrayOf(eventFilter) : null}::text[], event_types),
        ${activation(sql, isActive)},
        feed = coalesce(${feed ?? null}, feed),
        headers = case when ${headers !== undefined} then ${headers ?? null}::text::jsonb else headers end,
        external_id = case when ${externalId !== undefined} then ${externalId ?? null} else external_id end,
        ${tuningAssignments(sql, tuning)}
      where id = ${id} and account_id = ${accountId} and deleted_at is null
      returning ${columns(sql)}
    ),
    reported as (
      update mailboxes m set revision = m.revision + 1,
        filter_revision = m.filter_revision + ${eventFilter === undefined ? 0 : 1}::integer
      from changed c where m.endpoint_id = c.id
    )
    select * from changed
  `;
}
