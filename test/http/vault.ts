import type { SecretVault } from "../../src/vault/vault";

/** Hides texts just enough for a test to see that they were sealed, and bound to their place. */
export class TestVault implements SecretVault {
  seal(text: string, context: string): string {
    return Buffer.from(`${context}\n${text}`).toString("base64");
  }

  open(sealed: string, context: string): string {
    const text = Buffer.from(sealed, "base64").toString();
    if (!text.startsWith(`${context}\n`)) throw new Error("sealed for another place");
    return text.slice(context.length + 1);
  }
}
