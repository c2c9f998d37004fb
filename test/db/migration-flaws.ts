/**
 * Returns the parts of a migration that would block sends for long, or break processes of the former version. Each migration
 * is one transaction: it waits for a table for about a second at most, and must then finish at once.
 */
export function flawsOf(migration: string): string[] {
  const statements = migration.split("--> statement-breakpoint").map(withoutComments).filter(Boolean);
  const created = new Set(statements.flatMap((each) => CREATE_TABLE.exec(each)?.[1] ?? []));
  const changed = new Set<string>();
  const flaws = statements.flatMap((statement) => {
    const [, table] = ALTER_TABLE.exec(statement) ?? [];
    if (table && !created.has(table)) changed.add(table);
    const isOnNewTable = created.has((ON_TABLE.exec(statement) ?? [])[1] ?? "");
    return isOnNewTable || INSTANT.some((form) => form.test(statement)) ? [] : [`not instant: ${statement}`];
  });
  return changed.size > 1 ? [...flaws, `changes several tables: ${[...changed].join(", ")}`] : flaws;
}

const CREATE_TABLE = /^create table "?(\w+)"?\s*\((?!.*\bpartition of\b)/is;
const ALTER_TABLE = /^alter table "?(\w+)"?/i;
/** The table of a statement that touches only one. */
const ON_TABLE =
  /^(?:alter table|create (?:unique )?index "?\w+"? on|insert into) "?(\w+)"?(?!.*\breferences\b)/is;

/** Statements that change only the catalog, whatever the tables hold. */
const INSTANT = [
  CREATE_TABLE,
  /^create (type|sequence|(or replace )?function) /i,
  /^alter type "?[\w."]+"? add value /i,
  // A constant default is stored in the catalog. A computed one, or a check, reads or writes every row.
  /^alter table "?\w+"? add column "?\w+"?( (?!not|default)[\w[\]"]+)+( default ('[^']*'(::\w+)?|-?\d+|true|false|null)( not null)?)?;?$/i,
  /^alter table "?\w+"? add constraint .* not valid;?$/is,
  /^alter table "?\w+"? alter column "?\w+"? (set default .*|drop default|drop not null);?$/is,
];

function withoutComments(statement: string): string {
  return statement.replaceAll(/^\s*--.*$/gm, "").trim();
}
