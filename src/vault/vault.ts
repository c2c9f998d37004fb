import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { type EncryptionKey, fingerprintOf } from "./encryption-key";

const CIPHER = "aes-256-gcm";
const VERSION = "v1";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A sealed text that can't be opened. The message contains neither text nor key. */
export class VaultError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "VaultError";
  }
}

/** Seals and opens secrets. */
export type SecretVault = Pick<Vault, "seal" | "open">;

/**
 * Encrypts secrets that the database must not show: AES-256-GCM (NIST SP 800-38D) with a random 96-bit nonce. A sealed
 * text is `v1.<key id>.<base64url of nonce, ciphertext and tag>`.
 */
export class Vault {
  private readonly keys = new Map<string, EncryptionKey>();
  private readonly first: EncryptionKey;
  /** True if another key than the first may have sealed something. */
  readonly hasFormerKeys: boolean;

  /** The first key seals; all of them open. */
  constructor(keys: readonly EncryptionKey[]) {
    const [first] = keys;
    if (!first) throw new Error("a vault needs at least one key");
    this.first = first;
    this.hasFormerKeys = keys.length > 1;
    // Finds a key also by its fingerprint, so it may be named later.
    for (const key of keys) this.keys.set(key.fingerprint, key);
    for (const key of keys) this.keys.set(key.id, key);
  }

  /** Seals a text for a context, such as its row. It opens only with the same context. */
  seal(text: string, context: string): string {
    const head = `${VERSION}.${this.first.id}`;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.first.bytes, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(boundTo(head, context));
    const sealed = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
    return `${head}.${Buffer.concat(sealed).toString("base64url")}`;
  }

  /**
   * Makes a vault with keys derived from ours (HKDF, RFC 5869), for texts that are sealed often or leave the service. They
   * neither use up the nonces of the keys of stored secrets nor name those keys.
   */
  derive(purpose: string): Vault {
    const keys = new Set([this.first, ...this.keys.values()]);
    return new Vault([...keys].map(({ bytes }) => derivedKey(bytes, purpose)));
  }

  /** The id of the key that seals. */
  get keyId(): string {
    return this.first.id;
  }

  /** True if the first key sealed the text. */
  isCurrent(sealed: string): boolean {
    return this.keys.get(sealed.split(".", 2)[1] ?? "") === this.first;
  }

  /** Seals the same text with the first key. Throws as `open`. */
  reseal(sealed: string, context: string): string {
    return this.isCurrent(sealed) ? sealed : this.seal(this.open(sealed, context), context);
  }

  /** Opens a text. Throws `VaultError` if an unknown key sealed it, it belongs to another context, or it was changed. */
  open(sealed: string, context: string): string {
    const [version, id = "", base64 = "", ...rest] = sealed.split(".");
    const bytes = Buffer.from(base64, "base64url");
    const ends = bytes.length - TAG_BYTES;
    // Rejects a text that `seal` would not write in this form, because decoding base64 is lenient.
    const isOurs = version === VERSION && rest.length === 0 && bytes.toString("base64url") === base64;
    if (!isOurs || ends < NONCE_BYTES) throw new VaultError("not a sealed text");
    const key = this.keys.get(id);
    if (!key) throw new VaultError(`sealed by the encryption key ${id}, which is not configured`);
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(CIPHER, key.bytes, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(boundTo(`${VERSION}.${id}`, context));
    decipher.setAuthTag(bytes.subarray(ends));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, ends)), decipher.final()]).toString(
        "utf8",
      );
    } catch {
      throw new VaultError("sealed for another context, by another key with this id, or changed since");
    }
  }
}

function derivedKey(bytes: Uint8Array, purpose: string): EncryptionKey {
  const derived = new Uint8Array(hkdfSync("sha256", bytes, "", `hermod ${purpose}`, bytes.length));
  const fingerprint = fingerprintOf(derived);
  return { id: fingerprint, fingerprint, bytes: derived };
}

/** Returns the associated data. The context comes last, because it may contain any character. */
function boundTo(head: string, context: string): Buffer {
  return Buffer.from(`${head}\n${context}`, "utf8");
}
