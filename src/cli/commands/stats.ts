import type { Add } from "./command";

export const addStats: Add = (parent, session) => {
  parent
    .command("stats")
    .description("Figures over all deliveries of the account.")
    .action(async () => {
      const hermod = await session.hermod();
      session.output.one(await hermod.stats());
    });
};
