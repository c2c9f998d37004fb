import { expect, test } from "bun:test";
import { useDatabase } from "../support/postgres";

/** Settings that a server may have for all databases, or for ours. */
const CONTRARY = {
  enable_hashjoin: "on",
  enable_mergejoin: "on",
  enable_seqscan: "on",
  jit: "on",
  plan_cache_mode: "force_custom_plan",
};

const database = await useDatabase();

test.each(Object.entries(CONTRARY))("%s %s on the server changes no plan", async (name, contrary) => {
  await database.db.run(async (sql) => {
    const [row] = await sql<{ name: string }[]>`select current_database() as name`;
    await sql.unsafe(`alter database ${row?.name} set ${name} = ${contrary}`);
  });
  const [found] = await database
    .open({ size: 1 })
    .run((sql) => sql<{ setting: string }[]>`select current_setting(${name}) as setting`);
  expect(found?.setting).not.toBe(contrary);
});
