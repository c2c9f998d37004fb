import { type EndpointId, fromText } from "../runtime/ids";
import { type ApiError, badRequest } from "./errors";

/** The endpoint that an `endpoint_id` means, whoever has it. Throws 400. */
export function readEndpointId(text: string): EndpointId {
  const id = fromText("ep", text);
  if (id === null) throw badRequest("endpoint_id is not the id of an endpoint");
  return id;
}

/** The 400 for an `endpoint_id` that nobody has, or another account. */
export function unknownEndpoint(): ApiError {
  return badRequest("endpoint_id is not an endpoint of this account");
}
