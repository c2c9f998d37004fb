import { type Static, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Accounts } from "../../accounts/account";
import { answer } from "../../api/answer";
import type { Call } from "../../api/call";
import type { Guard } from "../../api/guard";
import { CURSOR_PARAMETERS, cursorPageOf } from "../../api/lists/cursor-model";
import { cursorPage } from "../../api/lists/cursor-page";
import type { Cursors } from "../../api/lists/cursors";
import { METADATA_PREFIX, Query } from "../../api/lists/query";
import { operation } from "../../api/openapi/operation";
import { named } from "../../api/openapi/schema";
import { type EndpointId, toText } from "../../domain/ids";
import type { Endpoint, Endpoints } from "../../endpoints/endpoint";
import { ACCOUNT_EXAMPLE } from "../accounts/account";
import { ACCOUNT_PARAMETER, readAccount } from "../accounts/account-filter";
import { ENDPOINT_EXAMPLE, EndpointModel, viewOfEndpoint } from "./endpoint";
import { ENDPOINT_FILTERS, readEndpointSearch, SEARCH_PARAMETERS } from "./search-query";

const AccountEndpoint = named(
  "AccountEndpoint",
  Type.Composite([EndpointModel, Type.Object({ account_id: Type.String() })]),
);
const AccountEndpointPage = named("AccountEndpointPage", cursorPageOf("AccountEndpoint"));

export type AllEndpointsOptions = {
  endpoints: Pick<Endpoints, "page">;
  accounts: Pick<Accounts, "find">;
  cursors: Cursors;
};

/** /admin/endpoints */
export function allEndpointsRoute(guard: Guard, options: AllEndpointsOptions) {
  return new Elysia().use(guard).get(
    "/admin/endpoints",
    ({ call, request }) => listAllEndpoints(call, request.url, options),
    operation({
      id: "listAllEndpoints",
      permission: "endpoints:read",
      ofAllAccounts: true,
      cells: "merged",
      tag: "Administration",
      summary: "List endpoints of all accounts",
      description: "Newest first, with the filters of an account's list.",
      query: Type.Object({
        ...CURSOR_PARAMETERS,
        ...ACCOUNT_PARAMETER,
        ...SEARCH_PARAMETERS,
      }),
      success: {
        status: 200,
        description: "A page.",
        schema: AccountEndpointPage,
        example: { data: [{ ...ENDPOINT_EXAMPLE, account_id: ACCOUNT_EXAMPLE.id }], cursor: null },
      },
    }),
  );
}

async function listAllEndpoints(
  { principal, allowance }: Call,
  url: string,
  { endpoints, cursors, accounts }: AllEndpointsOptions,
): Promise<Response> {
  const query = new Query(url, ["account", ...ENDPOINT_FILTERS], METADATA_PREFIX);
  const accountId = (await readAccount(query, accounts)) ?? null;
  const search = readEndpointSearch(query);
  const page = await cursorPage<Endpoint, EndpointId>(url, {
    cursors: cursors.of("all-endpoints", principal.accountId),
    keyOf: ({ id }) => id,
    read: (asked) => endpoints.page(accountId, asked, search),
    view: viewOfAccountEndpoint,
  });
  return answer(allowance, 200, page);
}

function viewOfAccountEndpoint(endpoint: Endpoint): Static<typeof AccountEndpoint> {
  return { ...viewOfEndpoint(endpoint), account_id: toText("acc", endpoint.accountId) };
}
