import { type AccountId, type EndpointId, fromText, type IdOf, type Prefix } from "../domain/ids";
import { type ApiError, badRequest, notFound } from "./errors";

/** Parses an `endpoint_id`, of any account. Throws 400. */
export function readEndpointId(text: string): EndpointId {
  const id = fromText("ep", text);
  if (id === null) throw badRequest("endpoint_id must be an endpoint's id, ep_…");
  return id;
}

/** Parses the `account` of an administrator's list. Throws 400. */
export function readAccountId(text: string): AccountId {
  const id = fromText("acc", text);
  if (id === null) throw badRequest("account must be an account's id, acc_…");
  return id;
}

/** Returns the 400 for an `endpoint_id` that is unknown or of another account. */
export function unknownEndpoint(): ApiError {
  return badRequest("endpoint_id is not an endpoint of this account");
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
  return notFound(`There is no such ${NOUNS[prefix]}`);
}
