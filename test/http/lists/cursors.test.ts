import { expect, test } from "bun:test";
import fc from "fast-check";
import { ApiError } from "../../../src/api/errors";
import { Cursors, type ListName } from "../../../src/api/lists/cursors";
import {
  BEFORE_ALL_IDS,
  type IteratorPosition,
  type PagePosition,
} from "../../../src/deliveries/lists/cursor";
import type { AccountId, DeliveryId } from "../../../src/domain/ids";
import { parseEncryptionKeys } from "../../../src/vault/encryption-key";
import { Vault } from "../../../src/vault/vault";

const base64 = (fill: number) => Buffer.alloc(32, fill).toString("base64");
const vaultOf = (keys: string) => new Vault(parseEncryptionKeys(keys)).derive("cursors");
const cursors = new Cursors(vaultOf(base64(1)));

const id = fc.uuid().map((text) => text as DeliveryId);
const account = fc.uuid().map((text) => text as AccountId);
const list = fc.constantFrom<ListName>("accounts", "endpoints", "event-types", "jobs", "webhooks");
const iterator: fc.Arbitrary<IteratorPosition> = fc.record({
  transaction: fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }).map(String),
  id: fc.oneof(id, fc.constant(BEFORE_ALL_IDS)),
  seen: fc.option(fc.stringMatching(/^\d{1,9}:\d{1,9}:(\d{1,9})?$/)),
});
const page: fc.Arbitrary<PagePosition> = fc.record({ before: id });
const position = fc.oneof(iterator, page, fc.string());

/** Returns true if a token is refused as one that no answer contained. */
function isRefused(token: string, of: ListName, by: AccountId, with_ = cursors): boolean {
  try {
    with_.of(of, by).readCursor(token);
    return false;
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).status).toBe(400);
    return true;
  }
}

test("a token continues its account's list", () => {
  fc.assert(
    fc.property(list, account, position, (name, who, each) => {
      const { write, readCursor } = cursors.of(name, who);
      expect(readCursor(write(each))).toEqual(each);
      // Needs no escaping in a URL.
      expect(write(each)).toMatch(/^[\w.-]+$/);
    }),
  );
});

test("a token works for no other account and no other list", () => {
  fc.assert(
    fc.property(list, account, position, list, account, (name, who, each, otherList, other) => {
      const token = cursors.of(name, who).write(each);
      if (other !== who) expect(isRefused(token, name, other)).toBe(true);
      if (otherList !== name) expect(isRefused(token, otherList, who)).toBe(true);
    }),
  );
});

test("a token with any character changed, removed or added is refused", () => {
  const changes = fc.constantFrom("", ..."AZaz09-_.=+/ ");
  fc.assert(
    fc.property(
      list,
      account,
      position,
      fc.nat(),
      fc.nat(1),
      changes,
      (name, who, each, n, removed, change) => {
        const token = cursors.of(name, who).write(each);
        const at = n % (token.length + 1);
        const changed = token.slice(0, at) + change + token.slice(at + removed);
        fc.pre(changed !== token);
        expect(isRefused(changed, name, who)).toBe(true);
      },
    ),
    { numRuns: 2_000 },
  );
});

test("any other text is refused", () => {
  const anything = fc.oneof(fc.string({ unit: "binary" }), fc.base64String(), fc.constant("A".repeat(8_000)));
  fc.assert(fc.property(list, account, anything, (name, who, text) => isRefused(text, name, who)));
});

test("a token works while its key is configured, and shows no key's name", () => {
  const who = "00000000-0000-0000-0000-000000000001" as AccountId;
  const token = new Cursors(vaultOf(`old:${base64(1)}`)).of("webhooks", who).write("x");
  expect(token).not.toContain("old");
  const rotated = new Cursors(vaultOf(`new:${base64(2)},old:${base64(1)}`));
  expect(isRefused(token, "webhooks", who, rotated)).toBe(false);
  expect(isRefused(token, "webhooks", who, new Cursors(vaultOf(`new:${base64(2)}`)))).toBe(true);
});

test("what is sealed for cursors opens no secret, and no secret is a cursor", () => {
  const kept = new Vault(parseEncryptionKeys(base64(1)));
  const who = "00000000-0000-0000-0000-000000000001" as AccountId;
  expect(isRefused(kept.seal('"x"', `1/webhooks/${who}`), "webhooks", who)).toBe(true);
  const token = cursors.of("webhooks", who).write("x");
  expect(() => kept.open(token, `1/webhooks/${who}`)).toThrow();
});
