import { call } from "../shared/api";
import { Icon } from "../shared/icon";
import { withParams } from "../shared/location";
import { byTrouble } from "../shared/look";
import { Card, Problem, Skeleton } from "../shared/parts";
import { useResource } from "../shared/resource";
import { Table } from "../shared/table";
import { type AccountEndpoint, useEndpointColumns } from "./all-endpoints";
import { TROUBLED } from "./endpoint-sentences";
import { attentionWords } from "./overview-sentences";
import { AnswersChart, SeriesFigures, useSeriesOfAll } from "./series";

/** Most endpoints in one state that are read. */
const MOST = 100;

/** What needs attention in all accounts, and their figures. */
export function OverviewOfAll({ customer }: { customer: string | null }) {
  const { data, error, reload } = useTroubled(customer);
  const series = useSeriesOfAll(customer).data;
  return (
    <>
      {error && <Problem error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={8} />}
      {data && (
        <div class="lead">
          <h2 class="grow">{attentionWords(data.endpoints, data.isComplete)}</h2>
          <a class="btn" href={withParams({ tab: "deliveries", status: "failed" })}>
            <Icon name="deliveries" />
            Failed deliveries
          </a>
        </div>
      )}
      {series && <SeriesFigures series={series} />}
      {data && data.endpoints.length > 0 && <TroubledTable endpoints={data.endpoints} />}
      {series && <AnswersChart series={series} />}
    </>
  );
}

function useTroubled(customer: string | null) {
  return useResource(
    `troubled ${customer}`,
    async () => {
      const pages = await Promise.all(TROUBLED.map((health) => troubledIn(health, customer)));
      return {
        endpoints: pages.flatMap(({ data }) => data).toSorted(byTrouble),
        isComplete: pages.every(({ cursor }) => cursor === null),
      };
    },
    { every: 5_000 },
  );
}

function troubledIn(health: (typeof TROUBLED)[number], customer: string | null) {
  return call("get", "/v1/admin/endpoints", {
    query: { health, account: customer ?? undefined, limit: MOST },
  });
}

function TroubledTable({ endpoints }: { endpoints: readonly AccountEndpoint[] }) {
  return (
    <Card title="What needs attention">
      <Table
        label="Endpoints that need attention"
        look="all-endpoints"
        columns={useEndpointColumns()}
        items={endpoints}
        keyOf={({ id }) => id}
        heights={[56, 96]}
      />
    </Card>
  );
}
