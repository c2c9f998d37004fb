import type { Database } from "../../../src/db/database";
import type { TestDatabase } from "../postgres";

/** Breaks the idle connection of a database that has one. Resolves once the loss is noticed. */
export async function loseConnection({ db }: TestDatabase, own: Database): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  own.onLost(resolve);
  const [backend] = await own.run((sql) => sql<{ pid: number }[]>`select pg_backend_pid() as pid`);
  await db.run((sql) => sql`select pg_terminate_backend(${backend?.pid ?? 0}::integer)`);
  await promise;
}
