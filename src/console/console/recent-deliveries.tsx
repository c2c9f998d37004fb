import type { DeliveryList } from "../../client/types";
import { useEndpoints } from "../pages/endpoint-data";
import { keyed } from "../shared/access";
import { ask } from "../shared/api";
import { Empty, Problem, Skeleton } from "../shared/parts";
import { useResource } from "../shared/resource";
import { Table } from "../shared/table";
import { ACCEPTED, ANSWER, EVENT, endpointColumn, NUMBER, STATUS } from "./delivery-columns";
import { isNarrow } from "./narrow";

const MOST = 20;

type RecentProps = { endpointId: string; status: string; most?: number };

/** The newest deliveries, of one endpoint or all, with one outcome or any. */
export function RecentDeliveries({ endpointId, status, most = MOST }: RecentProps) {
  const endpoints = new Map(useEndpoints().data?.map((each) => [each.id, each]));
  const { data, error, reload } = useResource(
    keyed("delivery-list", endpointId, status, most),
    async () => {
      const query = { endpoint_id: endpointId, limit: most, status };
      return (await ask("get", "/v1/webhooks", { query })) as DeliveryList;
    },
    { every: 5_000 },
  );
  if (error && !data) return <Problem error={error} retry={reload} />;
  if (!data) return <Skeleton rows={6} />;
  if (data.data.length === 0) return <Empty title={status === "pending" ? "Nothing waits" : "None"} />;
  return (
    <Table
      label="Newest deliveries"
      look={endpointId === "" ? "recent all" : "recent"}
      columns={[STATUS, EVENT, endpointId === "" ? endpointColumn(endpoints) : NUMBER, ANSWER, ACCEPTED]}
      items={data.data}
      keyOf={({ id }) => id}
      rowHeight={isNarrow.value ? 60 : 40}
    />
  );
}
