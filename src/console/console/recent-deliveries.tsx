import type { DeliveryList, Endpoint } from "../../client/types";
import { ask } from "../shared/api";
import { nameOf } from "../shared/endpoint-name";
import { count } from "../shared/format";
import { linkTo } from "../shared/location";
import { Answer, Empty, Problem, Skeleton, State, Time } from "../shared/parts";
import { useResource } from "../shared/resource";
import { type Column, Table } from "../shared/table";
import { visible } from "../shared/visible-text";
import { keyed, useEndpoints } from "./data";
import type { Row } from "./delivery-list";
import { isNarrow } from "./narrow";
import { lookOf } from "./words";

const MOST = 20;

const COLUMNS: readonly Column<Row>[] = [
  { name: "status", title: "Status", cell: (row) => <State look={lookOf(row)} /> },
  {
    name: "event",
    title: "Event",
    cell: ({ id, event }) => (
      <a class="row-link strong trunc" href={linkTo(`/console/deliveries/${id}`)}>
        {visible(event ?? "no event type")}
      </a>
    ),
  },
  { name: "answer", title: "Answer", cell: ({ response_status }) => <Answer status={response_status} /> },
  { name: "time", title: "Accepted", isRight: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

/** The number in the endpoint's order. */
const NUMBER: Column<Row> = {
  name: "number",
  title: "Number",
  isRight: true,
  cell: ({ sequence }) => (typeof sequence === "number" ? `#${count(sequence)}` : "–"),
};

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
      columns={[
        ...COLUMNS.slice(0, 2),
        endpointId === "" ? endpointColumn(endpoints) : NUMBER,
        ...COLUMNS.slice(2),
      ]}
      items={data.data}
      keyOf={({ id }) => id}
      rowHeight={isNarrow.value ? 60 : 40}
    />
  );
}

function endpointColumn(endpoints: ReadonlyMap<string, Endpoint>): Column<Row> {
  const nameOfEndpoint = ({ endpoint_id }: Row) => {
    const endpoint = endpoints.get(endpoint_id);
    return visible(endpoint ? nameOf(endpoint) : endpoint_id);
  };
  return { name: "endpoint", title: "Endpoint", cell: nameOfEndpoint };
}
