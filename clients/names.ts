import type { ApiDocument, DocumentOperation } from "./document";

// One derivation of names for the clients of all languages: `rotateSecret` of the section Endpoints is `endpoints.rotateSecret`.

/** The words that say whose it is; within their section they say nothing. */
const WHOSE = /All|Any|Installation/;

/** Returns the resource of an operation in camel case. It is empty for the methods of the client itself. */
export function resourceName(
  document: Pick<ApiDocument, "tags">,
  operation: Pick<DocumentOperation, "tags" | "x-hermod-sdk">,
): string {
  const [tag = ""] = operation.tags;
  const own = operation["x-hermod-sdk"];
  if (own) return own.includes(".") ? own.slice(0, own.indexOf(".")) : "";
  return document.tags.find(({ name }) => name === tag)?.["x-hermod-sdk"] ?? camelCase(tag);
}

/** Returns the name of an operation's method in camel case: its id without its section. */
export function methodName(
  document: Pick<ApiDocument, "tags">,
  path: string,
  operation: Pick<DocumentOperation, "operationId" | "tags" | "x-hermod-sdk">,
): string {
  const own = operation["x-hermod-sdk"];
  if (own) return own.slice(own.indexOf(".") + 1);
  const { operationId } = operation;
  const noun = nounOf(resourceName(document, operation));
  const isOne = path.endsWith("}");
  const short = (noun === null ? operationId : withoutNoun(operationId, noun)).replace(WHOSE, "");
  // `getEndpointStats` is `stats`; `getEndpoint` stays `get`.
  const bare = isOne ? short : short.replace(/^get(?=[A-Z])/, "");
  return bare.slice(0, 1).toLowerCase() + bare.slice(1);
}

/** `publishEvents` is `publishMany`, `listEvents` is `list`. */
function withoutNoun(id: string, noun: string): string {
  if (id.startsWith("list")) return id.replace(new RegExp(`${noun}(s?)(?![a-z])`), "");
  return id.replace(new RegExp(`${noun}s(?![a-z])`), "Many").replace(new RegExp(`${noun}(?![a-z])`), "");
}

function nounOf(resource: string): string | null {
  if (!resource.endsWith("s")) return null;
  return resource.slice(0, 1).toUpperCase() + resource.slice(1, -1);
}

function camelCase(words: string): string {
  return words.toLowerCase().replace(/ (\w)/g, (_match, letter: string) => letter.toUpperCase());
}
