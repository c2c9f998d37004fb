import { expect, test } from "bun:test";
import fc from "fast-check";
import { hashKey, looksLikeKey, newKey } from "../../../src/accounts/authentication/api-key";

test("a new key has a key's shape and checksum", () => {
  const key = newKey();
  expect(key).toMatch(/^hmd_[A-Za-z0-9_-]{49}$/);
  expect(looksLikeKey(key)).toBe(true);
  expect(newKey()).not.toBe(key);
});

test("a key with any one character changed is not a key", () => {
  const key = newKey();
  const changed = fc.tuple(fc.nat(key.length - 1), fc.constantFrom(..."ABCxyz012_-"));
  fc.assert(
    fc.property(changed, ([at, character]) => {
      fc.pre(key.charAt(at) !== character);
      return !looksLikeKey(key.slice(0, at) + character + key.slice(at + 1));
    }),
  );
});

test("no other text passes as a key", () => {
  fc.assert(fc.property(fc.string(), (text) => !looksLikeKey(text)));
  expect(looksLikeKey(`${newKey()} `)).toBe(false);
});

test("a key is stored as its SHA-256", () => {
  const expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  expect(Buffer.from(hashKey("abc")).toString("hex")).toBe(expected);
});
