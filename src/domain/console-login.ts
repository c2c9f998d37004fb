// How a person signed in to the console gives the command line of the same machine a key: the command line opens a page of the console
// with a public key of its own, and the page sends the API key, encrypted for it, to a loopback address.

export const LOGIN_PATH = "/console/connect";
/** The encryption of the API key, which is shorter than its limit of 190 bytes. */
export const SEALING = { name: "RSA-OAEP", hash: "SHA-256" };

/** What the command line asks of the page. */
export type LoginRequest = Readonly<{
  /** The port of 127.0.0.1 that waits for the answer. */
  port: number;
  /** Returned with the answer, so that no other page can give one. */
  state: string;
  /** In SPKI, as hex. */
  publicKey: string;
  machine: string;
}>;

/** Most characters of a machine's name. */
export const MACHINE_MAX_LENGTH = 64;
const HEX = /^[0-9a-f]{1,2048}$/;

export function loginQuery({ port, state, publicKey, machine }: LoginRequest): URLSearchParams {
  return new URLSearchParams({
    port: String(port),
    state,
    key: publicKey,
    machine: machine.slice(0, MACHINE_MAX_LENGTH),
  });
}

/** Reads a request from a page's address; null if it is not whole. */
export function loginRequestIn(query: URLSearchParams): LoginRequest | null {
  const [port, state, publicKey, machine] = ["port", "state", "key", "machine"].map(
    (name) => query.get(name) ?? "",
  );
  const number = Number(port);
  if (!Number.isInteger(number) || number < 1_024 || number > 65_535) return null;
  if (!HEX.test(state ?? "") || !HEX.test(publicKey ?? "")) return null;
  return {
    port: number,
    state: state ?? "",
    publicKey: publicKey ?? "",
    machine: (machine ?? "").slice(0, MACHINE_MAX_LENGTH),
  };
}

/** Returns the code that the terminal and the page both show, such as `1A2B-3C4D`: of the public key. */
export async function loginCode({ publicKey }: Pick<LoginRequest, "publicKey">): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytesOf(publicKey));
  const hex = hexOf(new Uint8Array(digest)).toUpperCase();
  return `${hex.slice(0, 4)}-${hex.slice(4, 8)}`;
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
