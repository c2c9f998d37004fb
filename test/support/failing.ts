import { type Database, DatabaseUnavailable } from "../../src/db/database";
import type { Sql } from "../../src/db/pool";

/** How a statement fails: Postgres rolls it back for a deadlock, or cannot be reached. */
type Failure = "deadlock" | "away";

/** Wraps a database. Each entry of `failures` fails one statement, also an entry that is added later. */
export function failing(database: Database, failures: Failure[]): Database {
  const run: Database["run"] = (work) => {
    const failure = failures.shift();
    if (failure === "away") return Promise.reject(new DatabaseUnavailable("a test"));
    return database.run(async (sql) => {
      if (failure === "deadlock") await deadlock(sql);
      return work(sql);
    });
  };
  return Object.assign(Object.create(database), { run });
}

function deadlock(sql: Sql) {
  return sql.unsafe("do $$ begin raise exception using errcode = '40P01'; end $$");
}
