import type { Principal } from "../accounts/authentication/principal";
import { toText } from "../domain/ids";
import { type ApiError, forbidden } from "./errors";
import { noSuch } from "./ids";
import type { Operation, PathParameters } from "./openapi/operation";

/** True for the key of an endpoint's receiver. */
export function isReceiver({ endpointId }: Pick<Principal, "endpointId">): boolean {
  return endpointId !== null;
}

/** Returns the 403 for an operation that is not for receivers; null for other credentials. */
export function refusalOfReceiver({ forReceivers }: Operation, principal: Principal): ApiError | null {
  if (!isReceiver(principal) || forReceivers) return null;
  return forbidden("A receiver key only reads the deliveries of its endpoint");
}

/** Throws 404 if a receiver's key names another endpoint than its own in the path. */
export function checkReceiverScope({ endpointId }: Principal, { id }: PathParameters): void {
  if (endpointId !== null && id !== undefined && id !== toText("ep", endpointId)) throw noSuch("ep");
}
