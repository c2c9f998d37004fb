import type { Database } from "../db/database";
import type { Sql, TransactionSql } from "../db/pool";
import { type AccountId, type EndpointId, newId } from "../runtime/ids";
import { untilNoDeadlock } from "./deadlock";
import { Deletion } from "./deletion";
import { newSigningSecret, type SecretVault, secretContext } from "./signing-secret";
import { type EndpointStats, readEndpointStats } from "./stats";
import { type Tuning, type TuningPatch, tuningAssignments, tuningColumns } from "./tuning";

export type Endpoint = {
  id: EndpointId;
  accountId: AccountId;
  url: string;
  description: string | null;
  /** Checked with `parseEventFilter`. */
  eventFilter: string;
  isActive: boolean;
  /** Unix milliseconds. */
  createdAt: number;
} & Tuning;

export type NewEndpoint = {
  url: string;
  description: string | null;
  eventFilter: string;
  tuning?: TuningPatch;
};

/** What is left out, or undefined, stays as it is. */
export type EndpointPatch = {
  url?: string | undefined;
  description?: string | null | undefined;
  eventFilter?: string | undefined;
  isActive?: boolean | undefined;
} & TuningPatch;

export type EndpointPage = {
  limit: number;
  /** The last endpoint of the page before. */
  before?: EndpointId | undefined;
};

/**
 * An account's endpoints; a deleted one does not exist. Every method throws `DatabaseUnavailable`. Rows are
 * locked in the order endpoint, mailbox, as the recorder does.
 */
export class Endpoints {
  private readonly deletion: Deletion;

  constructor(
    private readonly db: Database,
    private readonly partitionOf: (id: EndpointId) => number,
    private readonly vault: SecretVault,
    /** Told of every change after its commit, so that dispatchers hear of it at once. */
    private readonly onChanged: (partition: number, id: EndpointId) => void = () => {},
  ) {
    this.deletion = new Deletion(db, partitionOf, onChanged);
  }

  /** The secret is given this once. */
  async create(
    sql: TransactionSql,
    accountId: AccountId,
    { url, description, eventFilter, tuning }: NewEndpoint,
  ): Promise<{ endpoint: Endpoint; signingSecret: string }> {
    const id = newId("ep");
    const signingSecret = newSigningSecret();
    const sealed = this.vault.seal(signingSecret, secretContext(accountId, id));
    const [made] = await sql<Endpoint[]>`
      insert into endpoints (id, account_id, url, description, event_filter, signing_secret)
      values (${id}, ${accountId}, ${url}, ${description}, ${eventFilter}, ${sealed})
      returning ${columns(sql)}
    `;
    const endpoint = tuning ? await tune(sql, id, tuning) : made;
    await sql`insert into mailboxes (endpoint_id, partition) values (${id}, ${this.partitionOf(id)})`;
    if (!endpoint) throw new Error("the endpoint was not written");
    return { endpoint, signingSecret };
  }

  /** All, newest first. */
  list(accountId: AccountId): Promise<Endpoint[]> {
    return this.db.run(
      (sql) => sql<Endpoint[]>`
        select ${columns(sql)} from endpoints
        where account_id = ${accountId} and deleted_at is null
        order by id desc
      `,
    );
  }

  /** Some, newest first. */
  page(accountId: AccountId, { limit, before }: EndpointPage): Promise<Endpoint[]> {
    return this.db.run(
      (sql) => sql<Endpoint[]>`
        select ${columns(sql)} from endpoints
        where account_id = ${accountId} and deleted_at is null
          and ${before === undefined ? sql`true` : sql`id < ${before}`}
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

  /** Figures of what was sent to it. Null when there is no such endpoint. */
  stats(accountId: AccountId, id: EndpointId, now: number): Promise<EndpointStats | null> {
    const queue = { partition: this.partitionOf(id), endpointId: id };
    return this.db.run((sql) => readEndpointStats(sql, accountId, queue, now));
  }

  /** Changes it and tells the dispatchers so, together. Null when there is no such endpoint. */
  async update(accountId: AccountId, id: EndpointId, patch: EndpointPatch): Promise<Endpoint | null> {
    if (Object.values(patch).every((value) => value === undefined)) return this.get(accountId, id);
    const [endpoint] = await untilNoDeadlock(() =>
      this.db.run((sql) => updateStatement(sql, accountId, id, patch)),
    );
    if (endpoint) this.onChanged(this.partitionOf(id), id);
    return endpoint ?? null;
  }

  /** False when there is no such endpoint. What it has pending is cancelled, or will be soon. */
  delete(accountId: AccountId, id: EndpointId): Promise<boolean> {
    return this.deletion.run(accountId, id);
  }

  /** Goes on with deletions that were interrupted, or had more to cancel than time. */
  cancelLeftovers(): Promise<void> {
    return this.deletion.runLeftovers();
  }
}

function columns(sql: Sql | TransactionSql) {
  return sql`
    endpoints.id, account_id as "accountId", url, description, event_filter as "eventFilter",
    is_active as "isActive", (extract(epoch from created_at) * 1000)::float8 as "createdAt", ${tuningColumns(sql)}
  `;
}

async function tune(sql: TransactionSql, id: EndpointId, tuning: TuningPatch): Promise<Endpoint | undefined> {
  const [endpoint] = await sql<Endpoint[]>`
    update endpoints set ${tuningAssignments(sql, tuning)} where id = ${id} returning ${columns(sql)}
  `;
  return endpoint;
}

function updateStatement(
  sql: Sql,
  accountId: AccountId,
  id: EndpointId,
  { url, description, eventFilter, isActive, ...tuning }: EndpointPatch,
): Promise<Endpoint[]> {
  return sql<Endpoint[]>`
    with changed as (
      update endpoints set
        url = coalesce(${url ?? null}, url),
        description = case when ${description !== undefined} then ${description ?? null} else description end,
        event_filter = coalesce(${eventFilter ?? null}, event_filter),
        failing_since = case when ${isActive === true} and not is_active then null else failing_since end,
        is_active = coalesce(${isActive ?? null}, is_active),
        ${tuningAssignments(sql, tuning)}
      where id = ${id} and account_id = ${accountId} and deleted_at is null
      returning ${columns(sql)}
    ),
    told as (
      update mailboxes m set revision = m.revision + 1 from changed c where m.endpoint_id = c.id
    )
    select * from changed
  `;
}
