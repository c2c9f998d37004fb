import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Accounts } from "../../accounts/account";
import type { Stats } from "../../deliveries/stats";
import type { Endpoints } from "../../endpoints/endpoint";
import type { Clock } from "../../runtime/clock";
import type { Series, Subject } from "../../series/series";
import { ACCOUNT_PARAMETER, readAccount } from "../admin/account-filter";
import { answer } from "../answer";
import type { Call } from "../call";
import { ENDPOINT_EXAMPLE } from "../endpoints/model";
import type { Guard } from "../guard";
import { idInPath, noSuch } from "../ids";
import { Query } from "../lists/query";
import { operation } from "../openapi/operation";
import { ref } from "../openapi/schema";
import { STATS_EXAMPLE, viewOfStats } from "./model";
import { readRange, SERIES_DESCRIPTION, SERIES_EXAMPLE, SERIES_PARAMETERS, viewOfSeries } from "./series";

const statistics = operation("GET", {
  id: "getStats",
  permission: "stats:read",
  tag: "Account",
  summary: "Get the account's statistics",
  success: {
    status: 200,
    description: "The exact figures at this moment.",
    schema: ref("Stats"),
    example: STATS_EXAMPLE,
  },
});

const SERIES = {
  permission: "stats:read",
  description: SERIES_DESCRIPTION,
  query: Type.Object(SERIES_PARAMETERS),
  success: {
    status: 200,
    description: "The figures of each step, oldest first.",
    schema: ref("Series"),
    example: SERIES_EXAMPLE,
  },
} as const;

const ofAccount = operation("GET", {
  ...SERIES,
  id: "getStatsSeries",
  tag: "Account",
  summary: "Get the account's figures over time",
});

const ofEndpoint = operation("GET", {
  ...SERIES,
  id: "getEndpointStatsSeries",
  tag: "Endpoints",
  summary: "Get an endpoint's figures over time",
  path: { id: { description: "The endpoint's id.", example: ENDPOINT_EXAMPLE.id, external: "ep" } },
  errors: [404],
});

const ofAll = operation("GET", {
  ...SERIES,
  id: "getAllStatsSeries",
  permission: "admin",
  tag: "Administration",
  summary: "Get figures over time of all accounts",
  query: Type.Object({
    ...SERIES_PARAMETERS,
    ...ACCOUNT_PARAMETER,
  }),
});

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
      async ({ call }) => answer(call.allowance, 200, viewOfStats(await stats.of(call.principal.accountId))),
      { operation: statistics },
    )
    .get(
      "/stats/series",
      async ({ call, request }) =>
        answerSeries(call, request.url, { of: "account", id: call.principal.accountId }),
      { operation: ofAccount },
    )
    .get(
      "/endpoints/:id/stats/series",
      async ({ call, params, request }) => {
        const id = idInPath("ep", params.id);
        if ((await endpoints.get(call.principal.accountId, id)) === null) throw noSuch("ep");
        return answerSeries(call, request.url, { of: "endpoint", id });
      },
      { operation: ofEndpoint },
    )
    .get(
      "/admin/stats/series",
      async ({ call, request }) => {
        const id = await readAccount(new Query(request.url, ["account"]), accounts);
        const subject: Subject = id === undefined ? { of: "everything" } : { of: "account", id };
        return answerSeries(call, request.url, subject);
      },
      { operation: ofAll },
    );
}
