import type { DeliveryList } from "../../client/types";
import type { Row } from "../pages/delivery-list";
import { useEndpoints } from "../pages/endpoint-data";
import { keyed } from "../shared/access";
import { ask, call } from "../shared/api";
import { Loaded } from "../shared/loaded";
import { linkTo } from "../shared/location";
import { Card, Empty } from "../shared/parts";
import { useResource } from "../shared/resource";
import { Table } from "../shared/table";
import { ACCEPTED, ANSWER, EVENT, endpointColumn, NUMBER, STATUS } from "./delivery-columns";

const MOST = 20;

type RecentProps = { endpointId: string; status: string; most?: number };

/** Pending deliveries of an endpoint from the first in order on; else the newest, of one endpoint or all, with one outcome or any. */
export function RecentDeliveries({ endpointId, status, most = MOST }: RecentProps) {
  const isNext = endpointId !== "" && status === "pending";
  const endpoints = new Map(useEndpoints().data?.map((each) => [each.id, each]));
  const deliveries = useResource(
    keyed("delivery-list", endpointId, status, most),
    () => (isNext ? readNext(endpointId, most) : readNewest(endpointId, status, most)),
    { every: 5_000 },
  );
  return (
    <Loaded resource={deliveries} bars={6}>
      {(data) => (
        <Table
          label={isNext ? "Pending deliveries, first in order first" : "Newest deliveries"}
          look={endpointId === "" ? "recent all" : "recent"}
          columns={[STATUS, EVENT, endpointId === "" ? endpointColumn(endpoints) : NUMBER, ANSWER, ACCEPTED]}
          items={data}
          keyOf={({ id }) => id}
          nothing={<Empty title={status === "pending" ? "Nothing waits" : "None"} />}
        />
      )}
    </Loaded>
  );
}

/** The account's newest deliveries, with a way to all of them. */
export function NewestDeliveries({ most }: { most: number }) {
  return (
    <Card
      title="Newest deliveries"
      actions={
        <a class="link" href={linkTo("/console/deliveries")}>
          All deliveries
        </a>
      }
    >
      <RecentDeliveries endpointId="" status="" most={most} />
    </Card>
  );
}

async function readNewest(endpointId: string, status: string, limit: number): Promise<readonly Row[]> {
  const query = { endpoint_id: endpointId, limit, status };
  return ((await ask("get", "/v1/webhooks", { query })) as DeliveryList).data;
}

async function readNext(id: string, limit: number): Promise<readonly Row[]> {
  return (await call("get", "/v1/endpoints/{id}/queue", { path: { id }, query: { limit } })).data;
}
