import { describe, expect, test } from "bun:test";
import { parseEncryptionKeys } from "../../src/vault/encryption-key";

const base64 = (fill: number) => Buffer.alloc(32, fill).toString("base64");

describe("the text of the keys", () => {
  test("may be one key, named by its SHA-256", () => {
    const [key, ...rest] = parseEncryptionKeys(base64(7));
    expect(rest).toEqual([]);
    expect(Buffer.from(key?.bytes ?? []).equals(Buffer.alloc(32, 7))).toBe(true);
    expect(key?.id).toBe(
      new Bun.CryptoHasher("sha256").update(Buffer.alloc(32, 7)).digest("hex").slice(0, 8),
    );
    expect(key?.fingerprint).toBe(key?.id);
  });

  test("may be several with ids, in order", () => {
    const keys = parseEncryptionKeys(` b:${base64(2)} , a-1:${base64(1)},${base64(3)}`);
    expect(keys.map(({ id }) => id).slice(0, 2)).toEqual(["b", "a-1"]);
    expect(keys.map(({ bytes }) => bytes[0])).toEqual([2, 1, 3]);
  });

  test("accepts the alphabet of base64url too", () => {
    const bytes = Buffer.alloc(32, 0xff);
    expect(Buffer.from(parseEncryptionKeys(bytes.toString("base64url"))[0]?.bytes ?? []).equals(bytes)).toBe(
      true,
    );
  });

  test.each<[string, RegExp]>([
    ["", /key 1 must be 32 bytes/],
    ["secret", /key 1 must be 32 bytes/],
    [Buffer.alloc(31).toString("base64"), /key 1 must be 32 bytes/],
    [Buffer.alloc(33).toString("base64"), /key 1 must be 32 bytes/],
    [`${base64(1)},`, /key 2 must be 32 bytes/],
    [`a:${base64(1)},b:${base64(2)}x`, /key 2 must be 32 bytes/],
    [`:${base64(1)}`, /key 1 must have an id/],
    [`a.b:${base64(1)}`, /key 1 must have an id/],
    [`${"a".repeat(33)}:${base64(1)}`, /key 1 must have an id/],
    [`a:${base64(1)},a:${base64(2)}`, / a is repeated/],
    [`a:${base64(1)},b:${base64(1)}`, /is repeated/],
    [`${base64(1)},${base64(1)}`, /is repeated/],
  ])("%j is refused", (text, reason) => {
    expect(() => parseEncryptionKeys(text)).toThrow(reason);
    try {
      parseEncryptionKeys(text);
    } catch (error) {
      expect(String(error)).toContain("HERMOD_ENCRYPTION_KEY");
      for (const fill of [1, 2]) expect(String(error)).not.toContain(base64(fill).slice(0, 20));
    }
  });
});
