import { type Static, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Accounts } from "../../accounts/account";
import { answer } from "../../api/answer";
import type { Call } from "../../api/call";
import type { Guard } from "../../api/guard";
import { CURSOR_PARAMETERS, cursorPageOf } from "../../api/lists/cursor-model";
import type { Cursors } from "../../api/lists/cursors";
import { Query } from "../../api/lists/query";
import { operation } from "../../api/openapi/operation";
import { named } from "../../api/openapi/schema";
import { toText } from "../../domain/ids";
import type { AccountEvent } from "../../events/event";
import type { Events } from "../../events/events";
import type { EventPosition } from "../../events/list";
import { ACCOUNT_EXAMPLE } from "../accounts/account";
import { ACCOUNT_PARAMETER, readAccount } from "../accounts/account-filter";
import { EVENT_EXAMPLE, EventModel, viewOfEvent } from "./event";
import { EVENT_FILTERS, readEventQuery } from "./list-query";

const AccountEventModel = named(
  "AccountEvent",
  Type.Composite([EventModel, Type.Object({ account_id: Type.String() })]),
);
const AccountEventPage = named("AccountEventPage", cursorPageOf("AccountEvent"));

export type AllEventsOptions = {
  events: Pick<Events, "ofAccount" | "ofAllAccounts">;
  accounts: Pick<Accounts, "find">;
  cursors: Cursors;
};

/** /admin/events */
export function allEventsRoute(guard: Guard, options: AllEventsOptions) {
  return new Elysia().use(guard).get(
    "/admin/events",
    ({ call, request }) => listAllEvents(call, request.url, options),
    operation({
      id: "listAllEvents",
      permission: "webhooks:read",
      ofAllAccounts: true,
      cells: "merged",
      tag: "Administration",
      summary: "List events of all accounts",
      description:
        "Newest first, with the filters of an account's list. A request searches for a quarter of a second, so that a page may have fewer " +
        "items than you asked for, even none, and still a `cursor`. With `account`, it is as fast as the account's own list.",
      query: Type.Object({ ...CURSOR_PARAMETERS, ...ACCOUNT_PARAMETER, ...EVENT_FILTERS }),
      success: {
        status: 200,
        description: "A page.",
        schema: AccountEventPage,
        example: { data: [{ ...EVENT_EXAMPLE, account_id: ACCOUNT_EXAMPLE.id }], cursor: null },
      },
    }),
  );
}

async function listAllEvents(
  { principal, allowance }: Call,
  url: string,
  { events, accounts, cursors }: AllEventsOptions,
): Promise<Response> {
  const positions = cursors.of<EventPosition>("all-events", principal.accountId);
  const { limit, cursor, filters } = readEventQuery(url);
  const asked = { ...filters, limit, after: positions.readCursor(cursor) };
  const account = await readAccount(new Query(url, ["account"]), accounts);
  const { data, next } =
    account === undefined
      ? await events.ofAllAccounts(principal.accountId, asked)
      : await events.ofAccount(account, asked);
  return answer(allowance, 200, { data: data.map(viewOf), cursor: next && positions.write(next) });
}

function viewOf(event: AccountEvent): Static<typeof AccountEventModel> {
  return { ...viewOfEvent(event), account_id: toText("acc", event.accountId) };
}
