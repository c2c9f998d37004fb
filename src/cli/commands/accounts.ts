import type { Account } from "../../client";
import type { Columns } from "../output";
import { type Add, filled } from "./command";

const COLUMNS: Columns<Account> = [
  ["ID", 30, ({ id }) => id],
  ["PLAN", 10, ({ plan }) => plan],
  ["CREATED", 24, ({ created_at }) => created_at],
  ["NAME", 0, ({ name }) => name],
];

export const addAccounts: Add = (parent, session) => {
  const group = parent.command("accounts").description("Manage accounts; needs the permission admin.");
  group
    .command("create <name>")
    .description("Create an account.")
    .option("--plan <name>", "default: HERMOD_DEFAULT_PLAN of the service")
    .option("--external-id <id>", "an id of your own for it", filled)
    .action(async (name, { plan, externalId }) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.admin.createAccount({ name, plan, external_id: externalId }));
    });
  group
    .command("set <external-id>")
    .description("Create the account with this id of your own, or change it.")
    .option("--name <name>", "a text for people; needed to create it")
    .option("--plan <name>", "the plan, which sets its limits")
    .action(async (externalId, settings) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.admin.putAccount(externalId, settings));
    });
  group
    .command("list")
    .description("List them, newest first.")
    .action(async () => {
      const hermod = await session.hermod();
      await session.output.list(hermod.admin.allAccounts(), COLUMNS);
    });
  group
    .command("get <id>")
    .description("Show one.")
    .action(async (id) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.admin.getAccount(id));
    });
  group
    .command("update <id>")
    .description("Change one; what is not given stays as it is.")
    .option("--name <name>", "a text for people")
    .option("--plan <name>", "the plan, which sets its limits")
    .option("--external-id <id>", "an id of your own for it", filled)
    .action(async (id, { externalId, ...changes }) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.admin.updateAccount(id, { ...changes, external_id: externalId }));
    });
};
