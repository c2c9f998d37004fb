import type { Add } from "./command";

export const addWhoami: Add = (parent, session) => {
  parent
    .command("whoami")
    .description("Show the account, the key and its permissions.")
    .action(async () => {
      const hermod = await session.hermod();
      session.output.one(await hermod.me());
    });
};
