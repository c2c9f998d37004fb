import { Option } from "@commander-js/extra-typings";
import { apiOperations } from "../document";
import { readRights } from "../mcp/access";
import { operationsFor } from "../mcp/tools";
import type { Add } from "./command";

export const addMcp: Add = (parent, session) => {
  parent
    .command("mcp")
    .summary("Serve the API to agents by the Model Context Protocol.")
    .description(
      "Serve the API to agents by the Model Context Protocol, on standard input and output. Each operation that the key may call is a " +
        "tool. Only those that read, unless --allow-writes. Takes an account's key, a portal session's token or a receiver's key.",
    )
    .option("--read-only", "offer operations that read (the default)")
    .addOption(
      new Option("--allow-writes", "offer all operations, also those that send, change and delete").conflicts(
        "readOnly",
      ),
    )
    .action(async ({ allowWrites = false }) => {
      const http = await session.transport();
      const rights = await readRights(http, session.asked?.key ?? "");
      const offered = operationsFor(apiOperations(), rights, allowWrites);
      // Loaded here, so that other commands start without it.
      const [{ StdioServerTransport }, { mcpServerOf }] = await Promise.all([
        import("@modelcontextprotocol/sdk/server/stdio.js"),
        import("../mcp/server"),
      ]);
      const mcp = mcpServerOf(http, offered);
      await mcp.connect(new StdioServerTransport());
      await Promise.race([inputEnd(), ending(session.context.untilEnded())]);
      await mcp.close();
    });
};

/** Resolves once the agent has closed the server's input. */
function inputEnd(): Promise<void> {
  return new Promise((resolve) => process.stdin.once("close", resolve).once("end", resolve));
}

function ending(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
