import { Type } from "@sinclair/typebox";
import type { Call } from "../../api/call";
import { conflict, forbidden, overMonthlyLimit } from "../../api/errors";
import { idInPath, noSuch } from "../../api/ids";
import { named } from "../../api/openapi/schema";
import type { Posting } from "../../api/posting";
import type { Thawing } from "../../cold/thawing";
import { findResendable, type Resendable } from "../../deliveries/resendable";
import { toText } from "../../domain/ids";
import type { Portal } from "../../domain/portal";
import type { ReplayRow } from "../../intake/replays/accept-replays";
import type { Replays } from "../../intake/replays/replays";
import { isInReach, LACKS_PAYLOADS, seesPayloads } from "../../sessions/portal-reach";
import { AcceptedModel, acceptedJson } from "./accepted";

export const ReplayedModel = named(
  "ReplayedDelivery",
  Type.Composite([
    AcceptedModel,
    Type.Object({
      replay_of: Type.String({
        description: "The id of the original delivery, which receivers get as `webhook-id`.",
      }),
    }),
  ]),
);

export type ResendOptions = {
  posting: Posting;
  replays: Replays;
  /** Null if all deliveries are in Postgres. */
  thawing: Thawing | null;
};

/** Resends one delivery. */
export function resend(
  { posting, replays, thawing }: ResendOptions,
  call: Call,
  text: string,
  request: Request,
): Promise<Response> {
  const { accountId, session } = call.principal;
  const portal = session?.portal ?? null;
  const atOriginOnly = portal !== null && !seesPayloads(portal);
  const sender = { accountId, hops: call.hops };
  return posting.handle(call, request, () => async (sql) => {
    const id = idInPath("wh", text);
    await thawing?.bring(sql, accountId, [id]);
    refuseUnresendable(await findResendable(sql, accountId, id), portal);
    const rows = await replays.accept(sql, sender, [id], atOriginOnly);
    // No row: the payload may have been erased meanwhile, or the endpoint moved.
    if (rows.length === 0) refuseUnresendable(await findResendable(sql, accountId, id), portal);
    return { status: 201, json: jsonOf(rows[0]), afterCommit: () => replays.announce(accountId, rows) };
  });
}

function refuseUnresendable(found: Resendable | null, portal: Portal | null): void {
  if (found === null) throw noSuch("wh");
  if (portal !== null && !isInReach(portal, found.event))
    throw forbidden("The delivery's event type is beyond the event_types of the link");
  if (portal !== null && !seesPayloads(portal) && !found.isAtOrigin)
    throw forbidden(
      `Resending what another scheme, host or port was meant to get, or what the endpoint's filter excluded, ${LACKS_PAYLOADS}`,
    );
  if (found.isPending) throw conflict("The delivery is still pending");
  if (found.isErased) throw conflict("The delivery's payload is erased");
}

function jsonOf(row: ReplayRow | undefined): string {
  if (!row) throw conflict("The delivery's endpoint is deleted");
  if (!row.accepted) throw overMonthlyLimit(row.limit);
  return `${acceptedJson({ ...row, dueAt: null }).slice(0, -1)},"replay_of":"${toText("wh", row.replayOf)}"}`;
}
