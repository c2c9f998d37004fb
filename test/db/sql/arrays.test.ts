import { expect, test } from "bun:test";
import fc from "fast-check";
import { arrayOf } from "../../../src/db/sql/arrays";
import { useDatabase } from "../../support/postgres";

const database = await useDatabase();

// Postgres' texts are UTF-8 without NUL.
const anyText = fc.oneof(
  fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\0", "").toWellFormed()),
  fc.json(),
  fc.constantFrom(
    "",
    "NULL",
    "null",
    "{}",
    '"',
    "\\",
    '\\"',
    "a,b",
    "\n\t\r",
    "\u2028",
    "😀",
    '{"a":\t"\\n\\u0000"}',
  ),
);

test("any text arrives in Postgres unchanged, and comes back unchanged", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(anyText), { maxLength: 8 }), async (texts) => {
      const rows = await database.db.run(
        (sql) => sql<{ text: string | null }[]>`select t as text from unnest(${arrayOf(texts)}::text[]) t`,
      );
      expect(rows.map((row) => row.text)).toEqual(texts);
      const [back] = await database.db.run((sql) => sql`select ${arrayOf(texts)}::text[] as texts`);
      expect(back?.texts).toEqual(texts);
    }),
    { numRuns: 300 },
  );
});
