import type { Add } from "./command";
import { groupOf } from "./group";
import { oneOf } from "./values";

const readFormat = oneOf<"openapi" | "asyncapi">({ openapi: true, asyncapi: true });

export const addEventTypes: Add = (parent, session) => {
  groupOf(parent, "event-types")
    .command("export <format>")
    .description("Write the described event types as a document: openapi or asyncapi.")
    .action(async (format) => {
      const hermod = await session.hermod();
      const { exportOpenApi, exportAsyncApi } = hermod.eventTypes;
      const write = readFormat(format) === "openapi" ? exportOpenApi : exportAsyncApi;
      session.output.one(await write());
    });
};
