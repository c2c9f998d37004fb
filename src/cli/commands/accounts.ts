import type { Account } from "../../client";
import type { Columns } from "../output";
import type { Add } from "./command";

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
    .action(async (name, { plan }) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.admin.createAccount({ name, plan }));
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
    .action(async (id, changes) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.admin.updateAccount(id, changes));
    });
};
