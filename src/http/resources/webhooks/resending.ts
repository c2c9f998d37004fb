import type { Static } from "@sinclair/typebox";
import type { Database } from "../../../db/database";
import type { Deliveries } from "../../../deliveries/deliveries";
import { chooseResendable, type ResendChoice, type ResendScope } from "../../../deliveries/resendable";
import { type AccountId, type DeliveryId, fromText, toText } from "../../../domain/ids";
import type { Resend } from "../../../jobs/job";
import type { Jobs } from "../../../jobs/jobs";
import type { Clock } from "../../../runtime/clock";
import type { Portal } from "../../../sessions/portal";
import { isInReach, seesPayloads } from "../../../sessions/portal-reach";
import type { Call } from "../../call";
import { ApiError, badRequest } from "../../errors";
import { bodyReader } from "../../json/json-body";
import type { RequestBody } from "../../json/request-body";
import { written } from "../../openapi/schema";
import type { Posting } from "../../posting";
import { viewOfJob } from "../jobs/job";
import { type Narrowing, readFilterQuery } from "./list-query";
import { MAX_RESENT, type ResendCount, ResendMany } from "./resend-model";

/** Most deliveries that one statement selects. */
const PAGE = 1_000;

export type ResendingOptions = {
  posting: Posting;
  jobs: Pick<Jobs, "create" | "onCreated">;
  deliveries: Pick<Deliveries, "cursorForm">;
  db: Database;
  clock: Clock;
};

const readBody = bodyReader(ResendMany);

type Selection = { by: "ids"; ids: DeliveryId[] } | ({ by: "filter" } & Narrowing);

/** Resends many deliveries as a job, or counts them. */
export class Resending {
  constructor(private readonly options: ResendingOptions) {}

  async handle(call: Call, request: Request): Promise<Response> {
    const { posting, jobs } = this.options;
    const { accountId, session } = call.principal;
    // Selects before the transaction, which would hold a connection meanwhile. A repeat with the same key gets the stored answer,
    // whatever this selects.
    const planned = await this.plan(accountId, call.body, reachOf(session?.portal));
    return posting.handle(call, request, () => {
      if (planned instanceof Error) throw planned;
      const { choice, task, selected, isDryRun } = planned;
      return async (sql) => {
        if (isDryRun) return { status: 200, json: JSON.stringify(viewOfChoice(choice, selected)) };
        const job = await jobs.create(sql, accountId, task, call.hops);
        return { status: 202, json: JSON.stringify(viewOfJob(job)), afterCommit: jobs.onCreated };
      };
    });
  }

  private async plan(accountId: AccountId, given: RequestBody, reach: ResendReach) {
    try {
      const { dry_run: isDryRun = false, ...body } = readBody(given);
      const selection = selectionOf(body);
      const ids = await this.select(accountId, selection);
      const scope = { ...reach, withReplays: selection.by === "ids" };
      const choice = await this.options.db.run((sql) => chooseResendable(sql, accountId, ids, scope));
      const [unknown] = choice.unknown;
      if (unknown && selection.by === "ids")
        throw badRequest(`ids has ${toText("wh", unknown)}, which is not a delivery of this account`);
      const task = taskOf(selection, choice, reach, this.options.clock.now());
      return { choice, task, selected: new Set(ids).size, isDryRun };
    } catch (error) {
      if (error instanceof Error) return error;
      throw error;
    }
  }

  private async select(accountId: AccountId, selection: Selection): Promise<DeliveryId[]> {
    if (selection.by === "ids") return selection.ids;
    const { deliveries, clock } = this.options;
    const stopAt = clock.monotonic() + MAX_RESENT.seconds * 1_000;
    const query = { ...selection.filters, ...selection.created, limit: PAGE };
    const ids: DeliveryId[] = [];
    for (let page = await deliveries.cursorForm(accountId, query); ; ) {
      ids.push(...page.data.map(({ id }) => id));
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
}

type ResendReach = Omit<ResendScope, "withReplays">;

/** Returns what a session may resend; without a portal, everything. */
function reachOf(portal: Portal | null | undefined): ResendReach {
  if (!portal) return { atOriginOnly: false, isInReach: () => true };
  return { atOriginOnly: !seesPayloads(portal), isInReach: (event) => isInReach(portal, event) };
}

type Body = Omit<Static<typeof ResendMany>, "dry_run">;

function selectionOf({ ids, filter }: Body): Selection {
  if (ids !== undefined && filter === undefined) return { by: "ids", ids: ids.map(readDeliveryId) };
  if (filter !== undefined && ids === undefined) return { by: "filter", ...readFilter(filter) };
  if (ids !== undefined) throw badRequest("give either ids or filter, not both");
  throw badRequest("ids or filter is required, to select the deliveries to resend");
}

/** Reads a filter like the query of the list. A refusal names the field as one of `filter`. */
function readFilter(filter: NonNullable<Body["filter"]>): Narrowing {
  try {
    return readFilterQuery(queryOf(filter));
  } catch (error) {
    throw error instanceof ApiError ? badRequest(`filter.${error.message}`) : error;
  }
}

function readDeliveryId(written: string): DeliveryId {
  const id = fromText("wh", written);
  if (id === null) throw badRequest("ids must be ids of deliveries, wh_…");
  return id;
}

/** Writes a filter as the query of the list, so that both are read and checked in one place. */
function queryOf({ data = {}, ...filter }: NonNullable<Body["filter"]>): string {
  const fields = Object.entries(data).map(([name, value]): [string, string] => [`data.${name}`, value]);
  return `?${new URLSearchParams([...Object.entries(filter), ...fields])}`;
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
  return { total: ids.length, endpoints, skipped: selected - ids.length };
}
