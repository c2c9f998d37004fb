import { readFileSync } from "node:fs";
import { type Authenticator, credsAuthenticator } from "nats";

/**
 * Who we are to NATS, by a credentials file as its own tools write it (a JWT and its seed). Read at every connection, since
 * JWTs expire and files are renewed; one that can't be read then, or only in part, is as it was before. Throws where it
 * can't be read now.
 */
export function credentialsIn(file: string): Authenticator {
  let known = read(file);
  return credsAuthenticator(() => {
    try {
      known = read(file);
    } catch {
      // It is being written, or gone: the server says whether what is known still counts.
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
