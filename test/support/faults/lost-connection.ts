import type { Database } from "../../../src/db/database";
import type { TestDatabase } from "../postgres";

/** Ends the only connection of a database while it has nothing to do; resolves once that is noticed. */
export async function loseConnection({ db }: TestDatabase, own: Database): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  own.onLost(resolve);
  const [backend] = await own.run((sql) => sql<{ pid: number }[]>`select pg_backend_pid() as pid`);
  await db.run((sql) => sql`select pg_terminate_backend(${backend?.pid ?? 0}::integer)`);
  await promise;
}
