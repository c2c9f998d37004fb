import { expect, test } from "bun:test";
import fc from "fast-check";
import { webhookHeaders } from "../../src/attempt/webhook-request";
import { newId } from "../../src/domain/ids";
import { headersProblem } from "../../src/endpoints/request-headers";

/** A receiver behind CGI, WSGI, Rack or PHP reads `webhook_signature` as `webhook-signature`. */

/** The characters of a token beside letters and digits (RFC 9110, 5.6.2). */
const OTHERS = "!#$%&'*+-.^_`|~";
const OURS = Object.keys(
  webhookHeaders(
    { id: newId("wh"), event: "a", orderingKey: "customer-42", sequence: 1 },
    { webhookId: "wh_1", timestamp: 1, attempt: 1, secrets: [], added: null, body: "{}" },
  ),
);
/** Headers that frame a message or reroute it, which no account may set either. */
const FRAMING = [
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "proxy",
  "te",
  "expect",
  "user-agent",
];

/** Returns the variable that Apache's CGI makes of a header, which knows the fewest characters. */
const variableOf = (name: string) => `HTTP_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`;
const problemOf = (...names: string[]) =>
  headersProblem(names.map((name) => ({ name, value: "v", isSecret: false })));

test.each([
  ["Transfer_Encoding", "transfer-encoding"],
  ["content_length", "content-length"],
  ["webhook_signature", "webhook-signature"],
  ["WEBHOOK_ID", "webhook-id"],
  ["content.type", "content-type"],
  ["proxy_authorization", "proxy-authorization"],
  ["User~Agent", "user-agent"],
])("%s can't be set, since it is read as %s", (name, read) => {
  expect(problemOf(name)).toBe(`headers.${name} can't be set: many servers read it as ${read}`);
});

test.each([...OURS, ...FRAMING])("%s can't be set, whatever replaces its dashes", (name) => {
  for (const other of OTHERS) {
    for (const spelling of [name.replaceAll("-", other), name.toUpperCase().replace("-", other)]) {
      expect(problemOf(spelling)).toStartWith(`headers.${spelling} can't be set`);
    }
  }
});

test("no accepted header shares a variable with another, or with ours", () => {
  const part = fc.constantFrom("webhook", "x", "id", "signature", "content", "length", "shop", "host");
  const name = fc
    .tuple(part, fc.constantFrom(...OTHERS), fc.oneof(part, fc.constant("")))
    .map((parts) => parts.join(""));
  let tried = 0;
  const check = fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), (names) => {
    fc.pre(problemOf(...names) === null);
    tried += names.length;
    const all = [...OURS, ...FRAMING, ...names].map(variableOf);
    expect(new Set(all).size).toBe(new Set([...OURS, ...FRAMING].map(variableOf)).size + names.length);
  });
  fc.assert(check, { numRuns: 500 });
  expect(tried).toBeGreaterThan(500);
});

test("two of an account's own headers that are read as one are refused", () => {
  expect(problemOf("x-shop", "X_Shop")).toStartWith("headers.X_Shop is the same as headers.x-shop: ");
});

test.each(["x-shop", "x_shop", "authorization", "Cookie", "content-language", "webhooks", "hosts"])(
  "%s can be set",
  (name) => expect(problemOf(name)).toBeNull(),
);
