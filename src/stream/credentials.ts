import { readFileSync } from "node:fs";
import { type Authenticator, credsAuthenticator } from "nats";

/**
 * Authenticates with a credentials file as NATS' own tools write it: a JWT and its seed. Reads the file at every connection,
 * since JWTs expire and files are renewed; if it can't be read then, uses what it read before. Throws if the file can't be read
 * now.
 */
export function credentialsIn(file: string): Authenticator {
  let known = read(file);
  return credsAuthenticator(() => {
    try {
      known = read(file);
    } catch {
      // The file is being written, or gone: the server decides whether the former credentials still count.
    }
    return known;
  });
}

function read(file: string): Uint8Array {
  const text = readFileSync(file);
  try {
    credsAuthenticator(text)("any");
  } catch {
    throw new Error(`${file} has no JWT and seed`);
  }
  return text;
}
