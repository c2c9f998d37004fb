import { describe, expect, test } from "bun:test";
import { createDecipheriv } from "node:crypto";
import fc from "fast-check";
import { type EncryptionKey, parseEncryptionKeys } from "../../src/vault/encryption-key";
import { Vault, VaultError } from "../../src/vault/vault";

const base64 = (fill: number) => Buffer.alloc(32, fill).toString("base64");

function keys(text: string): readonly EncryptionKey[] {
  return parseEncryptionKeys(text);
}

function vault(text = base64(1)): Vault {
  return new Vault(keys(text));
}

/** Returns the text with one bit of the decoded part flipped. */
function damaged(sealed: string, bit: number): string {
  const [version, id, text = ""] = sealed.split(".");
  const bytes = Buffer.from(text, "base64url");
  const at = bit % (bytes.length * 8);
  bytes[at >> 3] = (bytes[at >> 3] ?? 0) ^ (1 << (at & 7));
  return `${version}.${id}.${bytes.toString("base64url")}`;
}

describe("a vault", () => {
  test("opens what it sealed, in its context", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), fc.string(), (text, context) => {
        expect(vault().open(vault().seal(text, context), context)).toBe(text);
      }),
    );
  });

  test("opens nothing in another context, and nothing altered", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), fc.nat(), (text, context, other, bit) => {
        const sealed = vault().seal(text, context);
        if (other !== context) expect(() => vault().open(sealed, other)).toThrow(VaultError);
        expect(() => vault().open(damaged(sealed, bit), context)).toThrow(VaultError);
      }),
    );
  });

  test("seals with a fresh nonce each time", () => {
    const sealing = vault();
    const sealed = new Set(Array.from({ length: 1_000 }, () => sealing.seal("same", "same")));
    const nonces = [...sealed].map((each) => (each.split(".")[2] ?? "").slice(0, 16));
    expect(new Set(nonces).size).toBe(1_000);
  });

  test("seals as documented, so that others can open it", () => {
    const [version, id, text = ""] = vault().seal("héllo", "there").split(".");
    expect([version, id]).toEqual(["v1", keys(base64(1))[0]?.fingerprint]);
    const bytes = Buffer.from(text, "base64url");
    const decipher = createDecipheriv("aes-256-gcm", Buffer.alloc(32, 1), bytes.subarray(0, 12));
    decipher.setAAD(Buffer.from(`v1.${id}\nthere`)).setAuthTag(bytes.subarray(-16));
    const opened = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
    expect(opened.toString()).toBe("héllo");
  });

  test("seals with the first key and opens with all of them", () => {
    const old = vault(`old:${base64(1)}`).seal("text", "here");
    const rotated = vault(`new:${base64(2)},old:${base64(1)}`);
    expect(rotated.open(old, "here")).toBe("text");
    expect(rotated.seal("text", "here")).toStartWith("v1.new.");
    expect(() => vault(`new:${base64(2)}`).open(old, "here")).toThrow(/encryption key old/);
  });

  test("opens secrets sealed before the key had a name", () => {
    const sealed = vault(base64(1)).seal("text", "here");
    expect(vault(`new:${base64(2)},first:${base64(1)}`).open(sealed, "here")).toBe("text");
  });

  test("refuses an exchanged key id", () => {
    const sealed = vault(`a:${base64(1)}`).seal("text", "here");
    const both = vault(`b:${base64(2)},a:${base64(1)}`);
    expect(() => both.open(sealed.replace("v1.a.", "v1.b."), "here")).toThrow(VaultError);
  });

  test("opens no other version", () => {
    const sealed = vault(`a:${base64(1)}`).seal("text", "here");
    expect(() => vault(`a:${base64(1)}`).open(sealed.replace("v1.", "v2."), "here")).toThrow(VaultError);
  });

  test.each(["", "text", "v1..", "v1.a", "v2.a.AAAA", `v1.a.${"A".repeat(36)}`, `v1.a.${"A".repeat(80)}.x`])(
    "refuses %j",
    (sealed) => {
      expect(() => vault(`a:${base64(1)}`).open(sealed, "here")).toThrow(VaultError);
    },
  );

  test("reveals no secret in its errors", () => {
    const sealed = vault().seal("the secret", "here");
    const messages = [
      sealed,
      damaged(sealed, 200),
      "v1.x.the secret",
      sealed.replace(/^v1\.\w+/, "v1.zz"),
    ].map((each) => {
      try {
        return vault().open(each, "elsewhere");
      } catch (error) {
        return String(error);
      }
    });
    for (const message of messages) {
      expect(message).toStartWith("VaultError");
      expect(message).not.toContain("the secret");
      expect(message).not.toContain(base64(1));
    }
  });

  test("needs a key", () => {
    expect(() => new Vault([])).toThrow();
  });
});
