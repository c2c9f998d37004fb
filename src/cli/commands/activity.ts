import type { AuditEntry } from "../../client";
import type { Columns } from "../output";
import type { Add } from "./command";
import { wholeNumber } from "./values";

const COLUMNS: Columns<AuditEntry> = [
  ["AT", 24, ({ at }) => at],
  ["OPERATION", 22, ({ operation }) => operation],
  ["TARGET", 30, ({ target }) => target],
  ["BY", 0, ({ actor }) => actor.name ?? actor.id ?? actor.kind],
];

export const addActivity: Add = (parent, session) => {
  parent
    .command("activity")
    .description("List the changes in the account with the key of each, newest first.")
    .option("--all-accounts", "in every account; needs the permission admin")
    .option("--operation <name>", "only this operation, such as `updateEndpoint`")
    .option("--key-id <id>", "only changes by this key")
    .option("--after <time>", "only changes at or after this time (ISO 8601; UTC by default)")
    .option("--before <time>", "only changes before this time (ISO 8601; UTC by default)")
    .option("--limit <n>", "show at most this many", wholeNumber(1), 20)
    .action(async ({ allAccounts, operation, keyId, after, before, limit }) => {
      const hermod = await session.hermod();
      const query = { operation, key_id: keyId, after, before, limit: Math.min(limit, 100) };
      const found = allAccounts ? hermod.admin.audit(query) : hermod.activity(query);
      await session.output.list(found, COLUMNS, limit);
    });
};
