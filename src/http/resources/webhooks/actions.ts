import type { Database } from "../../../db/database";
import { untilNoDeadlock } from "../../../db/database";
import { cancelDelivery } from "../../../deliveries/cancellation";
import { type Erased, erasePayloads } from "../../../deliveries/erasure";
import { readSummary } from "../../../deliveries/lists/summary";
import { findResendable, type Resendable } from "../../../deliveries/resendable";
import { type Retried, retryDelivery } from "../../../deliveries/retry";
import type { DeliveryStatus } from "../../../domain/delivery-status";
import { toText } from "../../../domain/ids";
import type { QueueKey } from "../../../domain/partition";
import type { ReplayRow } from "../../../intake/replays/accept-replays";
import type { Replays } from "../../../intake/replays/replays";
import type { Portal } from "../../../sessions/portal";
import { isInReach, LACKS_PAYLOADS, seesPayloads } from "../../../sessions/portal-reach";
import { answer } from "../../answer";
import type { Call } from "../../call";
import { conflict, forbidden, overMonthlyLimit } from "../../errors";
import { idInPath, noSuch } from "../../ids";
import type { Posting } from "../../posting";
import { viewOfDelivery } from "./model";
import { acceptedJson } from "./sending";

export type ActionOptions = {
  posting: Posting;
  replays: Replays;
  db: Database;
  /** Makes dispatchers read an endpoint's queue again. */
  notifyChange(queue: QueueKey): void;
  /** Makes dispatchers read the queues again, and removes erased payloads from the stream. */
  afterErasure(erased: Erased): void;
};

/** Cancels, resends and erases deliveries. Notifies dispatchers after the commit. */
export class Actions {
  constructor(private readonly options: ActionOptions) {}

  cancel(call: Call, text: string, request: Request): Promise<Response> {
    const { posting, notifyChange } = this.options;
    const { accountId } = call.principal;
    return posting.handle(call, request, () => async (sql) => {
      const id = idInPath("wh", text);
      const shortened = await cancelDelivery(sql, accountId, id);
      const delivery = await readSummary(sql, accountId, id);
      if (delivery === null) throw noSuch("wh");
      if (shortened === null)
        throw conflict(`The delivery is ${delivery.status}: only a pending one can be cancelled`);
      const json = JSON.stringify(viewOfDelivery(delivery));
      return { status: 200, json, afterCommit: () => notifyChange(shortened) };
    });
  }

  retry(call: Call, text: string, request: Request): Promise<Response> {
    const { posting, notifyChange } = this.options;
    const { accountId } = call.principal;
    return posting.handle(call, request, () => async (sql) => {
      const id = idInPath("wh", text);
      const retried = await retryDelivery(sql, accountId, id);
      const delivery = await readSummary(sql, accountId, id);
      if (delivery === null) throw noSuch("wh");
      if (retried.kind !== "retried") throw conflict(whyNot(retried, delivery.status));
      const json = JSON.stringify(viewOfDelivery(delivery));
      return { status: 200, json, afterCommit: () => notifyChange(retried.queue) };
    });
  }

  resend(call: Call, text: string, request: Request): Promise<Response> {
    const { posting, replays } = this.options;
    const { accountId, session } = call.principal;
    const portal = session?.portal ?? null;
    const atOriginOnly = portal !== null && !seesPayloads(portal);
    const sender = { accountId, hops: call.hops };
    return posting.handle(call, request, () => async (sql) => {
      const id = idInPath("wh", text);
      refuseUnresendable(await findResendable(sql, accountId, id), portal);
      const rows = await replays.accept(sql, sender, [id], atOriginOnly);
      // No row: the payload may have been erased meanwhile, or the endpoint moved.
      if (rows.length === 0) refuseUnresendable(await findResendable(sql, accountId, id), portal);
      return { status: 201, json: jsonOf(rows[0]), afterCommit: () => replays.announce(accountId, rows) };
    });
  }

  async erase({ principal, allowance }: Call, text: string): Promise<Response> {
    const { db, afterErasure } = this.options;
    const { accountId } = principal;
    const erased = await untilNoDeadlock(() =>
      db.transaction(async (sql) => {
        const id = idInPath("wh", text);
        if ((await findResendable(sql, accountId, id)) === null) throw noSuch("wh");
        return erasePayloads(sql, accountId, [id]);
      }),
    );
    afterErasure(erased);
    return answer(allowance, 200, { erased: true });
  }
}

function whyNot(refused: Exclude<Retried, { kind: "retried" }>, status: DeliveryStatus): string {
  switch (refused.kind) {
    case "ended":
      return `The delivery is ${status}: only a pending one can be retried`;
    case "inactive":
      return "The delivery's endpoint is inactive: set is_active to true";
    case "behind":
      return `The delivery waits for ${toText("wh", refused.head)} in front of it: retry that delivery`;
  }
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
