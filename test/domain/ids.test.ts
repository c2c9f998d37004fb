import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  fromText,
  hopsOf,
  isUuid,
  leastIdAt,
  MAX_HOPS,
  newId,
  type Prefix,
  timeOf,
  toText,
} from "../../src/domain/ids";

const PREFIXES: Prefix[] = ["acc", "ep", "wh", "key"];
const prefix = fc.constantFrom(...PREFIXES);
const MAX_TIME = 2 ** 48 - 1;
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** Any 128 bits in the inner form, not only those of a UUIDv7. */
const uuid = fc
  .bigInt({ min: 0n, max: 2n ** 128n - 1n })
  .map((bits) =>
    bits
      .toString(16)
      .padStart(32, "0")
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"),
  )
  .map((text) => text as ReturnType<typeof newId<"wh">>);

test("a public text converts back to its identifier", () => {
  fc.assert(
    fc.property(uuid, (id) => {
      const text = toText("wh", id);
      expect(text).toMatch(/^wh_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
      expect(fromText("wh", text)).toBe(id);
    }),
    { numRuns: 1_000 },
  );
});

test("the public text is the identifier's 128 bits in Crockford's base32", () => {
  fc.assert(
    fc.property(uuid, (id) => {
      let bits = BigInt(`0x${id.replaceAll("-", "")}`);
      let expected = "";
      for (let i = 0; i < 26; i++, bits >>= 5n) expected = ALPHABET.charAt(Number(bits & 31n)) + expected;
      expect(toText("wh", id)).toBe(`wh_${expected}`);
    }),
  );
});

test("the public form never changes, since receivers store it", () => {
  const id = "0199a3c4-5b6d-7e8f-8a9b-0c1d2e3f4a5b" as ReturnType<typeof newId<"ep">>;
  expect(toText("ep", id)).toBe("ep_01k6hw8pvdft7rn6rc3mq3yjjv");
  expect(fromText("ep", "ep_01k6hw8pvdft7rn6rc3mq3yjjv")).toBe(id);
});

test("texts sort like identifiers", () => {
  fc.assert(
    fc.property(uuid, uuid, (a, b) => {
      expect(toText("wh", a) < toText("wh", b)).toBe(a < b);
    }),
    { numRuns: 1_000 },
  );
});

test("every new identifier is valid, greater than the one before, and keeps its hops", () => {
  let before = "";
  for (let i = 0; i < 50_000; i++) {
    const id = newId("wh", i % MAX_HOPS);
    if (!isUuid(id) || id <= before || hopsOf(id) !== i % MAX_HOPS) throw new Error(`${id} after ${before}`);
    before = id;
  }
});

test("an identifier has no hops by default, and the most that fit otherwise", () => {
  for (let i = 0; i < 100; i++) expect(hopsOf(newId("wh"))).toBe(0);
  for (const hops of [MAX_HOPS, -1, 0.5]) expect(() => newId("wh", hops)).toThrow(RangeError);
});

test("an identifier contains its creation time", async () => {
  // After a burst of more than 4,096 in a millisecond their time is ahead of the clock.
  while (timeOf(newId("wh")) > Date.now()) await Bun.sleep(1);
  const earliest = Date.now();
  const made = timeOf(newId("wh"));
  expect(made).toBeGreaterThanOrEqual(earliest);
  expect(made).toBeLessThanOrEqual(Date.now());
});

test("the least identifier of a time has that time, and no identifier of that time is less", () => {
  fc.assert(
    fc.property(fc.nat(MAX_TIME), uuid, (ms, other) => {
      const least = leastIdAt(ms);
      expect(isUuid(least)).toBe(true);
      expect(timeOf(least)).toBe(ms);
      expect(timeOf(other) >= ms).toBe(other >= least);
    }),
    { numRuns: 1_000 },
  );
});

test("a bound between two milliseconds excludes the earlier one", () => {
  expect(leastIdAt(1_000.25)).toBe(leastIdAt(1_001));
});

test("bounds beyond an identifier's range are clamped", () => {
  expect(timeOf(leastIdAt(-1))).toBe(0);
  expect(timeOf(leastIdAt(MAX_TIME + 1))).toBe(MAX_TIME);
});

test("an identifier of another kind is refused", () => {
  fc.assert(
    fc.property(uuid, prefix, prefix, (id, mine, other) => {
      const text = toText("wh", id).replace("wh_", `${other}_`);
      expect(fromText(mine, text) !== null).toBe(mine === other);
    }),
  );
});

test("garbage is refused", () => {
  const good = toText("wh", newId("wh"));
  const garbage = [
    "",
    "wh",
    "wh_",
    good.slice(0, -1),
    `${good}0`,
    ` ${good}`,
    good.toUpperCase(),
    good.replace("_", "-"),
    // Beyond 128 bits.
    `wh_8${good.slice(4)}`,
    `wh_z${good.slice(4)}`,
    // Characters that the alphabet leaves out, and others outside its table.
    ...["i", "l", "o", "u", "-", "_", " ", "\0", "é", "ł", "١", "\ud83d"].map(
      (character) => good.slice(0, -1) + character,
    ),
  ];
  for (const text of garbage) expect(fromText("wh", text)).toBeNull();
});

test("an accepted text is written as the same text", () => {
  const character = fc.constantFrom(...ALPHABET, "u", "i", "A", "_");
  const tail = fc.array(character, { minLength: 25, maxLength: 27 }).map((all) => all.join(""));
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        tail.map((text) => `wh_${text}`),
      ),
      (text) => {
        const id = fromText("wh", text);
        if (id === null) return;
        expect(isUuid(id)).toBe(true);
        expect(toText("wh", id)).toBe(text);
      },
    ),
    { numRuns: 1_000 },
  );
});

test("only the inner form is a uuid", () => {
  expect(isUuid(newId("ep"))).toBe(true);
  for (const text of [
    "",
    "0199a3c45b6d7e8f8a9b0c1d2e3f4a5b",
    newId("ep").toUpperCase(),
    `${newId("ep")}\n`,
  ]) {
    expect(isUuid(text)).toBe(false);
  }
});
