import { type Static, Type } from "@sinclair/typebox";
import { badRequest } from "../../api/errors";
import { mapOf, text } from "../../api/openapi/schema";
import type { StoredHeaders } from "../../domain/tuning";
import {
  HEADER_VALUE,
  headersProblem,
  MAX_HEADER_NAME,
  MAX_HEADER_VALUE,
  MAX_HEADERS,
  MAX_HEADERS_LENGTH,
  type RequestHeader,
} from "../../endpoints/request-headers";
import { shownName } from "../../runtime/text/plain-text";

/** The headers of an endpoint in a request body. */
export const HeadersInput = mapOf(
  text({ minLength: 1, maxLength: MAX_HEADER_VALUE, pattern: HEADER_VALUE.source }),
  "Headers of every request to the endpoint, from the next attempt on. A new value replaces all headers, including secret ones; " +
    `\`{}\` removes them all. At most ${MAX_HEADERS} headers, with ${MAX_HEADERS_LENGTH} characters together. Names are ` +
    `tokens of at most ${MAX_HEADER_NAME} characters, stored in lower case; values are printable ASCII, at most ` +
    `${MAX_HEADER_VALUE} characters. ` +
    "You can't set Hermod's own headers (`webhook-*`, `content-type`, `user-agent`, `ce-id` and the like), nor headers that frame a message or " +
    "belong to its connection (`host`, `content-length`, `content-encoding`, `accept-encoding`, `transfer-encoding`, " +
    "`connection`, `keep-alive`, `te`, `trailer`, `upgrade`, `http2-settings`, `expect`, `proxy`, `proxy-*`). Names are compared " +
    "like CGI and WSGI compare them: case is ignored, and every character but letters and digits counts as `-`.",
);

export const SensitiveHeadersInput = Type.Array(Type.String(), {
  maxItems: MAX_HEADERS,
  description:
    "The names in `headers` whose values are secret: stored encrypted, never shown. If the endpoint has secret headers, a change " +
    "of `headers` must include this list, since answers don't show the values that it replaces. `[]` if none is secret.",
});

/** The headers of an endpoint in an answer. */
export const headersModel = {
  headers: mapOf(Type.String(), "The headers of requests to the endpoint, without the secret ones."),
  sensitive_headers: Type.Array(Type.String(), {
    description: "The names of the secret headers.",
  }),
};

type HeaderSettings = {
  headers?: Static<typeof HeadersInput> | null | undefined;
  sensitive_headers?: readonly string[] | null | undefined;
};

/** Reads the headers of a body; undefined if it has none. Throws 400 for headers that can't be sent. */
export function readHeaders({
  headers: given,
  sensitive_headers,
}: HeaderSettings): RequestHeader[] | undefined {
  const secret = new Set(sensitive_headers?.map((name) => name.toLowerCase()));
  if (given === undefined && sensitive_headers) {
    throw badRequest("sensitive_headers needs headers: give both in the same request");
  }
  if (given === undefined) return undefined;
  const headers = Object.entries(given ?? {}).map(([name, value]) => {
    return { name, value, isSecret: secret.delete(name.toLowerCase()) };
  });
  const problem = headersProblem(headers);
  if (problem) throw badRequest(problem);
  const [missing] = secret;
  if (missing !== undefined) {
    throw badRequest(`sensitive_headers has ${shownName(missing)}, which is not in headers`);
  }
  return headers;
}

/** True if a body that replaces headers also lists the sensitive ones; undefined if it replaces no headers. */
export function replacesSecrets({ headers, sensitive_headers }: HeaderSettings): boolean | undefined {
  if (headers === undefined) return undefined;
  return sensitive_headers !== undefined || Object.keys(headers ?? {}).length === 0;
}

export function viewOfHeaders(stored: StoredHeaders | null) {
  const shown: Record<string, string> = {};
  const secret: string[] = [];
  for (const [name, header] of Object.entries(stored ?? {})) {
    if ("value" in header) shown[name] = header.value;
    else secret.push(name);
  }
  return { headers: shown, sensitive_headers: secret };
}
