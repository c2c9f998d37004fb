import type { EndpointId } from "../runtime/ids";

/** Where an endpoint's deliveries are queued. */
export type Place = Readonly<{ partition: number; endpointId: EndpointId }>;
