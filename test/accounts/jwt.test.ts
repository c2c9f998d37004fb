import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { DEFAULT_ACCOUNT } from "../../src/accounts/account";
import { Authenticator } from "../../src/accounts/authenticator";
import { JwtVerifier, KeySetUnavailable, looksLikeJwt } from "../../src/accounts/jwt";
import { newId, toText } from "../../src/runtime/ids";
import { type TestDatabase, testDatabase } from "../support/postgres";
import { ManualClock } from "./manual-clock";

const SECRET = "a shared secret of thirty-two characters or more";
const ACCOUNT = toText("acc", DEFAULT_ACCOUNT);
const NONE = { jwtSecret: null, jwksUrl: null, jwtIssuer: null, jwtAudience: null };
const CLAIMS = { account_id: ACCOUNT, permissions: ["stats:read"] };

const clock = new ManualClock();
const inAMinute = clock.now() / 1_000 + 60;

type Signing = { alg?: string; key?: CryptoKey | Uint8Array; header?: Record<string, unknown> };

function sign(claims: JWTPayload, { alg = "HS256", key, header = {} }: Signing = {}): Promise<string> {
  const payload = "exp" in claims ? claims : { ...claims, exp: inAMinute };
  return new SignJWT(payload)
    .setProtectedHeader({ alg, ...header })
    .sign(key ?? new TextEncoder().encode(SECRET));
}

describe("with a shared secret", () => {
  const verifier = new JwtVerifier({ ...NONE, jwtSecret: SECRET }, clock);

  test("a token says whose it is, what it allows and until when", async () => {
    const claims = { ...CLAIMS, permissions: ["stats:read", "webhooks:write", "fly", 7] };
    expect(await verifier.verify(await sign(claims))).toEqual({
      accountId: DEFAULT_ACCOUNT,
      permissions: new Set(["stats:read", "webhooks:write"] as const),
      expiresAt: inAMinute * 1_000,
    });
  });

  test("a token without permissions allows nothing", async () => {
    const claims = await verifier.verify(await sign({ account_id: ACCOUNT }));
    expect(claims?.permissions.size).toBe(0);
  });

  const refused: [string, () => Promise<string>][] = [
    ["expired", () => sign({ ...CLAIMS, exp: clock.now() / 1_000 })],
    ["without an end", () => sign({ ...CLAIMS, exp: undefined })],
    ["not valid yet", () => sign({ ...CLAIMS, nbf: inAMinute })],
    ["of no account", () => sign({ permissions: ["stats:read"] })],
    ["of an account by its inner id", () => sign({ ...CLAIMS, account_id: DEFAULT_ACCOUNT })],
    ["of another secret", () => sign(CLAIMS, { key: new TextEncoder().encode(`${SECRET}!`) })],
    ["of another algorithm", () => sign(CLAIMS, { alg: "HS512" })],
    ["unsigned", async () => `${encode({ alg: "none" })}.${encode({ ...CLAIMS, exp: inAMinute })}.`],
    ["garbage", async () => "a.b.c"],
  ];
  test.each(refused)("a token is refused that is %s", async (_, make) => {
    expect(await verifier.verify(await make())).toBeNull();
  });

  test("issuer and audience are checked where they are configured", async () => {
    const settings = { ...NONE, jwtSecret: SECRET, jwtIssuer: "https://id.example", jwtAudience: "hermod" };
    const strict = new JwtVerifier(settings, clock);
    expect(
      await strict.verify(await sign({ ...CLAIMS, iss: "https://id.example", aud: "hermod" })),
    ).not.toBeNull();
    expect(
      await strict.verify(await sign({ ...CLAIMS, iss: "https://id.example", aud: "other" })),
    ).toBeNull();
    expect(await strict.verify(await sign({ ...CLAIMS, aud: "hermod" }))).toBeNull();
  });
});

describe("with a key set", () => {
  const key = Promise.all(
    ["RS256", "ES256", "EdDSA"].map((alg) => generateKeyPair(alg, { extractable: true })),
  );
  let server: Bun.Server<undefined>;
  let verifier: JwtVerifier;

  beforeAll(async () => {
    const publicKeys = (await key).map(async ({ publicKey }, i) => ({
      ...(await exportJWK(publicKey)),
      kid: `${i}`,
    }));
    const keys = await Promise.all(publicKeys);
    server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json({ keys }) });
    verifier = new JwtVerifier({ ...NONE, jwksUrl: server.url.href }, clock);
  });
  afterAll(() => server.stop(true));

  test.each([
    ["RS256", 0],
    ["ES256", 1],
    ["EdDSA", 2],
  ])("a token signed with %s holds", async (alg, i) => {
    const privateKey = (await key)[i]?.privateKey;
    const token = await sign(CLAIMS, { alg, key: privateKey, header: { kid: `${i}` } });
    expect(await verifier.verify(token)).toMatchObject({ accountId: DEFAULT_ACCOUNT });
  });

  test("a token signed with a secret does not hold, be it the public key", async () => {
    const [rsa] = await key;
    const jwk = JSON.stringify(await exportJWK(rsa?.publicKey ?? new Uint8Array()));
    expect(await verifier.verify(await sign(CLAIMS))).toBeNull();
    expect(await verifier.verify(await sign(CLAIMS, { key: new TextEncoder().encode(jwk) }))).toBeNull();
  });

  test("a token can't bring its own key", async () => {
    const own = await generateKeyPair("ES256", { extractable: true });
    const jwk = await exportJWK(own.publicKey);
    let asked = 0;
    const stranger = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => Response.json({ keys: [jwk], n: ++asked }),
    });
    const header = { jwk, jku: stranger.url.href, kid: "own" };
    expect(
      await verifier.verify(await sign(CLAIMS, { alg: "ES256", key: own.privateKey, header })),
    ).toBeNull();
    expect(asked).toBe(0);
    await stranger.stop(true);
  });

  test("while the set is out of reach nobody can say", async () => {
    const away = new JwtVerifier({ ...NONE, jwksUrl: "http://127.0.0.1:9/keys" }, clock);
    const token = await sign(CLAIMS, { alg: "ES256", key: (await key)[1]?.privateKey });
    await expect(away.verify(token)).rejects.toBeInstanceOf(KeySetUnavailable);
  });
});

test("a secret and a key set exclude each other", () => {
  expect(
    () => new JwtVerifier({ ...NONE, jwtSecret: SECRET, jwksUrl: "https://id.example" }, clock),
  ).toThrow();
});

test("a text with three parts looks like a token", () => {
  expect(["a.b.c", "a.b."].map(looksLikeJwt)).toEqual([true, true]);
  expect(["", "a", "a.b", ".b.c", "a..c", "a.b.c.d"].map(looksLikeJwt)).toEqual(Array(6).fill(false));
});

describe("authentication with a token", () => {
  let database: TestDatabase;
  let authenticator: Authenticator;

  beforeAll(async () => {
    database = await testDatabase();
    authenticator = new Authenticator({ db: database.db, clock, jwt: { ...NONE, jwtSecret: SECRET } });
  });
  afterAll(() => database.drop());

  test("gives its account's plan, at once the second time, until it expires", async () => {
    const token = await sign({ ...CLAIMS, exp: clock.now() / 1_000 + 1 });
    const principal = await authenticator.authenticate(token);
    expect(principal).toMatchObject({ accountId: DEFAULT_ACCOUNT, keyId: null, plan: "unlimited" });
    expect(principal?.requestsPerMinute).toBeNull();
    expect(authenticator.authenticate(token)).toEqual(principal);
    clock.pass(1_000);
    expect(authenticator.authenticate(token)).toBeNull();
  });

  test("needs an account that exists", async () => {
    const token = await sign({ ...CLAIMS, account_id: toText("acc", newId("acc")) });
    expect(await authenticator.authenticate(token)).toBeNull();
  });
});

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
