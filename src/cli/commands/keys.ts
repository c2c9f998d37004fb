import type { Key, NewKey } from "../../client";
import type { Columns } from "../output";
import type { Add } from "./command";
import { groupOf } from "./group";
import { oneOf } from "./values";

type Permission = NonNullable<NewKey["permissions"]>[number];

const readPermission = oneOf<Permission>({
  "endpoints:read": true,
  "endpoints:write": true,
  "webhooks:read": true,
  "webhooks:write": true,
  "webhooks:retry": true,
  "event-types:write": true,
  "stats:read": true,
  "keys:write": true,
  "accounts:act": true,
  admin: true,
});

const COLUMNS: Columns<Key> = [
  ["ID", 30, ({ id }) => id],
  ["ACTIVE", 6, ({ is_active }) => is_active],
  ["EXPIRES", 24, ({ expires_at }) => expires_at],
  ["LAST USED", 24, ({ last_used_at }) => last_used_at],
  ["NAME", 0, ({ name }) => name],
];

export const addKeys: Add = (parent, session) => {
  const group = groupOf(parent, "keys");
  group
    .command("create")
    .description("Create a key, and show its text, only this once.")
    .option("--name <name>", "a name for people")
    .option("--permission <permission>", "a permission of the key; may be repeated", permissions)
    .option("--expires <time>", "when it expires, ISO 8601 (default and latest: with your key)")
    .action(async ({ name, permission, expires }) => {
      const hermod = await session.hermod();
      const wanted = { name, permissions: permission, expires_at: expires };
      const { account } = session;
      const key = account ? hermod.admin.createKey(pathOf(account), wanted) : hermod.keys.create(wanted);
      session.output.one(await key);
    });
  group
    .command("list")
    .description("List the keys, newest first.")
    .action(async () => {
      const hermod = await session.hermod();
      const { account } = session;
      const { data } = await (account ? hermod.admin.listKeys(pathOf(account)) : hermod.keys.list());
      await session.output.list(data, COLUMNS);
    });
};

/** Returns an account's path segment: its id, or `~` and its external id, which never looks like an id. */
function pathOf(account: string): string {
  return /^acc_[0-9a-z]{26}$/.test(account) ? account : `~${account}`;
}

function permissions(text: string, before: Permission[] = []): Permission[] {
  return [...before, readPermission(text)];
}
