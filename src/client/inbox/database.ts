type InboxValue = string | number | null;
export type InboxRow = Readonly<Record<string, unknown>>;
/** Runs a statement of the inbox, with parameters `$1`, `$2` …, and returns its rows. */
export type InboxQuery = (text: string, values: readonly InboxValue[]) => Promise<readonly InboxRow[]>;

/** A database in which the inbox and the work of the receiver share transactions. `Tx` is what its driver gives to the work. */
export type InboxDatabase<Tx> = {
  /** At the end of a statement that takes a row for one transaction alone. SQLite has one writer at a time anyway. */
  readonly taking: string;
  /** Runs a statement in a transaction of its own. */
  readonly query: InboxQuery;
  transaction<T>(work: (tx: Tx, query: InboxQuery) => Promise<T>): Promise<T>;
};

type Rows = PromiseLike<readonly object[]>;

/** postgres.js. Has both of its forms, from the last of which TypeScript infers `Tx`. */
export type PostgresJs<Tx> = PostgresJsTransaction & {
  begin(work: (tx: Tx) => Promise<unknown>): Promise<unknown>;
  begin(options: string, work: (tx: Tx) => Promise<unknown>): Promise<unknown>;
};
export type PostgresJsTransaction = {
  unsafe(text: string, values?: InboxValue[], options?: { prepare?: boolean }): Rows;
};

type PgQuery = { query(text: string, values?: InboxValue[]): Promise<{ rows: readonly object[] }> };
/** A `Pool` of pg */
export type PgPool<Client> = PgQuery & { connect(): Promise<Client> };
export type PgClient = PgQuery & { release(): void };

/** A `Database` of bun:sqlite, or a `DatabaseSync` of node:sqlite */
export type Sqlite = { exec(text: string): unknown; prepare(text: string): SqliteStatement };
type SqliteStatement = { all(...values: InboxValue[]): unknown };

export function ofPostgresJs<Tx extends PostgresJsTransaction>(sql: PostgresJs<Tx>): InboxDatabase<Tx> {
  const queryOf =
    (on: PostgresJsTransaction): InboxQuery =>
    async (text, values) =>
      (await on.unsafe(text, [...values], { prepare: true })) as readonly InboxRow[];
  return {
    taking: " for update of r skip locked",
    query: queryOf(sql),
    transaction: async <T>(work: (tx: Tx, query: InboxQuery) => Promise<T>) =>
      (await sql.begin((tx) => work(tx, queryOf(tx)))) as T,
  };
}

export function ofPgPool<Client extends PgClient>(pool: PgPool<Client>): InboxDatabase<Client> {
  const queryOf =
    (on: PgQuery): InboxQuery =>
    async (text, values) =>
      (await on.query(text, [...values])).rows as readonly InboxRow[];
  return {
    taking: " for update of r skip locked",
    query: queryOf(pool),
    async transaction(work) {
      const client = await pool.connect();
      try {
        await client.query("begin");
        const result = await work(client, queryOf(client));
        await client.query("commit");
        return result;
      } catch (error) {
        await client.query("rollback").catch(() => {});
        throw error;
      } finally {
        client.release();
      }
    },
  };
}

export function ofSqlite<Db extends Sqlite>(db: Db): InboxDatabase<Db> {
  const prepared = new Map<string, SqliteStatement>();
  const query: InboxQuery = async (text, values) => {
    const { positional, ordered } = positionally(text, values);
    const statement = prepared.get(text) ?? db.prepare(positional);
    prepared.set(text, statement);
    return statement.all(...ordered) as readonly InboxRow[];
  };
  // A connection has one transaction at a time.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work, work);
    last = next;
    return next;
  };
  return {
    taking: "",
    query: (text, values) => inTurn(() => query(text, values)),
    transaction: (work) =>
      inTurn(async () => {
        db.exec("begin immediate");
        try {
          const result = await work(db, query);
          db.exec("commit");
          return result;
        } catch (error) {
          db.exec("rollback");
          throw error;
        }
      }),
  };
}

/** Writes `$1`, `$2` … as `?`, and repeats the values in the order in which the text names them. */
function positionally(
  text: string,
  values: readonly InboxValue[],
): { positional: string; ordered: InboxValue[] } {
  const ordered: InboxValue[] = [];
  const positional = text.replace(/\$(\d+)/g, (_, number: string) => {
    ordered.push(values[Number(number) - 1] ?? null);
    return "?";
  });
  return { positional, ordered };
}
