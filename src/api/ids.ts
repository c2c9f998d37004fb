import { EXTERNAL_ID_MARK } from "../accounts/external-id";
import { type EndpointId, fromText, type IdOf, type Prefix } from "../domain/ids";
import { type ApiError, badRequest, notFound, UnknownAccount } from "./errors";

/** Parses an endpoint's id of the field `name`, of any account. Throws 400. */
export function readEndpointId(text: string, name = "endpoint_id"): EndpointId {
  const id = fromText("ep", text);
  if (id === null) throw badRequest(`${name} must be an endpoint's id, ep_…${tildeHint(text)}`);
  return id;
}

/** Returns the 400 for an endpoint's id in the field `name` that is unknown or of another account. */
export function unknownEndpoint(name = "endpoint_id", text = ""): ApiError {
  return badRequest(`${name} is not an endpoint of this account${tildeHint(text)}`);
}

function tildeHint(text: string): string {
  return text.startsWith(EXTERNAL_ID_MARK) ? "; ~ and an external_id work in paths only" : "";
}

const NOUNS: Readonly<Record<Prefix, string>> = {
  acc: "account",
  ep: "endpoint",
  wh: "delivery",
  evt: "event",
  key: "key",
  job: "job",
  ses: "session",
  aud: "audit entry",
};

/** Parses the id in a path. Throws 404 for a malformed id, as for an unknown one. */
export function idInPath<P extends Prefix>(prefix: P, text: string): IdOf<P> {
  const id = fromText(prefix, text);
  if (id === null) throw noSuch(prefix);
  return id;
}

/** Returns the 404 for an id that is unknown or of another account. */
export function noSuch(prefix: Prefix): ApiError {
  const message = `There is no such ${NOUNS[prefix]}`;
  return prefix === "acc" ? new UnknownAccount(404, "NOT_FOUND", message, null) : notFound(message);
}
