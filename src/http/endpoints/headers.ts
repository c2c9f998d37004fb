import { type Static, Type } from "@sinclair/typebox";
import {
  HEADER_VALUE,
  headersFlaw,
  MAX_HEADER_NAME,
  MAX_HEADER_VALUE,
  MAX_HEADERS,
  MAX_HEADERS_LENGTH,
  type RequestHeader,
  type StoredHeaders,
} from "../../endpoints/request-headers";
import { badRequest } from "../errors";
import { mapOf, text } from "../openapi/schema";

const value = text({ minLength: 1, maxLength: MAX_HEADER_VALUE, pattern: HEADER_VALUE.source });
const secret = Type.Boolean({ default: false, description: "Kept encrypted and never shown." });

/** The headers of requests to an endpoint, as a client gives them. */
export const HeadersInput = mapOf(
  Type.Union([value, Type.Object({ value, secret: Type.Optional(secret) })]),
  "Headers that every request to the endpoint carries, from the next attempt on. Given, they replace all that were set; " +
    `\`{}\` removes them. At most ${MAX_HEADERS}, with ${MAX_HEADERS_LENGTH} characters together. Names are tokens of at most ` +
    `${MAX_HEADER_NAME} characters, kept in lower case; values are printable ASCII, at most ${MAX_HEADER_VALUE} characters. ` +
    "These can't be set: Hermod's own (`webhook-*`, `content-type`, `user-agent`) and those that frame a message or " +
    "belong to its connection (`host`, `content-length`, `content-encoding`, `accept-encoding`, `transfer-encoding`, " +
    "`connection`, `keep-alive`, `te`, `trailer`, `upgrade`, `http2-settings`, `expect`, `proxy`, `proxy-*`). Names are compared " +
    "as CGI and WSGI read them: without case, and every character but letters and digits counts as `-`.",
);

/** The same as they are shown. */
export const HeadersModel = mapOf(
  Type.Union([Type.String(), Type.Object({ secret: Type.Literal(true) })]),
  'What requests to the endpoint carry besides; a secret value is shown as `{"secret": true}`.',
);

/** Throws 400 for headers that can't be sent. */
export function checkedHeaders(given: Static<typeof HeadersInput>): RequestHeader[] {
  const headers = Object.entries(given).map(([name, header]) =>
    typeof header === "string"
      ? { name, value: header, isSecret: false }
      : { name, value: header.value, isSecret: header.secret ?? false },
  );
  const flaw = headersFlaw(headers);
  if (flaw) throw badRequest(flaw);
  return headers;
}

export function viewOfHeaders(stored: StoredHeaders | null): Static<typeof HeadersModel> {
  return Object.fromEntries(
    Object.entries(stored ?? {}).map(([name, header]) => [
      name,
      "value" in header ? header.value : { secret: true },
    ]),
  );
}
