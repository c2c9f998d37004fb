import type { Add } from "./command";

export const addUsage: Add = (parent, session) => {
  parent
    .command("usage")
    .description("Show how much of the plan is used this month.")
    .action(async () => {
      const hermod = await session.hermod();
      session.output.one(await hermod.usage());
    });
};

export const addStats: Add = (parent, session) => {
  parent
    .command("stats")
    .description("Show the account's statistics.")
    .action(async () => {
      const hermod = await session.hermod();
      session.output.one(await hermod.stats());
    });
};

export const addSystem: Add = (parent, session) => {
  parent
    .command("system")
    .description("Show the processes of the installation and the partitions that each owns.")
    .action(async () => {
      const hermod = await session.hermod();
      session.output.one(await hermod.admin.system());
    });
};
