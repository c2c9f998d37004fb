import type { Add } from "./command";

export const addStats: Add = (parent, session) => {
  parent
    .command("stats")
    .description("Show the account's statistics.")
    .action(async () => {
      const hermod = await session.hermod();
      session.output.one(await hermod.stats());
    });
};
