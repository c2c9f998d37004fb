import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { answerText } from "../../api/answer";
import type { Call } from "../../api/call";
import type { Guard } from "../../api/guard";
import { idInPath, noSuch } from "../../api/ids";
import { Query } from "../../api/lists/query";
import { operation } from "../../api/openapi/operation";
import { written } from "../../api/openapi/schema";
import { type EndpointLog, LOG_PAGE, type LogPage } from "../../deliveries/log/endpoint-log";
import { isInReach, seesPayloads } from "../../sessions/portal-reach";
import { ENDPOINT_EXAMPLE } from "../endpoints/endpoint";
import { EndpointLogModel, LOG_EXAMPLE, logJson } from "./number-fate";

const EPOCH_HEADER = "hermod-epoch";

/** /endpoints/:id/log */
export function endpointLogRoutes(guard: Guard, { endpointLog }: { endpointLog: EndpointLog }) {
  return new Elysia().use(guard).get(
    "/endpoints/:id/log",
    ({ call, params, request }) => answerLog(call, params.id, request.url, endpointLog),
    operation({
      id: "getEndpointLog",
      permission: "webhooks:read",
      forReceivers: true,
      portal: { needs: "view", concerns: "endpoint" },
      tag: "Endpoints",
      summary: "Read an endpoint's numbers, and what became of each",
      description:
        "Each number from `from` on, in order and without a gap, with its delivery. Ends at the first that is pending. A receiver that " +
        "lost deliveries reads on from its own last number, whether they were delivered or not. Changes nothing. A page costs the same " +
        `wherever it begins. It ends early at ${LOG_PAGE.bytes / 1_048_576} MiB of payloads, or where a fifth file of old deliveries would be ` +
        "read, but has at least one number.",
      path: { id: { description: "The endpoint's id.", example: ENDPOINT_EXAMPLE.id, external: "ep" } },
      query: Type.Object({
        from: Type.Integer({ minimum: 1, description: "The first number; 1 by default.", example: 123 }),
        limit: Type.Integer({
          minimum: 1,
          description:
            `Numbers on a page, ${LOG_PAGE.default} by default and ${LOG_PAGE.numbers} at most; a larger number is lowered to ` +
            `${written(LOG_PAGE.numbers)}.`,
        }),
      }),
      success: { status: 200, description: "A page.", schema: EndpointLogModel, example: LOG_EXAMPLE },
      errors: [404],
    }),
  );
}

async function answerLog(
  { principal, allowance }: Call,
  id: string,
  url: string,
  endpointLog: EndpointLog,
): Promise<Response> {
  const endpointId = idInPath("ep", id);
  const query = new Query(url, ["from", "limit"]);
  const portal = principal.session?.portal ?? null;
  const page = await endpointLog.read({
    accountId: principal.accountId,
    endpointId,
    from: query.count("from") ?? 1,
    limit: Math.min(query.count("limit") ?? LOG_PAGE.default, LOG_PAGE.numbers),
    withPayloads: portal === null || seesPayloads(portal),
  });
  if (page === null) throw noSuch("ep");
  const seen = portal === null ? page : bounded(page, (event) => isInReach(portal, event));
  const response = answerText(allowance, 200, logJson(endpointId, seen));
  if (page.epoch !== null) response.headers.set(EPOCH_HEADER, page.epoch);
  return response;
}

/** Leaves out payloads of event types that the session may not see. */
function bounded(page: LogPage, sees: (event: string | null) => boolean): LogPage {
  const fates = page.fates.map(({ sequence, delivery }) => ({
    sequence,
    delivery: delivery && (sees(delivery.event) ? delivery : { ...delivery, data: null }),
  }));
  return { ...page, fates };
}
