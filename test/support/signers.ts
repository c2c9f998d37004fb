import { systemClock } from "../../src/runtime/clock";
import { MessageSigner } from "../../src/stream/signer";
import { deriveKey, parseEncryptionKeys } from "../../src/vault/encryption-key";

/** Returns the signer that a process uses for the stream. */
export function streamSigner(encryptionKey = Buffer.alloc(32, 1).toString("base64")): MessageSigner {
  return signerFor("hermod stream", encryptionKey);
}

/** Returns the signer that a process uses for notices. */
export function controlSigner(encryptionKey = Buffer.alloc(32, 1).toString("base64")): MessageSigner {
  return signerFor("hermod control", encryptionKey);
}

function signerFor(purpose: string, encryptionKey: string): MessageSigner {
  return new MessageSigner(
    parseEncryptionKeys(encryptionKey).map((key) => deriveKey(key, purpose)),
    systemClock,
  );
}
