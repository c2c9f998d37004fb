import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { Authenticator } from "../../src/accounts/authentication/authenticator";
import { toText } from "../../src/domain/ids";
import { PERMISSIONS } from "../../src/domain/permission";
import { systemClock } from "../../src/runtime/clock";
import { type Answer, Client, expectError } from "../http/client";
import { JWT_SECRET, startTestService, useService } from "../http/service";

const service = await useService();
const accountId = toText("acc", service.admin.accountId);

const askAs = (token: string, at = service): Promise<Answer> =>
  new Client(at.url, at.admin.accountId, token).get("/stats");
const nowS = () => Math.floor(Date.now() / 1_000);

/** Signs a token. The claims are JSON text, since no object can express some of them. */
function signed(claims: string): string {
  const encode = (text: string) => Buffer.from(text).toString("base64url");
  const subject = `"account_id":"${accountId}","permissions":["stats:read"]`;
  const input = `${encode('{"alg":"HS256"}')}.${encode(`{${subject},${claims}}`)}`;
  return `${input}.${new Bun.CryptoHasher("sha256", JWT_SECRET).update(input).digest("base64url")}`;
}

describe("a token's dates", () => {
  const soon = () => nowS() + 60;

  test("are accepted if they make sense", async () => {
    for (const claims of [
      `"exp":${soon()}`,
      `"exp":${soon()}.5,"nbf":${nowS() - 60},"iat":${nowS()}`,
      `"exp":${soon()},"iat":${nowS() + 60},"nbf":0`,
    ])
      expect({ claims, status: (await askAs(signed(claims))).status }).toEqual({ claims, status: 200 });
  });

  test.each([
    ["exp of 1e999", () => `"exp":1e999`],
    ["exp of -1e999", () => `"exp":-1e999`],
    ["exp in milliseconds", () => `"exp":${soon() * 1_000}`],
    ["exp beyond all calendars", () => `"exp":1e300`],
    ["exp as a text", () => `"exp":"${soon()}"`],
    ["exp in a list", () => `"exp":[${soon()}]`],
    ["exp of null", () => `"exp":null`],
    ["a second exp that has passed", () => `"exp":${soon()},"exp":1`],
    ["nbf of -1e999", () => `"exp":${soon()},"nbf":-1e999`],
    ["nbf before 1970", () => `"exp":${soon()},"nbf":-1`],
    ["nbf behind exp", () => `"exp":${soon()},"nbf":${soon() + 1}`],
    ["nbf of null", () => `"exp":${soon()},"nbf":null`],
    ["iat of 1e999", () => `"exp":${soon()},"iat":1e999`],
    ["iat of -1e999", () => `"exp":${soon()},"iat":-1e999`],
    ["iat behind exp", () => `"exp":${soon()},"iat":${soon() + 1}`],
    ["iat in the future", () => `"exp":${soon() + 3_600},"iat":${nowS() + 1_800}`],
    ["iat as a text", () => `"exp":${soon()},"iat":"now"`],
  ])("refuse the token: %s", async (_, claims) => {
    expectError(await askAs(signed(claims())), 401, "UNAUTHORIZED");
  });
});

describe("a key set with invalid members", () => {
  let published: unknown[] = [];
  let issuer: Bun.Server<undefined>;
  let good: CryptoKeyPair;
  let goodKey: JWK;
  let small: CryptoKeyPair;
  let smallKey: JWK;

  beforeAll(async () => {
    issuer = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json({ keys: published }) });
    good = (await generateKeyPair("RS256", { extractable: true })) as CryptoKeyPair;
    goodKey = { ...(await exportJWK(good.publicKey)), kid: "good" };
    small = await crypto.subtle.generateKey(
      {
        name: "RSASSA-PKCS1-v1_5",
        modulusLength: 1_024,
        publicExponent: new Uint8Array([1, 0, 1]),
        hash: "SHA-256",
      },
      true,
      ["sign", "verify"],
    );
    smallKey = { ...(await crypto.subtle.exportKey("jwk", small.publicKey)), kid: "broken" } as JWK;
  });
  afterAll(() => issuer.stop(true));

  function tokenOf(kid: string | undefined, key: CryptoKey): Promise<string> {
    return new SignJWT({ account_id: accountId, permissions: [...PERMISSIONS] })
      .setProtectedHeader({ alg: "RS256", ...(kid && { kid }) })
      .setExpirationTime("1m")
      .sign(key);
  }

  /** Signed with a key that jose itself refuses to sign with. */
  async function weakToken(): Promise<string> {
    const [, payload] = (await tokenOf("broken", good.privateKey)).split(".");
    const input = `${Buffer.from('{"alg":"RS256","kid":"broken"}').toString("base64url")}.${payload}`;
    const signature = await crypto.subtle.sign("RSASSA-PKCS1-v1_5", small.privateKey, Buffer.from(input));
    return `${input}.${Buffer.from(signature).toString("base64url")}`;
  }

  const broken: [string, () => unknown][] = [
    ["a modulus that is none", () => ({ kty: "RSA", kid: "broken", n: "!!", e: "AQAB" })],
    ["no modulus", () => ({ kty: "RSA", kid: "broken", e: "AQAB" })],
    ["a number for a modulus", () => ({ kty: "RSA", kid: "broken", n: 7, e: "AQAB" })],
    ["a private key", async () => ({ ...(await exportJWK(good.privateKey)), kid: "broken" })],
    ["a point off its curve", () => ({ kty: "EC", crv: "P-256", kid: "broken", x: "AAAA", y: "AAAA" })],
    ["too small a key", () => smallKey],
    ["a kind nobody knows", () => ({ kty: "PQC", kid: "broken" })],
    ["no kind", () => ({ kid: "broken" })],
    ["uses that are a text", () => ({ ...goodKey, kid: "broken", key_ops: "verify" })],
    ["null", () => null],
    ["a text", () => "key"],
    ["a list", () => [[]]],
  ];

  test.each(broken)("works without them: %s", async (_, member) => {
    published = [await member(), goodKey];
    const jwt = { keys: { setUrl: issuer.url.href }, issuer: null, audience: null };
    const { db } = service.dependencies;
    const authenticator = new Authenticator({ db, clock: systemClock, jwt });
    const there = await startTestService({ beside: service, dependencies: { authenticator } });
    try {
      expect((await askAs(await tokenOf("good", good.privateKey), there)).status).toBe(200);
      expect((await askAs(await tokenOf(undefined, good.privateKey), there)).status).toBe(200);
      expectError(await askAs(await tokenOf("broken", good.privateKey), there), 401, "UNAUTHORIZED");
      expectError(await askAs(await weakToken(), there), 401, "UNAUTHORIZED");
      expectError(await askAs(await tokenOf("other", good.privateKey), there), 401, "UNAUTHORIZED");
    } finally {
      await there.stop();
    }
  });
});
