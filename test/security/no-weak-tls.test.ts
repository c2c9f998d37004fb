import { afterEach, describe, expect, test } from "bun:test";
import type { SecureVersion, TlsOptions } from "node:tls";
import {
  COMMON_NAME_CERTIFICATE,
  KEY,
  NO_DNS_NAME_CERTIFICATE,
  RSA_CERTIFICATE,
  RSA_KEY,
  SECOND_AUTHORITY,
} from "../attempt/certificates";
import { answer, Receiver, type ReceiverOptions } from "../attempt/receiver";
import { createSender, exchangeOf, to } from "../attempt/sending";

const open: { close(): void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

/** Sends a webhook to `hook.test` with this TLS, and returns its result and what arrived. */
async function sendTo(tls: TlsOptions, allowStaticRsa = false, host = "hook.test") {
  const address = host === "hook.test" ? "127.0.0.1" : host;
  const onRequest: ReceiverOptions["onRequest"] = ({ socket }) => socket.write(answer(200));
  const receiver = await Receiver.open({ tls, onRequest, host: address });
  const sender = createSender({
    lookup: async () => [{ address, family: 4 }],
    tls: { certificateAuthorities: SECOND_AUTHORITY, allowStaticRsa },
  });
  open.push(receiver, sender);
  const exchange = await exchangeOf(sender, to(`https://${host}:${receiver.port}/`));
  return { status: exchange.status, error: exchange.error, requests: receiver.requests.length };
}

const REFUSED = { status: 0, error: "tls" as const, requests: 0 };
const TAKEN = { status: 200, error: null, requests: 1 };

describe("key exchange", () => {
  const rsa = (ciphers: string): TlsOptions => ({
    key: RSA_KEY,
    cert: RSA_CERTIFICATE,
    maxVersion: "TLSv1.2",
    ciphers,
  });

  test.each(["AES128-GCM-SHA256", "AES256-GCM-SHA384", "AES128-SHA", "AES256-SHA"])(
    "by static RSA is refused unless the operator allows it: %s",
    async (cipher) => {
      expect(await sendTo(rsa(cipher))).toEqual(REFUSED);
      expect(await sendTo(rsa(cipher), true)).toEqual(TAKEN);
    },
  );

  test.each(["ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-CHACHA20-POLY1305", "ECDHE-RSA-AES256-SHA"])(
    "with forward secrecy is accepted: %s",
    async (cipher) => expect(await sendTo(rsa(cipher))).toEqual(TAKEN),
  );

  test.each<SecureVersion>(["TLSv1", "TLSv1.1"])("by %s is refused", async (version) => {
    const old = { key: RSA_KEY, cert: RSA_CERTIFICATE, minVersion: version, maxVersion: version };
    expect(await sendTo(old)).toEqual(REFUSED);
    expect(await sendTo(old, true)).toEqual(REFUSED);
  });
});

describe("a certificate", () => {
  test.each([
    ["no other name", COMMON_NAME_CERTIFICATE],
    ["other names that are none of DNS", NO_DNS_NAME_CERTIFICATE],
  ])("with the right common name and %s is refused", async (_, cert) => {
    expect(await sendTo({ key: KEY, cert })).toEqual(REFUSED);
  });

  test("for an address is accepted if the URL has that address, and not for another", async () => {
    const tls = { key: KEY, cert: NO_DNS_NAME_CERTIFICATE };
    expect(await sendTo(tls, false, "127.0.0.1")).toEqual(TAKEN);
    expect(await sendTo(tls, false, "127.0.0.2")).toEqual(REFUSED);
  });
});
