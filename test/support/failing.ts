import { type Database, DatabaseUnavailable } from "../../src/db/database";
import type { Sql } from "../../src/db/pool";

/** What becomes of a statement: Postgres undoes it for a deadlock, which is its own error, or is out of reach. */
type Failure = "deadlock" | "away";

/** A database as it is, but for its next statements: each of `failures` takes one, whenever it is put there. */
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
