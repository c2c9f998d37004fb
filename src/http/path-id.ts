import { fromText, type IdOf, type Prefix } from "../runtime/ids";
import { type ApiError, notFound } from "./errors";

const NOUNS: Readonly<Record<Prefix, string>> = {
  acc: "account",
  ep: "endpoint",
  wh: "delivery",
  key: "key",
  job: "job",
};

/** What a path names; a text that is no id at all is a 404 like one that nobody has. */
export function idInPath<P extends Prefix>(prefix: P, text: string): IdOf<P> {
  const id = fromText(prefix, text);
  if (id === null) throw noSuch(prefix);
  return id;
}

/** The 404 for what is not there, or another account's. */
export function noSuch(prefix: Prefix): ApiError {
  return notFound(`There is no such ${NOUNS[prefix]}`);
}
