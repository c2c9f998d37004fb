import { count } from "drizzle-orm";
import type { AccountPlacement } from "../accounts/account";
import type { Database } from "../db/database";
import { accounts } from "../db/schema";
import { typed } from "../db/typed";
import { readSetting, writeSetting } from "../installation/fixed-settings";
import type { Clock } from "../runtime/clock";
import { FreshCache } from "../runtime/fresh-cache";
import type { CellBucket } from "./bucket";
import type { CellAddress } from "./cell-list";
import type { CellDirectory, Whereabouts } from "./directory";
import { type CellReference, keyOf } from "./reference";

/** The account lives in another cell. */
export class LivesElsewhere extends Error {
  constructor(readonly home: CellAddress) {
    super(`The account lives in the cell ${home.name}`);
    this.name = "LivesElsewhere";
  }
}

/** A cell that may have the account does not answer, or the directory can't be used. */
export class CellsSilent extends Error {
  constructor() {
    super("a cell that may have the account does not answer, or the directory's NATS is away");
    this.name = "CellsSilent";
  }
}

/** The cell takes no new accounts. The message is public. */
export class NoNewAccounts extends Error {
  constructor(cell: string) {
    super(`The cell ${cell} accepts no new accounts: place the account in another cell`);
    this.name = "NoNewAccounts";
  }
}

export type OwnCellOptions = Readonly<{
  name: string;
  cells: readonly CellAddress[];
  bucket: CellBucket;
  directory: CellDirectory;
  db: Database;
  clock: Clock;
}>;

/** A cell as its operators see it. */
export type CellFacts = Readonly<{ name: string; acceptsAccounts: boolean; accounts: number }>;

/** A claim may have no account yet for this long: the request that made it is under way. */
export const CLAIM_MS = 60_000;
const [FACTS_MS, READ_MS] = [1_000, 2_000];

/** The cell of this process: knows what lives elsewhere, and sees to it that an account is in one cell alone. */
export class OwnCell implements AccountPlacement {
  private readonly cache: FreshCache<"facts", null, CellFacts>;

  constructor(private readonly options: OwnCellOptions) {
    this.cache = new FreshCache({
      clock: options.clock,
      read: () => this.readFacts(),
      trustMs: FACTS_MS,
      refreshAfterMs: FACTS_MS,
      maxEntries: 1,
    });
  }

  get name(): string {
    return this.options.name;
  }

  /** Returns the facts, which may be a second old. Throws `DatabaseUnavailable`. */
  async facts(): Promise<CellFacts> {
    return this.cache.fresh("facts", null) ?? (await this.cache.load("facts", null));
  }

  async setAccepting(isAccepting: boolean): Promise<CellFacts> {
    await writeSetting(this.options.db, "accepts_accounts", String(isAccepting));
    this.cache.forget();
    return this.facts();
  }

  /** Returns the other cell that has what this one lacks; null if none has it. Throws `CellsSilent` and `QueueFull`. */
  async homeOf(reference: CellReference): Promise<CellAddress | null> {
    return this.addressOf(await this.options.directory.find(reference));
  }

  async admit(externalId: string | null): Promise<void> {
    const accepts = await readSetting(this.options.db, "accepts_accounts");
    if (accepts === "false") throw new NoNewAccounts(this.name);
    const home = externalId === null ? null : await this.claim(externalId);
    if (home !== null) throw new LivesElsewhere(home);
  }

  /**
   * Enters the external id for this cell, then asks the others: of two cells that claim it at once, the bucket lets one pass, and
   * an account whose entry is gone is found in its own cell.
   */
  async claim(externalId: string): Promise<CellAddress | null> {
    const { bucket, directory } = this.options;
    const reference = { kind: "account", text: externalId } as const;
    const silent = (): never => {
      throw new CellsSilent();
    };
    const claimant = await this.enter(keyOf(reference)).catch(silent);
    if (claimant !== null) return claimant;
    const home = this.addressOf(await directory.ask(reference));
    if (home !== null) await bucket.put(keyOf(reference), home.name).catch(silent);
    return home;
  }

  /** Writes this cell's entry. Returns the other cell whose claim may be under way; null if the entry is this cell's. */
  private async enter(key: string): Promise<CellAddress | null> {
    const { bucket, clock, name } = this.options;
    if (await bucket.create(key, name)) return null;
    const entry = await bucket.get(key);
    if (entry === null) return this.enter(key);
    const claimant = this.find(entry.string());
    if (entry.string() === name) return null;
    const isOld = clock.now() - entry.created.getTime() > CLAIM_MS;
    if (claimant !== null && !isOld) return claimant;
    return (await bucket.replace(key, name, entry.revision)) ? null : this.enter(key);
  }

  private addressOf(whereabouts: Whereabouts): CellAddress | null {
    if (whereabouts.kind === "unsure") throw new CellsSilent();
    return whereabouts.kind === "cell" ? this.find(whereabouts.name) : null;
  }

  private find(name: string): CellAddress | null {
    return this.options.cells.find((cell) => cell.name === name) ?? null;
  }

  private async readFacts(): Promise<CellFacts> {
    const { db, name } = this.options;
    const [accepts, [counted]] = await Promise.all([
      readSetting(db, "accepts_accounts"),
      db.run((sql) => typed(sql).select({ accounts: count() }).from(accounts), READ_MS),
    ]);
    return { name, acceptsAccounts: accepts !== "false", accounts: counted?.accounts ?? 0 };
  }
}
