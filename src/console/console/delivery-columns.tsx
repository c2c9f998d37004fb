import type { Endpoint } from "../../client/types";
import type { Row } from "../pages/delivery-list";
import { eventName } from "../pages/event-name";
import { nameOf } from "../shared/endpoint-name";
import { count } from "../shared/format";
import { linkTo } from "../shared/location";
import { Answer, Countdown, State, Time } from "../shared/parts";
import type { Column } from "../shared/table";
import { visible } from "../shared/visible-text";
import { tookWords } from "./took";
import { lookOf, waitWords } from "./words";

export const STATUS: Column<Row> = {
  name: "status",
  title: "Status",
  cell: (row) => <State look={lookOf(row)} />,
};

/** The event type, which links to the delivery. */
export const EVENT: Column<Row> = {
  name: "event",
  title: "Event",
  cell: ({ id, event }) => (
    <a class="row-link strong trunc" href={linkTo(`/console/deliveries/${id}`)}>
      {eventName(event)}
    </a>
  ),
};

/** The number in the endpoint's order. */
export const NUMBER: Column<Row> = {
  name: "number",
  title: "Number",
  isRight: true,
  cell: ({ sequence }) => (typeof sequence === "number" ? `#${count(sequence)}` : "–"),
};

export const ANSWER: Column<Row> = {
  name: "answer",
  title: "Answer",
  cell: ({ response_status }) => <Answer status={response_status} />,
};

/** What a delivery waits for, and until when; how long it took once it has ended. */
export const WAITS: Column<Row> = {
  name: "waits",
  title: "Waits for, or took",
  cell: (row) => {
    const { status, waiting_for: waiting } = row;
    if (waiting?.until) return <Countdown until={waiting.until} />;
    return <span class="dim num">{status === "pending" ? waitWords(waiting) : tookWords(row)}</span>;
  },
};

export const ACCEPTED: Column<Row> = {
  name: "time",
  title: "Accepted",
  isRight: true,
  cell: ({ created_at }) => <Time at={created_at} />,
};

/** The endpoint's name; its id if it is not among `endpoints`. */
export function endpointColumn(endpoints: ReadonlyMap<string, Endpoint>): Column<Row> {
  const nameOfEndpoint = ({ endpoint_id }: Row) => {
    const endpoint = endpoints.get(endpoint_id);
    return visible(endpoint ? nameOf(endpoint) : endpoint_id);
  };
  return { name: "endpoint", title: "Endpoint", cell: nameOfEndpoint };
}
