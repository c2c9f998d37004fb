import { type Static, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Accounts } from "../../accounts/account";
import { answer } from "../../api/answer";
import type { Call } from "../../api/call";
import type { Guard } from "../../api/guard";
import { idInPath, noSuch } from "../../api/ids";
import { Query } from "../../api/lists/query";
import { operation } from "../../api/openapi/operation";
import { named } from "../../api/openapi/schema";
import type { AccountStats, Stats } from "../../deliveries/stats";
import type { Endpoints } from "../../endpoints/endpoint";
import type { Clock } from "../../runtime/clock";
import type { Series, Subject } from "../../series/series";
import { ACCOUNT_PARAMETER, readAccount } from "../accounts/account-filter";
import { ENDPOINT_EXAMPLE } from "../endpoints/endpoint";
import {
  readRange,
  SERIES_DESCRIPTION,
  SERIES_EXAMPLE,
  SERIES_PARAMETERS,
  SeriesModel,
  viewOfSeries,
} from "./series";

const StatsModel = named(
  "Stats",
  Type.Object({
    total_deliveries: Type.Integer({
      description:
        "All stored deliveries, including cancelled ones. Ended deliveries are stored for HERMOD_RETENTION (30 days by default).",
    }),
    delivered: Type.Integer(),
    failed: Type.Integer(),
    pending: Type.Integer(),
    success_rate: Type.Number({
      description:
        "delivered / (delivered + failed) × 100, with two decimals; 0 if nothing was delivered or failed.",
    }),
    endpoints_count: Type.Integer(),
  }),
);

const EXAMPLE = {
  total_deliveries: 1_250,
  delivered: 1_198,
  failed: 27,
  pending: 25,
  success_rate: 97.8,
  endpoints_count: 4,
} satisfies Static<typeof StatsModel>;
const SERIES = {
  permission: "stats:read",
  description: SERIES_DESCRIPTION,
  query: Type.Object(SERIES_PARAMETERS),
  success: {
    status: 200,
    description: "The figures of each step, oldest first.",
    schema: SeriesModel,
    example: SERIES_EXAMPLE,
  },
} as const;

export type StatsOptions = {
  stats: Stats;
  series: Series;
  endpoints: Pick<Endpoints, "get">;
  accounts: Pick<Accounts, "find">;
  clock: Clock;
};

/** /stats, and the figures over time of endpoints and of all accounts */
export function statsRoutes(guard: Guard, { stats, series, endpoints, accounts, clock }: StatsOptions) {
  const answerSeries = async ({ allowance }: Call, url: string, subject: Subject) => {
    const range = readRange(url, clock.now());
    return answer(allowance, 200, viewOfSeries(range, await series.read(subject, range)));
  };
  return new Elysia()
    .use(guard)
    .get(
      "/stats",
      async ({ call }) => answer(call.allowance, 200, viewOf(await stats.of(call.principal.accountId))),
      operation({
        id: "getStats",
        permission: "stats:read",
        tag: "Account",
        summary: "Get the account's statistics",
        success: {
          status: 200,
          description: "The exact figures at this moment.",
          schema: StatsModel,
          example: EXAMPLE,
        },
      }),
    )
    .get(
      "/stats/series",
      ({ call, request }) => answerSeries(call, request.url, { of: "account", id: call.principal.accountId }),
      operation({
        ...SERIES,
        id: "getStatsSeries",
        tag: "Account",
        summary: "Get the account's figures over time",
      }),
    )
    .get(
      "/endpoints/:id/stats/series",
      async ({ call, params, request }) => {
        const id = idInPath("ep", params.id);
        if ((await endpoints.get(call.principal.accountId, id)) === null) throw noSuch("ep");
        return answerSeries(call, request.url, { of: "endpoint", id });
      },
      operation({
        ...SERIES,
        id: "getEndpointStatsSeries",
        tag: "Endpoints",
        summary: "Get an endpoint's figures over time",
        path: { id: { description: "The endpoint's id.", example: ENDPOINT_EXAMPLE.id, external: "ep" } },
        errors: [404],
      }),
    )
    .get(
      "/admin/stats/series",
      async ({ call, request }) => {
        const id = await readAccount(new Query(request.url, ["account"]), accounts);
        const subject: Subject = id === undefined ? { of: "everything" } : { of: "account", id };
        return answerSeries(call, request.url, subject);
      },
      operation({
        ...SERIES,
        id: "getAllStatsSeries",
        permission: "admin",
        cells: "summed",
        tag: "Administration",
        summary: "Get figures over time of all accounts",
        query: Type.Object({ ...SERIES_PARAMETERS, ...ACCOUNT_PARAMETER }),
      }),
    );
}

/** Returns the API's form of an account's figures. */
function viewOf(figures: AccountStats): Static<typeof StatsModel> {
  return {
    total_deliveries: figures.totalDeliveries,
    delivered: figures.delivered,
    failed: figures.failed,
    pending: figures.pending,
    success_rate: figures.successRate,
    endpoints_count: figures.endpointsCount,
  };
}
