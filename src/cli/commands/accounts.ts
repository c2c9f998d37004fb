import type { Account } from "../../client";
import type { Columns } from "../output";
import type { Add } from "./command";
import { filled } from "./values";

const COLUMNS: Columns<Account> = [
  ["ID", 30, ({ id }) => id],
  ["PLAN", 10, ({ plan }) => plan],
  ["CREATED", 24, ({ created_at }) => created_at],
  ["NAME", 0, ({ name }) => name],
];

export const addAccounts: Add = (parent, session) => {
  const group = parent
    .command("accounts")
    .description("Manage accounts; needs the permission admin, or accounts:act to list and read them.");
  group
    .command("create <name>")
    .description("Create an account.")
    .option("--plan <name>", "the plan (default: HERMOD_DEFAULT_PLAN of the service)")
    .option("--external-id <id>", "your own id for the account", filled)
    .action(async (name, { plan, externalId }) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.admin.createAccount({ name, plan, external_id: externalId }));
    });
  group
    .command("set <external-id>")
    .description("Create the account with this external id, or change it.")
    .option("--name <name>", "a name for people; required to create the account")
    .option("--plan <name>", "the plan, which sets its limits")
    .action(async (externalId, settings) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.admin.putAccount(externalId, settings));
    });
  group
    .command("list")
    .description("List the accounts, newest first.")
    .action(async () => {
      const hermod = await session.hermod();
      await session.output.list(hermod.admin.allAccounts(), COLUMNS);
    });
  group
    .command("get <id>")
    .description("Show an account.")
    .action(async (id) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.admin.getAccount(id));
    });
  group
    .command("update <id>")
    .description("Change an account; options that you leave out change nothing.")
    .option("--name <name>", "a name for people")
    .option("--plan <name>", "the plan, which sets its limits")
    .option("--external-id <id>", "your own id for the account", filled)
    .action(async (id, { externalId, ...changes }) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.admin.updateAccount(id, { ...changes, external_id: externalId }));
    });
};
