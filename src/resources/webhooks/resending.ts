import type { Static } from "@sinclair/typebox";
import type { Principal } from "../../accounts/authentication/principal";
import type { Call } from "../../api/call";
import { badRequest } from "../../api/errors";
import { written } from "../../api/openapi/schema";
import type { Posting } from "../../api/posting";
import type { Deliveries } from "../../deliveries/deliveries";
import type { ResendChoice, ResendScope } from "../../deliveries/resendable";
import { type DeliveryId, toText } from "../../domain/ids";
import type { Portal } from "../../domain/portal";
import type { Endpoints } from "../../endpoints/endpoint";
import type { Resend } from "../../jobs/job";
import type { Jobs } from "../../jobs/jobs";
import type { Clock } from "../../runtime/clock";
import { isInReach, seesPayloads } from "../../sessions/portal-reach";
import { viewOfJob } from "../jobs/job";
import { seenDeliveries } from "./portal-view";
import {
  MAX_RESENT,
  type ResendCount,
  type ResendMany,
  type Selection,
  selectionOf,
} from "./resend-selection";

/** Most deliveries that one statement selects. */
const PAGE = 1_000;

export type ResendingOptions = {
  posting: Posting;
  jobs: Pick<Jobs, "create" | "onCreated">;
  deliveries: Pick<Deliveries, "cursorForm" | "resendable">;
  endpoints: Pick<Endpoints, "feedsAmong">;
  clock: Clock;
};

/** Resends many deliveries as a job, or counts them. */
export async function resendMany(
  options: ResendingOptions,
  call: Call,
  request: Request,
  body: Static<typeof ResendMany>,
): Promise<Response> {
  const { posting, jobs } = options;
  const { principal, hops } = call;
  // Selects before the transaction, which would hold a connection meanwhile. A repeat with the same key gets the stored answer,
  // whatever this selects.
  const planned = await plan(options, principal, body).catch(asError);
  return posting.handle(call, request, () => {
    if (planned instanceof Error) throw planned;
    const { choice, task, selected } = planned;
    return async (sql) => {
      if (body.dry_run) return { status: 200, json: JSON.stringify(viewOfChoice(choice, selected)) };
      const job = await jobs.create(sql, principal.accountId, task, hops);
      return { status: 202, json: JSON.stringify(viewOfJob(job)), afterCommit: jobs.onCreated };
    };
  });
}

async function plan(options: ResendingOptions, principal: Principal, body: Static<typeof ResendMany>) {
  const { deliveries, clock } = options;
  const { accountId, session } = principal;
  const reach = reachOf(session?.portal);
  const selection = selectionOf(body);
  const ids = await select(options, principal, selection);
  const scope = { ...reach, withReplays: selection.by === "ids" };
  const choice = await deliveries.resendable(accountId, ids, scope);
  const [unknown] = choice.unknown;
  if (unknown && selection.by === "ids")
    throw badRequest(`ids has ${toText("wh", unknown)}, which is not a delivery of this account`);
  return { choice, task: taskOf(selection, choice, reach, clock.now()), selected: new Set(ids).size };
}

function asError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  throw thrown;
}

async function select(
  { deliveries, endpoints, clock }: ResendingOptions,
  principal: Principal,
  selection: Selection,
): Promise<DeliveryId[]> {
  if (selection.by === "ids") return selection.ids;
  const stopAt = clock.monotonic() + MAX_RESENT.seconds * 1_000;
  const query = { ...selection.filters, ...selection.created, limit: PAGE };
  const { accountId } = principal;
  const ids: DeliveryId[] = [];
  for (let page = await deliveries.cursorForm(accountId, query); ; ) {
    const seen = await seenDeliveries(principal, endpoints, page.data, ({ endpointId }) => endpointId);
    ids.push(...seen.map(({ id }) => id));
    if (ids.length > MAX_RESENT.filter) {
      throw badRequest(
        `filter selects more than ${written(MAX_RESENT.filter)} deliveries: narrow it by after and before, or use ` +
          "POST /endpoints/{id}/replay, which has no such limit",
      );
    }
    if (page.next === null) return ids;
    if (clock.monotonic() >= stopAt) {
      throw badRequest(
        `filter takes longer than ${MAX_RESENT.seconds} seconds to select: narrow it by after and before`,
      );
    }
    page = await deliveries.cursorForm(accountId, { ...query, after: page.next });
  }
}

type ResendReach = Omit<ResendScope, "withReplays">;

/** Returns what a session may resend; without a portal, everything. */
function reachOf(portal: Portal | null | undefined): ResendReach {
  if (!portal) return { atOriginOnly: false, isInReach: () => true };
  return { atOriginOnly: !seesPayloads(portal), isInReach: (event) => isInReach(portal, event) };
}

function taskOf(
  selection: Selection,
  { ids }: ResendChoice,
  { atOriginOnly }: ResendReach,
  now: number,
): Resend {
  const { filters, created } = selection.by === "ids" ? { filters: {}, created: {} } : selection;
  const { event = null, endpointId = null, status } = filters;
  return {
    kind: "resend",
    endpointId,
    event,
    status: status === undefined || status === "pending" ? null : status,
    createdFrom: created.createdFrom ?? null,
    createdBefore: created.createdBefore ?? now,
    atOriginOnly,
    remaining: ids,
  };
}

function viewOfChoice({ ids, endpoints }: ResendChoice, selected: number): Static<typeof ResendCount> {
  return { total: ids.length, endpoints: endpoints.size, skipped: selected - ids.length };
}
