import { type Static, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Accounts } from "../../accounts/account";
import { answer } from "../../api/answer";
import type { Call } from "../../api/call";
import type { Guard } from "../../api/guard";
import { CURSOR_PARAMETERS, cursorPageOf } from "../../api/lists/cursor-model";
import type { Cursors } from "../../api/lists/cursors";
import { pageLimit } from "../../api/lists/page-limit";
import { Query } from "../../api/lists/query";
import { operation } from "../../api/openapi/operation";
import { named, nullable } from "../../api/openapi/schema";
import type { Database } from "../../db/database";
import type { Deliveries } from "../../deliveries/deliveries";
import type { AccountDelivery } from "../../deliveries/lists/all-accounts";
import type { PagePosition } from "../../deliveries/lists/cursor";
import type { PendingFacts } from "../../deliveries/waiting";
import { toText } from "../../domain/ids";
import { addressesOf, type EndpointAddress } from "../../endpoints/addresses";
import { ACCOUNT_EXAMPLE } from "../accounts/account";
import { ACCOUNT_PARAMETER, readAccount } from "../accounts/account-filter";
import { LISTED_EXAMPLE, ListedModel, viewOfListed } from "./delivery";
import { DELIVERY_FILTERS, readFilterQuery } from "./delivery-filters";

const AccountDeliveryModel = named(
  "AccountDelivery",
  Type.Composite([
    ListedModel,
    Type.Object({
      account_id: Type.String(),
      endpoint_url: nullable(
        Type.String({ description: "The URL of its endpoint; null if its receiver reads its deliveries." }),
      ),
      endpoint_description: nullable(Type.String({ description: "The description of its endpoint." })),
    }),
  ]),
);
const AccountDeliveryPage = named("AccountDeliveryPage", cursorPageOf("AccountDelivery"));

const ADDRESS_EXAMPLE = { endpoint_url: "https://example.com/hooks", endpoint_description: null };

export type AllDeliveriesOptions = {
  db: Database;
  deliveries: Pick<Deliveries, "ofAccount" | "ofAllAccounts" | "waitingAnywhere">;
  accounts: Pick<Accounts, "find">;
  cursors: Cursors;
};

/** /admin/deliveries */
export function allDeliveriesRoute(guard: Guard, options: AllDeliveriesOptions) {
  return new Elysia().use(guard).get(
    "/admin/deliveries",
    ({ call, request }) => listAllDeliveries(call, request.url, options),
    operation({
      id: "listAllDeliveries",
      permission: "webhooks:read",
      ofAllAccounts: true,
      cells: "merged",
      tag: "Administration",
      summary: "List deliveries of all accounts",
      description:
        "Newest first, with the filters of an account's list with cursors. A request searches for a quarter of a second, so that a page " +
        "may have fewer items than you asked for, even none, and still a `cursor`. With `account` or `endpoint_id`, it is as fast as " +
        "the account's own list.",
      query: Type.Object({ ...CURSOR_PARAMETERS, ...ACCOUNT_PARAMETER, ...DELIVERY_FILTERS }),
      success: {
        status: 200,
        description: "A page.",
        schema: AccountDeliveryPage,
        example: {
          data: [{ ...LISTED_EXAMPLE, account_id: ACCOUNT_EXAMPLE.id, ...ADDRESS_EXAMPLE }],
          cursor: null,
        },
      },
    }),
  );
}

async function listAllDeliveries(
  { principal, allowance }: Call,
  url: string,
  { deliveries, db, accounts, cursors }: AllDeliveriesOptions,
): Promise<Response> {
  const positions = cursors.of<PagePosition>("all-deliveries", principal.accountId);
  const query = new Query(url, ["limit", "cursor", "account"]);
  const { filters, created } = readFilterQuery(url);
  const after = positions.readCursor(query.text("cursor"));
  const asked = { ...filters, ...created, after, limit: pageLimit(query.count("limit")) };
  const account = await readAccount(query, accounts);
  const { data, next } =
    account === undefined
      ? await deliveries.ofAllAccounts(principal.accountId, asked)
      : await deliveries.ofAccount(account, asked);
  const [waiting, addresses] = await Promise.all([
    deliveries.waitingAnywhere(data.filter(({ status }) => status === "pending")),
    addressesOf(
      db,
      data.map(({ endpointId }) => endpointId),
    ),
  ]);
  const views = data.map((each) => viewOf(each, waiting.get(each.id), addresses.get(each.endpointId)));
  return answer(allowance, 200, { data: views, cursor: next && positions.write(next) });
}

function viewOf(
  delivery: AccountDelivery,
  waiting: PendingFacts | undefined,
  address: EndpointAddress | undefined,
): Static<typeof AccountDeliveryModel> {
  return {
    ...viewOfListed(delivery, waiting),
    account_id: toText("acc", delivery.accountId),
    endpoint_url: address?.url ?? null,
    endpoint_description: address?.description ?? null,
  };
}
