import { systemClock } from "../../src/runtime/clock";
import { MessageSigner } from "../../src/stream/signer";
import { deriveKey, parseEncryptionKeys } from "../../src/vault/encryption-key";

/** A process's signer for the stream. */
export function streamSigner(encryptionKey = Buffer.alloc(32, 1).toString("base64")): MessageSigner {
  return signerFor("hermod stream", encryptionKey);
}

/** A process's signer for notices. */
export function controlSigner(encryptionKey = Buffer.alloc(32, 1).toString("base64")): MessageSigner {
  return signerFor("hermod control", encryptionKey);
}

function signerFor(purpose: string, encryptionKey: string): MessageSigner {
  return new MessageSigner(
    parseEncryptionKeys(encryptionKey).map((key) => deriveKey(key, purpose)),
    systemClock,
  );
}
