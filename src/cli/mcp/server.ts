import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Transport } from "../../client/transport";
import { VERSION } from "../../runtime/version";
import type { ApiOperation } from "../document";
import { refusalOf } from "./access";
import { callTool, toolOf } from "./tools";

const INSTRUCTIONS = `Hermod delivers webhooks: a sender publishes an event, and each endpoint that wants it gets a delivery.
Why did an event not arrive? listWebhooks with its event_type has its deliveries; getWebhook shows a delivery's attempts and what it
waits for; getEndpoint shows the endpoint's health. If there is no delivery, listEvents and listMissedEndpoints say which endpoints
left the event out, and why.`;

/** Makes a server whose tools are operations of the API. */
export function mcpServerOf(http: Transport, operations: readonly ApiOperation[]): McpServer {
  const byName = new Map(operations.map((each) => [each.id, each]));
  const tools = operations.map(toolOf);
  const info = { name: "hermod", version: VERSION };
  const mcp = new McpServer(info, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
  mcp.server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  mcp.server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: given = {} } }) => {
    const operation = byName.get(name);
    if (!operation) return said(true, `${name} is no tool of this server, or the key may not call it`);
    try {
      const { text, note } = await callTool(http, operation, given);
      return said(false, text, ...(note === null ? [] : [note]));
    } catch (error) {
      return said(true, refusalOf(error));
    }
  });
  return mcp;
}

function said(isError: boolean, ...texts: string[]) {
  return { isError, content: texts.map((text) => ({ type: "text" as const, text })) };
}
