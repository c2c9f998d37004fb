import { fromText, type IdOf, type Prefix } from "../runtime/ids";
import { type ApiError, notFound } from "./errors";

const NOUNS: Readonly<Record<Prefix, string>> = {
  acc: "account",
  ep: "endpoint",
  wh: "delivery",
  key: "key",
  job: "job",
};

/** Parses the id in a path. Throws 404 for a malformed id, as for an unknown one. */
export function idInPath<P extends Prefix>(prefix: P, text: string): IdOf<P> {
  const id = fromText(prefix, text);
  if (id === null) throw noSuch(prefix);
  return id;
}

/** Returns the 404 for an id that is unknown or another account's. */
export function noSuch(prefix: Prefix): ApiError {
  return notFound(`There is no such ${NOUNS[prefix]}`);
}
