import { type EndpointId, toText } from "../runtime/ids";

/** Where an endpoint's deliveries are queued. */
export type Place = Readonly<{ partition: number; endpointId: EndpointId }>;

/** The same for the log, with the id that the API knows the endpoint by. */
export function toldPlace({ partition, endpointId }: Place): { partition: number; endpoint_id: string } {
  return { partition, endpoint_id: toText("ep", endpointId) };
}
