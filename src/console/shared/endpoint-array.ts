import type { Endpoint, EndpointPage } from "../../client/types";

/** Returns the endpoints of an answer to a request without `limit`: the array, which the API's description leaves out. */
export function endpointsOf(answer: EndpointPage | Endpoint[]): Endpoint[] {
  return Array.isArray(answer) ? answer : answer.data;
}
