import { type EndpointId, fromText } from "../runtime/ids";
import { type ApiError, badRequest } from "./errors";

/** Parses an `endpoint_id`, of any account. Throws 400. */
export function readEndpointId(text: string): EndpointId {
  const id = fromText("ep", text);
  if (id === null) throw badRequest("endpoint_id must be an endpoint's id, ep_…");
  return id;
}

/** Returns the 400 for an `endpoint_id` that is unknown or another account's. */
export function unknownEndpoint(): ApiError {
  return badRequest("endpoint_id is not an endpoint of this account");
}
