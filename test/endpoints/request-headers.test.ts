import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { webhookHeaders } from "../../src/attempt/webhook-request";
import { newId } from "../../src/domain/ids";
import {
  headersProblem,
  MAX_HEADER_NAME,
  MAX_HEADER_VALUE,
  MAX_HEADERS,
  openHeaders,
  type RequestHeader,
  sealHeaders,
} from "../../src/endpoints/request-headers";
import { parseEncryptionKeys } from "../../src/vault/encryption-key";
import { Vault, VaultError } from "../../src/vault/vault";
import { answer, Receiver } from "../attempt/receiver";
import { createSender, to } from "../attempt/sending";

const TOKEN_CHARACTERS = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const ACCOUNT = "an account";
const ENDPOINT = "an endpoint";

const vault = new Vault(parseEncryptionKeys(Buffer.alloc(32, 1).toString("base64")));
const open = vault.open.bind(vault);

const token = fc.string({ unit: fc.constantFrom(...TOKEN_CHARACTERS), minLength: 1, maxLength: 30 });
const likely = fc.constantFrom(
  "authorization",
  "cookie",
  "accept",
  "x-a",
  "range",
  "date",
  "__proto__",
  "a",
  "via",
);
const printable = fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 60 });
const header = fc.record({ name: fc.oneof(token, likely), value: printable, isSecret: fc.boolean() });
const anyHeaders = fc.array(header, { maxLength: 6 });

let receiver: Receiver;
beforeAll(async () => {
  receiver = await Receiver.open({ onRequest: ({ socket }) => socket.write(answer(200)) });
});
afterAll(() => receiver.close());

const delivery = { id: newId("wh"), event: "a", orderingKey: null, sequence: 1 };
const request = { webhookId: "wh_1", timestamp: 1, attempt: 1, secrets: [], body: "{}" };

/** Returns the headers of a request as a receiver gets them, names in lower case. */
async function received(added: Readonly<Record<string, string>> | null): Promise<string[]> {
  const headers = () => webhookHeaders(delivery, { ...request, added });
  const sent = await createSender().send({
    ...to(receiver.url),
    headers,
    body: "{}",
  });
  expect(sent).toMatchObject({ exchange: { status: 200, error: null } });
  const [, ...lines] = receiver.requests.at(-1)?.head.split("\r\n") ?? [];
  return lines.map((line) => line.replace(/^[^:]*/, (name) => name.toLowerCase()));
}

test("every accepted header arrives as it was given, beside ours and no others", async () => {
  const ours = await received(null);
  let tried = 0;
  const check = fc.asyncProperty(anyHeaders, async (headers) => {
    fc.pre(headersProblem(headers) === null);
    tried += headers.length;
    const stored = sealHeaders(headers, vault, ACCOUNT, ENDPOINT);
    const lines = await received(openHeaders(stored, open, ACCOUNT, ENDPOINT));
    const added = headers.map(({ name, value }) => `${name.toLowerCase()}: ${value}`);
    const names = headers.map(({ name }) => `${name.toLowerCase()}:`);
    // Fetch replaces headers that it sets itself, such as accept.
    const kept = ours.filter((line) => !names.some((name) => line.startsWith(name)));
    expect(lines.toSorted()).toEqual([...kept, ...added].toSorted());
  });
  await fc.assert(check, { numRuns: 200 });
  expect(tried).toBeGreaterThan(100);
});

test("a value that could end a header, or a name that is not a token, is refused", () => {
  const evil = fc.constantFrom("\r", "\n", "\0", "\t", "\u007f", "\u0085", "é", "\u{1f600}", "\u2028");
  const around = fc
    .tuple(fc.string({ maxLength: 5 }), evil, fc.string({ maxLength: 5 }))
    .map((all) => all.join("a"));
  const problemOf = (name: string, value: string) => headersProblem([{ name, value, isSecret: false }]);
  fc.assert(
    fc.property(around, (text) => {
      expect(problemOf("x-a", text)).toMatch("x-a");
      expect(problemOf(text, "a")).toMatch("headers");
    }),
  );
  const separators = '()<>@,;:\\"/[]?={} ';
  for (const each of separators) expect(problemOf(`a${each}b`, "a")).toMatch("headers");
});

test("a problem shows no value, and no name that could be one", () => {
  const secret = "hunter2hunter2";
  const flawed: RequestHeader[] = [
    { name: "x-a", value: `${secret}\n`, isSecret: true },
    { name: "x-a", value: secret.repeat(MAX_HEADER_VALUE), isSecret: true },
    { name: `Bearer ${secret}`, value: "a", isSecret: true },
    { name: "host", value: secret, isSecret: false },
    { name: secret.repeat(MAX_HEADER_NAME), value: "a", isSecret: false },
  ];
  for (const each of flawed) {
    const problem = headersProblem([each]);
    expect(problem).toMatch("headers");
    expect(problem).not.toContain(secret);
  }
  const many = Array.from({ length: MAX_HEADERS + 1 }, (_, i) => ({
    name: `x-${i}`,
    value: secret,
    isSecret: true,
  }));
  expect(headersProblem(many)).not.toContain(secret);
});

describe("a secret value", () => {
  const headers = [{ name: "X-Token", value: "t0k3n", isSecret: true }];
  const stored = sealHeaders(headers, vault, ACCOUNT, ENDPOINT);

  test("opens only for its endpoint and its name", () => {
    expect(JSON.stringify(stored)).not.toContain("t0k3n");
    expect(openHeaders(stored, open, ACCOUNT, ENDPOINT)).toEqual({ "x-token": "t0k3n" });
    expect(() => openHeaders(stored, open, ACCOUNT, "another")).toThrow(VaultError);
    expect(() => openHeaders(stored, open, "another", ENDPOINT)).toThrow(VaultError);
    const moved = { "x-shown": stored?.["x-token"] ?? { value: "" } };
    expect(() => openHeaders(moved, open, ACCOUNT, ENDPOINT)).toThrow(VaultError);
  });

  test("none are sealed as null", () => {
    expect(sealHeaders([], vault, ACCOUNT, ENDPOINT)).toBeNull();
    expect(openHeaders(null, open, ACCOUNT, ENDPOINT)).toBeNull();
  });
});
