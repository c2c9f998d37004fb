import { type Static, Type } from "@sinclair/typebox";
import type { Call } from "../../api/call";
import { badRequest } from "../../api/errors";
import { idInPath, noSuch } from "../../api/ids";
import { formatInstant, readInstant, refuseReversed } from "../../api/lists/instant";
import {
  type Json,
  lines,
  moment,
  named,
  nullable,
  optional,
  request,
  timestamp,
  words,
} from "../../api/openapi/schema";
import type { Posting } from "../../api/posting";
import { type AccountId, timeOf, toText } from "../../domain/ids";
import type { Endpoints } from "../../endpoints/endpoint";
import { MAX_FILTER_LENGTH } from "../../event-types/filter/payload-filter";
import { type SampleVerdict, tryFilter } from "../../event-types/filter/try-filter";
import type { RulesThreads } from "../../event-types/rules-threads";
import { MAX_SAMPLE, type Sampled, type Samples } from "../../event-types/sample";
import { ACCEPTED_EXAMPLE } from "../webhooks/accepted";

/** A filter in CEL. */
export const filter = lines({
  minLength: 1,
  maxLength: MAX_FILTER_LENGTH,
  description:
    "A condition on events in [CEL](https://cel.dev), beside their type: `data.amount > 100 && data.customer == metadata.customer`. " +
    "It knows `event` (null without a type), `data` and the endpoint's `metadata`. An event for which it is false, or fails with an " +
    "error, does not go to the endpoint. Null for no condition.",
});

export const FilterTest = request(
  "FilterTest",
  Type.Object({
    after: optional(moment("Only events and webhooks created at or after this time.")),
    before: optional(moment("Only events and webhooks created before this time.")),
    filter: Type.Optional(nullable(filter)),
  }),
);

const OUTCOMES = ["match", "event_types", "filter", "error"] as const;

const FilterTestItem = named(
  "FilterTestItem",
  Type.Object({
    id: Type.String({
      description: "An event, `evt_…`, or a webhook that was sent to the endpoint alone, `wh_…`.",
    }),
    event: nullable(Type.String()),
    created_at: timestamp(),
    outcome: words("FilterOutcome", OUTCOMES, {
      description:
        "`match`: the endpoint would get it. `event_types`, `filter`: this part excludes it. `error`: the filter fails, which excludes it too.",
    }),
    error: Type.Optional(Type.String({ description: "The reason for which the filter fails." })),
  }),
);

export const FilterTestResult = named(
  "FilterTestResult",
  Type.Object({
    examined: Type.Integer({ description: `At most ${MAX_SAMPLE}.` }),
    matched: Type.Integer(),
    data: Type.Array(FilterTestItem, { description: "The newest first." }),
  }),
);

export const FILTER_TEST_EXAMPLE: Json = {
  examined: 2,
  matched: 1,
  data: [
    {
      id: "evt_01k9x3w7r2e5bt8m1n4p6r8s00",
      event: "order.created",
      created_at: "2026-01-31T12:00:00.000Z",
      outcome: "match",
    },
    {
      id: ACCEPTED_EXAMPLE.id,
      event: "order.created",
      created_at: "2026-01-31T11:59:00.000Z",
      outcome: "error",
      error: "field not found: total",
    },
  ],
};

export type FilterTesting = {
  endpoints: Endpoints;
  rules: Pick<RulesThreads, "checkFilter" | "filter">;
  posting: Posting;
  samples: Samples;
};

/** Returns the kept payloads, and whether an endpoint would have got each with its filter or with another one. */
export function testFilter(
  { endpoints, rules, posting, samples }: FilterTesting,
  call: Call,
  endpointText: string,
  httpRequest: Request,
  body: Static<typeof FilterTest>,
): Promise<Response> {
  const { accountId } = call.principal;
  return posting.handleApart(call, httpRequest, async () => {
    const range = {
      createdFrom: instantIn("after", body.after),
      createdBefore: instantIn("before", body.before),
    };
    refuseReversed(range.createdFrom, range.createdBefore);
    const id = idInPath("ep", endpointText);
    const endpoint = await endpoints.get(accountId, id);
    if (endpoint === null) throw noSuch("ep");
    const tried = body.filter === undefined ? endpoint.filter : body.filter;
    await refuseBadFilter(rules, accountId, tried);
    const sample = await samples.of(accountId, id, range);
    const { eventFilter: eventTypes, metadata } = endpoint;
    const wanted = { endpointId: id, eventTypes, filter: tried, metadata };
    const verdicts = await tryFilter(rules, accountId, wanted, sample);
    return { status: 200, json: JSON.stringify(viewOf(sample, verdicts)) };
  });
}

/** Throws 400 for a filter that can't be evaluated. */
export async function refuseBadFilter(
  rules: Pick<RulesThreads, "checkFilter">,
  accountId: AccountId,
  filter: string | null | undefined,
): Promise<void> {
  if (!filter) return;
  const problem = await rules.checkFilter(accountId, filter);
  if (problem !== null) throw badRequest(`filter ${problem}`);
}

function instantIn(name: string, text: string | null | undefined): number | undefined {
  return text === undefined || text === null ? undefined : readInstant(name, text);
}

/** Makes the answer. There may be fewer verdicts than samples, since they end early if they take too many steps. */
function viewOf(
  sample: readonly Sampled[],
  verdicts: readonly SampleVerdict[],
): Static<typeof FilterTestResult> {
  const data = verdicts.flatMap((verdict, i) => {
    const sampled = sample[i];
    return sampled ? [itemOf(sampled, verdict)] : [];
  });
  return {
    examined: data.length,
    matched: data.filter(({ outcome }) => outcome === "match").length,
    data,
  };
}

function itemOf(sampled: Sampled, verdict: SampleVerdict): Static<typeof FilterTestItem> {
  const id = sampled.kind === "evt" ? toText("evt", sampled.id) : toText("wh", sampled.id);
  const item = { id, event: sampled.event, created_at: formatInstant(timeOf(sampled.id)) };
  if (typeof verdict === "object") return { ...item, outcome: "error", error: verdict.error };
  return { ...item, outcome: verdict === "no_match" ? "filter" : verdict };
}
