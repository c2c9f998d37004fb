import { afterEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import type { TlsOptions } from "node:tls";
import { ERROR_DETAILS } from "../../src/attempt/error-detail";
import { SPECIAL_RANGES } from "../../src/attempt/targets/special-hosts";
import {
  AUTHORITY,
  CERTIFICATE,
  CHAINED_CERTIFICATE,
  COMMON_NAME_CERTIFICATE,
  EXCEEDING_CERTIFICATE,
  EXPIRED_CERTIFICATE,
  FUTURE_CERTIFICATE,
  INTERMEDIATE,
  KEY,
  LIMITED_AUTHORITY,
  RSA_CERTIFICATE,
  RSA_KEY,
  SECOND_AUTHORITY,
  SELF_SIGNED_CERTIFICATE,
} from "./certificates";
import { NameServer, type Zone } from "./name-server";
import { answer, Receiver, type ReceiverOptions } from "./receiver";
import { createSender, exchangeOf, to } from "./sending";

const open: { close(): void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

function opened<T extends { close(): void }>(each: T): T {
  open.push(each);
  return each;
}

type Options = Parameters<typeof createSender>[0];

/** A sender that resolves every name to this machine, and trusts the authorities of the tests. */
function sender(options: Options = {}) {
  const certificateAuthorities = AUTHORITY + SECOND_AUTHORITY;
  const lookup = async () => [{ address: "127.0.0.1", family: 4 as const }];
  return opened(createSender({ lookup, tls: { certificateAuthorities }, ...options }));
}

/** The error of a webhook over https to `hook.test`, and its detail. */
async function failureAt(receiver: ReceiverOptions): Promise<(string | null)[]> {
  const { port } = opened(await Receiver.open(receiver));
  const { error, errorDetail } = await exchangeOf(sender(), to(`https://hook.test:${port}/`));
  return [error, errorDetail];
}

describe("a certificate is refused with a reason", () => {
  test.each<[string, string]>([
    ["certificate_expired", EXPIRED_CERTIFICATE],
    ["certificate_not_yet_valid", FUTURE_CERTIFICATE],
    ["certificate_self_signed", SELF_SIGNED_CERTIFICATE],
    ["certificate_chain_incomplete", CHAINED_CERTIFICATE],
    ["certificate_chain_incomplete", EXCEEDING_CERTIFICATE],
    ["certificate_wrong_name", COMMON_NAME_CERTIFICATE],
  ])("%s", async (detail, cert) => {
    expect(await failureAt({ tls: { key: KEY, cert } })).toEqual(["tls", detail]);
  });

  test("and accepted with the missing intermediate certificate", async () => {
    expect(
      await failureAt({ tls: { key: KEY, cert: CHAINED_CERTIFICATE + INTERMEDIATE }, onRequest }),
    ).toEqual([null, null]);
  });

  test("certificate_unknown_authority", async () => {
    const cert = CERTIFICATE + AUTHORITY;
    const { port } = opened(await Receiver.open({ tls: { key: KEY, cert } }));
    const stranger = sender({ tls: { certificateAuthorities: SECOND_AUTHORITY } });
    const exchange = await exchangeOf(stranger, to(`https://hook.test:${port}/`));
    expect(exchange).toMatchObject({ error: "tls", errorDetail: "certificate_unknown_authority" });
  });

  test("certificate_invalid", async () => {
    const { port } = opened(await Receiver.open({ tls: { key: KEY, cert: EXCEEDING_CERTIFICATE } }));
    const limited = sender({ tls: { certificateAuthorities: LIMITED_AUTHORITY } });
    const exchange = await exchangeOf(limited, to(`https://hook.test:${port}/`));
    expect(exchange).toMatchObject({ error: "tls", errorDetail: "certificate_invalid" });
  });
});

describe("a handshake fails with a reason", () => {
  const old: TlsOptions = { minVersion: "TLSv1.1", maxVersion: "TLSv1.1" };
  const staticRsa: TlsOptions = { maxVersion: "TLSv1.2", ciphers: "AES128-GCM-SHA256" };
  /** Answers the first bytes with a fatal alert (RFC 8446, 6). */
  const alerting = (code: number): ReceiverOptions => ({
    onConnection: (socket: Socket) =>
      socket.once("data", () => socket.end(Buffer.from([21, 3, 3, 0, 2, 2, code]))),
  });
  test.each<[string, ReceiverOptions]>([
    ["tls_version", { tls: { key: RSA_KEY, cert: RSA_CERTIFICATE, ...old } }],
    ["handshake_refused", { tls: { key: RSA_KEY, cert: RSA_CERTIFICATE, ...staticRsa } }],
    ["not_tls", { onConnection: (socket) => socket.once("data", () => socket.write(answer(400))) }],
    ["handshake_too_large", { tls: { key: KEY, cert: CERTIFICATE + AUTHORITY.repeat(200) } }],
    ["client_certificate_required", alerting(116)],
    ["http2_only", alerting(120)],
    ["unknown_name", alerting(112)],
    ["tls_version", alerting(70)],
  ])("%s", async (detail, receiver) => {
    expect(await failureAt(receiver)).toEqual(["tls", detail]);
  });
});

describe("a deadline passes with a reason", () => {
  const detailAt = async (url: string) => {
    const { error, errorDetail } = await exchangeOf(sender(), { ...to(url), timeoutMs: 1_000 });
    return [error, errorDetail];
  };

  test.each(["http", "https"])("%s: no answer, or no connection", async (scheme) => {
    const silent = opened(await Receiver.open());
    const detail = scheme === "http" ? "no_response" : "not_connected";
    expect(await detailAt(`${scheme}://hook.test:${silent.port}/`)).toEqual(["timeout", detail]);
  });

  test("the head or the body of the answer is incomplete", async () => {
    const [head, body] = ["HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\na"];
    const details = [head, body].map(async (bytes) =>
      detailAt(`http://hook.test:${opened(await Receiver.answering(bytes)).port}/`),
    );
    expect(await Promise.all(details)).toEqual([
      ["timeout", "no_response"],
      ["timeout", "answer_cut_short"],
    ]);
  });
});

describe("a look-up fails with a reason", () => {
  test.each<[string, Zone]>([
    ["name_not_found", "nxdomain"],
    ["name_not_found", { addresses: [] }],
    ["server_failure", "servfail"],
  ])("%s: %j", async (detail, zone) => {
    opened(await NameServer.open(() => zone));
    const exchange = await exchangeOf(opened(createSender()), to("http://hook.test/"));
    expect(exchange).toMatchObject({ status: 0, error: "dns", errorDetail: detail });
  });
});

describe("denied addresses are reported by their kinds, not by themselves", () => {
  const detailOf = async (url: string, ...ips: string[]) => {
    const lookup = async () =>
      ips.map((address) => ({ address, family: address.includes(":") ? (6 as const) : (4 as const) }));
    const strict = sender({ production: true, allowPrivateNetworks: "127.0.0.3", lookup });
    const { error, errorDetail } = await exchangeOf(strict, to(url));
    return [error, errorDetail];
  };

  test.each<[string, string[]]>([
    ["private", ["10.1.2.3", "192.168.1.1"]],
    ["link_local, unique_local, unspecified", ["fe80::1", "fd00::1", "::"]],
    ["metadata", ["169.254.169.254"]],
    ["invalid", ["nonsense"]],
  ])("%s", async (kinds, ips) => {
    expect(await detailOf("http://hook.test/", ...ips)).toEqual([
      "blocked_address",
      `not permitted: ${kinds}`,
    ]);
  });

  test("even if the address is in the URL", async () => {
    expect(await detailOf("http://10.1.2.3/")).toEqual(["blocked_address", "not permitted: private"]);
  });

  test("even beside one that could not be connected to", async () => {
    expect(await detailOf("http://hook.test:9/", "127.0.0.3", "fe80::1")).toEqual([
      "connection_refused",
      "not permitted: link_local",
    ]);
  });

  test("but not if a permitted one answers", async () => {
    const receiver = opened(await Receiver.open({ host: "127.0.0.3", onRequest }));
    expect(await detailOf(`http://hook.test:${receiver.port}/`, "127.0.0.3", "fe80::1")).toEqual([
      null,
      null,
    ]);
  });
});

describe("the target of a redirect", () => {
  const locationOf = async (status: number, lines: string) => {
    const receiver = opened(
      await Receiver.answering(`HTTP/1.1 ${status} X\r\n${lines}content-length: 0\r\n\r\n`),
    );
    const exchange = await exchangeOf(sender(), to(receiver.url));
    expect(exchange).toMatchObject({ status, error: null, errorDetail: null });
    return exchange.location;
  };

  test.each([301, 302, 303, 307, 308])("is reported: %d", async (status) => {
    expect(await locationOf(status, "Location:  https://hook.test/b?c=d \r\n")).toBe(
      "https://hook.test/b?c=d",
    );
  });

  test.each([200, 201, 400, 503])("is not reported without a redirect: %d", async (status) => {
    expect(await locationOf(status, "Location: /b\r\n")).toBeNull();
  });

  test("is the first of two Location headers, and null without one", async () => {
    expect(await locationOf(302, "Location: /a\r\nlocation: /b\r\n")).toBe("/a");
    expect(await locationOf(302, "")).toBeNull();
  });

  test("is cut to its limit, and its length fails no answer", async () => {
    expect(await locationOf(302, `Location: /${"x".repeat(30_000)}\r\n`)).toBe(`/${"x".repeat(2_047)}`);
  });

  test("is text that Postgres can store, whatever bytes it has", async () => {
    expect(await locationOf(302, "Location: /ä\0\r\n".replace("ä", "\u00e4"))).toBe("/ä\u{fffd}");
  });
});

test("docs/receiving.md names every reason and every kind of address", () => {
  const page = readFileSync(new URL("../../docs/receiving.md", import.meta.url), "utf8");
  const [, table = ""] = page.split("`error_detail` has the reason");
  const kinds = SPECIAL_RANGES.map(([, kind]) => kind);
  for (const word of [...Object.values(ERROR_DETAILS).flat(), ...kinds, "metadata", "own"])
    expect({ word, isNamed: table.includes(`\`${word}\``) }).toEqual({ word, isNamed: true });
});

const onRequest: ReceiverOptions["onRequest"] = ({ socket }) => socket.write(answer(200));
