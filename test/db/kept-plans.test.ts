import { expect, test } from "bun:test";
import { KeptPlans } from "../../src/db/kept-plans";
import type { Sql } from "../../src/db/pool";
import { useDatabase } from "../support/postgres";

const database = await useDatabase();
const own = database.open({ size: 1 });

const variant = (sql: Sql, piece: string, value: number) =>
  sql<{ variant: number }[]>`select ${value}::integer ${sql`${sql.unsafe(piece)}`} as variant`;

/** Prepared statements, with the number of runs of each. */
function prepared() {
  return own.run(
    (sql) => sql<{ statement: string; runs: number }[]>`
      select statement, generic_plans as runs from pg_prepared_statements where statement like '%as variant' order by 1`,
  );
}

test("the first variants of a statement stay prepared, whatever their values; further ones are planned each time", async () => {
  const plans = new KeptPlans(2);
  const answers: (number | undefined)[] = [];
  for (const piece of ["+ 1", "+ 2", "+ 3", "+ 1", "+ 2", "+ 3"]) {
    const [row] = await own.run((sql) => plans.of(variant(sql, piece, answers.length)));
    answers.push(row?.variant);
  }
  expect(answers).toEqual([1, 3, 5, 4, 6, 8]);
  expect([...(await prepared())]).toEqual([
    { statement: "select $1::integer + 1 as variant", runs: 2 },
    { statement: "select $1::integer + 2 as variant", runs: 2 },
  ]);
});
