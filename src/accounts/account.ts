import { desc, eq, lt } from "drizzle-orm";
import type { Database } from "../db/database";
import type { PageRequest } from "../db/page";
import { type AnySql, isForeignKeyViolation } from "../db/pool";
import { accounts } from "../db/schema";
import { typed } from "../db/typed";
import { type AccountId, fromText, newId } from "../domain/ids";
import { ExternalIdTaken, withFreeExternalId } from "./external-id";

export type Account = {
  id: AccountId;
  name: string;
  /** The name of its plan. */
  plan: string;
  /** The operator's own id of the account; null for none. */
  externalId: string | null;
  /** Unix milliseconds. */
  createdAt: number;
};

/** Changes to an account. Absent or undefined fields stay unchanged. */
export type AccountPatch = {
  name?: string | undefined;
  plan?: string | undefined;
  externalId?: string | null | undefined;
};

/** The account that every installation has from the start. */
export const DEFAULT_ACCOUNT = "00000000-0000-7000-8000-000000000001" as AccountId;

/** There is no plan with this name. */
export class UnknownPlan extends Error {
  constructor(readonly plan: string) {
    super(`There is no plan ${plan}`);
    this.name = "UnknownPlan";
  }
}

/** Keeps an account in one cell, where an installation has several. */
export type AccountPlacement = {
  /** Throws if a new account must not be made here: the external id, if any, is in another cell, or this one is full. */
  admit(externalId: string | null): Promise<void>;
  /** Returns what has the external id elsewhere; null if it is free, and from now on taken for this cell. */
  claim(externalId: string): Promise<object | null>;
};

/** Stores the accounts. Every method throws `DatabaseUnavailable`. */
export class Accounts {
  constructor(
    private readonly db: Database,
    /** The plan of accounts that are created without one. */
    private readonly defaultPlan: string,
    /** Null in an installation without cells. */
    private readonly placement: AccountPlacement | null = null,
  ) {}

  /** Throws `UnknownPlan` and `ExternalIdTaken`, and what its placement throws. */
  async create(sql: AnySql, { name, plan, externalId }: AccountPatch & { name: string }): Promise<Account> {
    await this.placement?.admit(externalId ?? null);
    const wanted = plan ?? this.defaultPlan;
    const row = { id: newId("acc"), name, plan: wanted, externalId };
    const [account] = await checked(wanted, typed(sql).insert(accounts).values(row).returning());
    if (!account) throw new Error("the insert of an account returned no row");
    return account;
  }

  /** Reads a page of accounts, newest first. */
  page({ limit, beyond }: PageRequest<AccountId>): Promise<Account[]> {
    const isBeyond = beyond && lt(accounts.id, beyond);
    return this.db.run((sql) =>
      typed(sql).select().from(accounts).where(isBeyond).orderBy(desc(accounts.id)).limit(limit),
    );
  }

  async get(id: AccountId): Promise<Account | null> {
    const [account] = await this.db.run((sql) =>
      typed(sql).select().from(accounts).where(eq(accounts.id, id)),
    );
    return account ?? null;
  }

  /** Finds an account by its public id or its external id, which never looks like one. Resolves to null if there is none. */
  async find(reference: string): Promise<AccountId | null> {
    const id = fromText("acc", reference);
    return id === null ? this.idOf(reference) : ((await this.get(id))?.id ?? null);
  }

  /** Resolves to null if no account has the external id. */
  async idOf(externalId: string): Promise<AccountId | null> {
    const [account] = await this.db.run((sql) =>
      typed(sql).select({ id: accounts.id }).from(accounts).where(eq(accounts.externalId, externalId)),
    );
    return account?.id ?? null;
  }

  /** Resolves to null if there is no such account. Throws `UnknownPlan` and `ExternalIdTaken`. */
  async update(id: AccountId, patch: AccountPatch): Promise<Account | null> {
    if (Object.values(patch).every((value) => value === undefined)) return this.get(id);
    if (typeof patch.externalId === "string" && (await this.placement?.claim(patch.externalId)))
      throw new ExternalIdTaken("account");
    const write = this.db.run((sql) =>
      typed(sql).update(accounts).set(patch).where(eq(accounts.id, id)).returning(),
    );
    const [account] = await checked(patch.plan, write);
    return account ?? null;
  }
}

async function checked<T>(plan: string | undefined, statement: Promise<T>): Promise<T> {
  try {
    return await withFreeExternalId("account", statement);
  } catch (error) {
    throw isForeignKeyViolation(error) ? new UnknownPlan(plan ?? "") : error;
  }
}
