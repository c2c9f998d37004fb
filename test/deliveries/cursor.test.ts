import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  BEFORE_ALL_IDS,
  formatIteratorPosition,
  formatPagePosition,
  type IteratorPosition,
  parseIteratorPosition,
  parsePagePosition,
} from "../../src/deliveries/cursor";
import type { DeliveryId } from "../../src/runtime/ids";

const id = fc.uuid().map((text) => text as DeliveryId);
const transaction = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n });
const snapshot = fc.uniqueArray(transaction, { minLength: 2, maxLength: 20 }).map((values) => {
  const [xmin, ...rest] = values.sort((a, b) => (a < b ? -1 : 1));
  return `${xmin}:${rest.pop()}:${rest.join(",")}`;
});
const position: fc.Arbitrary<IteratorPosition> = fc.record({
  transaction: transaction.map(String),
  id: fc.oneof(id, fc.constant(BEFORE_ALL_IDS)),
  seen: fc.option(snapshot),
});

describe("a token", () => {
  test("leads back to its page", () => {
    fc.assert(
      fc.property(id, (before) => {
        expect(parsePagePosition(formatPagePosition({ before }))).toEqual({ before });
      }),
    );
  });

  test("leads an iterator back to where it stood", () => {
    fc.assert(
      fc.property(position, (each) => {
        expect(parseIteratorPosition(formatIteratorPosition(each))).toEqual(each);
      }),
    );
  });

  test("needs no escaping in a URL", () => {
    fc.assert(fc.property(position, (each) => /^[\w-]+$/.test(formatIteratorPosition(each))));
  });

  test("of one kind is not one of the other", () => {
    fc.assert(
      fc.property(position, id, (each, before) => {
        expect(parsePagePosition(formatIteratorPosition(each))).toBeNull();
        expect(parseIteratorPosition(formatPagePosition({ before }))).toBeNull();
      }),
    );
  });

  test("with a character changed leads nowhere, or to another place", () => {
    fc.assert(
      fc.property(position, fc.nat(), fc.constantFrom(..."AZaz09-_"), (each, n, character) => {
        const token = formatIteratorPosition(each);
        const changed = token.slice(0, n % token.length) + character + token.slice((n % token.length) + 1);
        fc.pre(changed !== token);
        const found = parseIteratorPosition(changed);
        if (found !== null) expect(formatIteratorPosition(found)).toBe(changed);
      }),
    );
  });
});

describe("anything else", () => {
  test("is no token", () => {
    fc.assert(fc.property(fc.string(), (text) => parsePagePosition(text) === null));
    fc.assert(fc.property(fc.string(), (text) => parseIteratorPosition(text) === null));
  });

  test.each([
    "1i 5 not-an-id",
    `1i 05 ${BEFORE_ALL_IDS}`,
    `1i -5 ${BEFORE_ALL_IDS}`,
    `1i 18446744073709551616 ${BEFORE_ALL_IDS}`,
    `1i 5 ${BEFORE_ALL_IDS} `,
    `1i 5 ${BEFORE_ALL_IDS} 5:4:`,
    `1i 5 ${BEFORE_ALL_IDS} 0:4:`,
    `1i 5 ${BEFORE_ALL_IDS} 5:9:7,6`,
    `1i 5 ${BEFORE_ALL_IDS} 5:9:9`,
    `1i 5 ${BEFORE_ALL_IDS} 5:9:4`,
    `1i 5 ${BEFORE_ALL_IDS} 5:9:6,`,
    `1i 5 ${BEFORE_ALL_IDS} 5:9: 7`,
    `1i 5 ${BEFORE_ALL_IDS} 5:9: extra`,
    `2i 5 ${BEFORE_ALL_IDS}`,
    `${BEFORE_ALL_IDS}`,
  ])("like %p inside is no token", (text) => {
    expect(parseIteratorPosition(Buffer.from(text).toString("base64url"))).toBeNull();
  });

  test("that is long is not read", () => {
    expect(parsePagePosition("A".repeat(100_000))).toBeNull();
  });
});
