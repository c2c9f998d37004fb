import type { Database } from "../db/database";
import type { PageRequest } from "../db/page";
import { type AnySql, isForeignKeyViolation } from "../db/pool";
import { unixMs } from "../db/sql/time";
import { type AccountId, newId } from "../domain/ids";
import { withFreeExternalId } from "./external-id";

export type Account = {
  id: AccountId;
  name: string;
  /** The name of its plan. */
  plan: string;
  /** What the operator calls it elsewhere; null is nothing. */
  externalId: string | null;
  /** Unix milliseconds. */
  createdAt: number;
};

/** What is left out, or undefined, stays as it is. */
export type AccountPatch = {
  name?: string | undefined;
  plan?: string | undefined;
  externalId?: string | null | undefined;
};

/** The account that every installation has from the start. */
export const DEFAULT_ACCOUNT = "00000000-0000-7000-8000-000000000001" as AccountId;

/** There is no plan of that name. */
export class UnknownPlan extends Error {
  constructor(readonly plan: string) {
    super(`There is no plan ${plan}`);
    this.name = "UnknownPlan";
  }
}

/** Stores the accounts. Every method throws `DatabaseUnavailable`. */
export class Accounts {
  constructor(
    private readonly db: Database,
    /** Of accounts that are made without a plan. */
    private readonly defaultPlan: string,
  ) {}

  /** Throws `UnknownPlan` and `ExternalIdTaken`. */
  async create(sql: AnySql, { name, plan, externalId }: AccountPatch & { name: string }): Promise<Account> {
    const wanted = plan ?? this.defaultPlan;
    const [account] = await checked(
      wanted,
      sql<Account[]>`
        insert into accounts (id, name, plan, external_id)
        values (${newId("acc")}, ${name}, ${wanted}, ${externalId ?? null})
        returning ${columns(sql)}
      `,
    );
    if (!account) throw new Error("the account was not written");
    return account;
  }

  /** Some, newest first. */
  page({ limit, beyond }: PageRequest<AccountId>): Promise<Account[]> {
    return this.db.run(
      (sql) => sql<Account[]>`
        select ${columns(sql)} from accounts
        where ${beyond === undefined ? sql`true` : sql`id < ${beyond}`}
        order by id desc
        limit ${limit}
      `,
    );
  }

  async get(id: AccountId): Promise<Account | null> {
    const [account] = await this.db.run(
      (sql) => sql<Account[]>`select ${columns(sql)} from accounts where id = ${id}`,
    );
    return account ?? null;
  }

  /** Null when no account has the external id. */
  async idOf(externalId: string): Promise<AccountId | null> {
    const [account] = await this.db.run(
      (sql) => sql<{ id: AccountId }[]>`select id from accounts where external_id = ${externalId}`,
    );
    return account?.id ?? null;
  }

  /** Null when there is no such account. Throws `UnknownPlan` and `ExternalIdTaken`. */
  async update(id: AccountId, { name, plan, externalId }: AccountPatch): Promise<Account | null> {
    const [account] = await checked(
      plan,
      this.db.run(
        (sql) => sql<Account[]>`
          update accounts set name = coalesce(${name ?? null}, name), plan = coalesce(${plan ?? null}, plan),
            external_id = case when ${externalId !== undefined} then ${externalId ?? null} else external_id end
          where id = ${id}
          returning ${columns(sql)}
        `,
      ),
    );
    return account ?? null;
  }
}

function columns(sql: AnySql) {
  return sql`id, name, plan, external_id as "externalId", ${unixMs(sql, "created_at")} as "createdAt"`;
}

async function checked<T>(plan: string | undefined, statement: Promise<T>): Promise<T> {
  try {
    return await withFreeExternalId("account", statement);
  } catch (error) {
    throw isForeignKeyViolation(error) ? new UnknownPlan(plan ?? "") : error;
  }
}
