import type { Database } from "../db/database";
import type { PageRequest } from "../db/page";
import { type AnySql, isForeignKeyViolation, type TransactionSql } from "../db/pool";
import { unixMs } from "../db/unix-ms";
import { type AccountId, newId } from "../runtime/ids";

export type Account = {
  id: AccountId;
  name: string;
  /** The name of its plan. */
  plan: string;
  /** Unix milliseconds. */
  createdAt: number;
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

  /** Throws `UnknownPlan`. */
  async create(sql: TransactionSql, { name, plan }: { name: string; plan?: string }): Promise<Account> {
    const wanted = plan ?? this.defaultPlan;
    const [account] = await knownPlan(
      wanted,
      sql<Account[]>`
        insert into accounts (id, name, plan) values (${newId("acc")}, ${name}, ${wanted})
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

  /** What is left out stays as it is; null when there is no such account. Throws `UnknownPlan`. */
  async update(id: AccountId, { name, plan }: { name?: string; plan?: string }): Promise<Account | null> {
    const [account] = await knownPlan(
      plan,
      this.db.run(
        (sql) => sql<Account[]>`
          update accounts set name = coalesce(${name ?? null}, name), plan = coalesce(${plan ?? null}, plan)
          where id = ${id}
          returning ${columns(sql)}
        `,
      ),
    );
    return account ?? null;
  }
}

function columns(sql: AnySql) {
  return sql`id, name, plan, ${unixMs(sql, "created_at")} as "createdAt"`;
}

async function knownPlan<T>(plan: string | undefined, statement: Promise<T>): Promise<T> {
  try {
    return await statement;
  } catch (error) {
    throw isForeignKeyViolation(error) ? new UnknownPlan(plan ?? "") : error;
  }
}
