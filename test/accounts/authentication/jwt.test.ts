import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { DEFAULT_ACCOUNT } from "../../../src/accounts/account";
import { ApiKeys } from "../../../src/accounts/api-keys";
import { Authenticator } from "../../../src/accounts/authentication/authenticator";
import { JwtVerifier, looksLikeJwt } from "../../../src/accounts/authentication/jwt";
import { KEY_SET_LIMIT, KeySetUnavailable } from "../../../src/accounts/authentication/key-set";
import { newId, toText } from "../../../src/domain/ids";
import { type TestDatabase, testDatabase } from "../../support/postgres";
import { ManualClock } from "../manual-clock";

const SECRET = "a shared secret of thirty-two characters or more";
const ACCOUNT = toText("acc", DEFAULT_ACCOUNT);
const ANYONE = { issuer: null, audience: null };
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
  const verifier = new JwtVerifier({ ...ANYONE, keys: { secret: SECRET } }, clock);

  test("a token gives the account, the permissions and the expiry", async () => {
    const claims = { ...CLAIMS, permissions: ["stats:read", "webhooks:write", "fly", 7] };
    expect(await verifier.verify(await sign(claims))).toEqual({
      accountId: DEFAULT_ACCOUNT,
      permissions: new Set(["stats:read", "webhooks:write", "webhooks:retry"] as const),
      expiresAt: inAMinute * 1_000,
    });
  });

  test("a token without permissions allows nothing", async () => {
    const claims = await verifier.verify(await sign({ account_id: ACCOUNT }));
    expect(claims?.permissions.size).toBe(0);
  });

  test("a token made by hand is accepted, so that those below are refused for their content", async () => {
    expect(await verifier.verify(await critical({ alg: "HS256" }))).toMatchObject({
      accountId: DEFAULT_ACCOUNT,
    });
  });

  const refused: [string, () => Promise<string>][] = [
    ["expired", () => sign({ ...CLAIMS, exp: clock.now() / 1_000 })],
    ["without an end", () => sign({ ...CLAIMS, exp: undefined })],
    ["not valid yet", () => sign({ ...CLAIMS, nbf: inAMinute })],
    ["of no account", () => sign({ permissions: ["stats:read"] })],
    ["of an account by its inner id", () => sign({ ...CLAIMS, account_id: DEFAULT_ACCOUNT })],
    ["of another secret", () => sign(CLAIMS, { key: new TextEncoder().encode(`${SECRET}!`) })],
    ["of another algorithm", () => sign(CLAIMS, { alg: "HS512" })],
    ["unsigned", async () => unsigned({ alg: "none" })],
    ["unsigned, and says so otherwise", async () => unsigned({ alg: "None" })],
    ["unsigned, and says HS256", async () => unsigned({ alg: "HS256" })],
    ["unsigned, and says nothing", async () => unsigned({})],
    [
      "unsigned, though its signature was of another algorithm",
      async () => {
        const [, , signature] = (await sign(CLAIMS)).split(".");
        return unsigned({ alg: "none" }) + signature;
      },
    ],
    [
      "changed after it was signed",
      async () => {
        const [head, , signature] = (await sign(CLAIMS)).split(".");
        return `${head}.${encode({ ...CLAIMS, permissions: ["admin"], exp: inAMinute })}.${signature}`;
      },
    ],
    ["valid until some word", () => sign({ ...CLAIMS, exp: "2999-01-01" as never })],
    ["valid from some word on", () => sign({ ...CLAIMS, nbf: "now" as never })],
    ["of an account that is a list", () => sign({ ...CLAIMS, account_id: [ACCOUNT] })],
    ["of conditions nobody here knows", () => critical({ alg: "HS256", crit: ["exp"], exp: 1 })],
    ["of a payload that is not encoded", () => critical({ alg: "HS256", crit: ["b64"], b64: false })],
    ["of an empty list of conditions", () => critical({ alg: "HS256", crit: [] })],
    ["encrypted", async () => `${encode({ alg: "dir", enc: "A256GCM" })}..AAAA.AAAA.AAAA`],
    ["garbage", async () => "a.b.c"],
    ["an array", async () => `${encode({ alg: "HS256" })}.${encode([])}.AAAA`],
  ];
  test.each(refused)("a token is refused that is %s", async (_, make) => {
    expect(await verifier.verify(await make())).toBeNull();
  });

  test("issuer and audience are checked if they are configured", async () => {
    const settings = { keys: { secret: SECRET }, issuer: "https://id.example", audience: "hermod" };
    const strict = new JwtVerifier(settings, clock);
    expect(
      await strict.verify(await sign({ ...CLAIMS, iss: "https://id.example", aud: "hermod" })),
    ).not.toBeNull();
    expect(
      await strict.verify(await sign({ ...CLAIMS, iss: "https://id.example", aud: "other" })),
    ).toBeNull();
    expect(await strict.verify(await sign({ ...CLAIMS, aud: "hermod" }))).toBeNull();
    const near = { iss: "https://id.example/", aud: "hermod" };
    expect(await strict.verify(await sign({ ...CLAIMS, ...near }))).toBeNull();
    expect(await strict.verify(await sign({ ...CLAIMS, iss: "https://id.example" }))).toBeNull();
    expect(
      await strict.verify(await sign({ ...CLAIMS, ...near, iss: ["https://id.example"] as never })),
    ).toBeNull();
    const several = { iss: "https://id.example", aud: ["other", "hermod"] };
    expect(await strict.verify(await sign({ ...CLAIMS, ...several }))).not.toBeNull();
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
    verifier = new JwtVerifier({ ...ANYONE, keys: { setUrl: server.url.href } }, clock);
  });
  afterAll(() => server.stop(true));

  test.each([
    ["RS256", 0],
    ["ES256", 1],
    ["EdDSA", 2],
  ])("a token signed with %s is accepted", async (alg, i) => {
    const privateKey = (await key)[i]?.privateKey;
    const token = await sign(CLAIMS, { alg, key: privateKey, header: { kid: `${i}` } });
    expect(await verifier.verify(token)).toMatchObject({ accountId: DEFAULT_ACCOUNT });
  });

  test("a token signed with a secret is refused, even if the secret is the public key", async () => {
    expect(await verifier.verify(await sign(CLAIMS))).toBeNull();
    for (const [kid, { publicKey }] of (await key).entries()) {
      const jwk = await exportJWK(publicKey);
      const pem = await exportSPKI(publicKey);
      for (const text of [JSON.stringify(jwk), pem, pem.trim(), jwk.n ?? jwk.x ?? ""]) {
        const secret = new TextEncoder().encode(text);
        const header = { kid: `${kid}` };
        expect(await verifier.verify(await sign(CLAIMS, { key: secret, header }))).toBeNull();
        const sourceKey = { key: secret, alg: "HS512", header };
        expect(await verifier.verify(await sign(CLAIMS, sourceKey))).toBeNull();
      }
    }
  });

  test("a token is checked with the key that it names, by that key's algorithm", async () => {
    const [rsa, ec, ed] = (await key).map(({ privateKey }) => privateKey);
    const wrong: Signing[] = [
      { alg: "RS256", key: rsa, header: { kid: "1" } },
      { alg: "ES256", key: ec, header: { kid: "0" } },
      { alg: "EdDSA", key: ed, header: { kid: "1" } },
      { alg: "PS256", key: await sameKey(rsa, "RSA-PSS"), header: { kid: "0" } },
      { alg: "RS256", key: rsa, header: { kid: "../0" } },
    ];
    for (const signing of wrong) expect(await verifier.verify(await sign(CLAIMS, signing))).toBeNull();
    expect(await verifier.verify(unsigned({ alg: "none", kid: "0" }))).toBeNull();
  });

  test.each(["jku", "x5u"])("no address in a token's %s is fetched", async (name) => {
    let asked = 0;
    const fetch = () => Response.json({ keys: [], n: ++asked });
    const stranger = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch });
    const own = await generateKeyPair("RS256");
    for (const privateKey of [own.privateKey, (await key)[0]?.privateKey]) {
      const header = { kid: "0", [name]: stranger.url.href, x5c: ["MIIB"], x5t: "AAAA" };
      const claims = await verifier.verify(await sign(CLAIMS, { alg: "RS256", key: privateKey, header }));
      expect(claims === null).toBe(privateKey === own.privateKey);
    }
    expect(asked).toBe(0);
    await stranger.stop(true);
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

  async function expectNoAnswer(setUrl: string): Promise<void> {
    const away = new JwtVerifier({ ...ANYONE, keys: { setUrl } }, clock);
    const token = await sign(CLAIMS, { alg: "ES256", key: (await key)[1]?.privateKey });
    await expect(away.verify(token)).rejects.toBeInstanceOf(KeySetUnavailable);
  }

  test("while the key set can't be fetched, no token is judged", () =>
    expectNoAnswer("http://127.0.0.1:9/keys"));

  test.each<[string, () => Response]>([
    ["an error", () => new Response("no", { status: 503 })],
    ["no JSON", () => new Response("<html>")],
    ["no key set", () => Response.json({ error: "later" })],
    ["longer than its limit", () => Response.json({ keys: ["a".repeat(KEY_SET_LIMIT)] })],
  ])("while the fetched key set is %s, no token is judged", async (_, fetch) => {
    const other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch });
    await expectNoAnswer(other.url.href);
    await other.stop(true);
  });

  test("while the key set does not arrive in time, no token is judged", async () => {
    const late = AbortSignal.abort(new DOMException("late", "TimeoutError"));
    const timeout = spyOn(AbortSignal, "timeout").mockReturnValue(late);
    await expectNoAnswer(server.url.href);
    timeout.mockRestore();
  });
});

test("any text with three parts is taken for a token", () => {
  expect(["a.b.c", "a.b."].map(looksLikeJwt)).toEqual([true, true]);
  expect(["", "a", "a.b", ".b.c", "a..c", "a.b.c.d"].map(looksLikeJwt)).toEqual(Array(6).fill(false));
});

describe("authentication with a token", () => {
  let database: TestDatabase;
  let authenticator: Authenticator;

  beforeAll(async () => {
    database = await testDatabase();
    authenticator = new Authenticator({
      db: database.db,
      clock,
      jwt: { ...ANYONE, keys: { secret: SECRET } },
    });
  });
  afterAll(() => database.drop());

  test("gives its account's plan until it expires, the second time without a look-up", async () => {
    const token = await sign({ ...CLAIMS, exp: clock.now() / 1_000 + 1 });
    const principal = await authenticator.authenticate(token);
    expect(principal).toMatchObject({ accountId: DEFAULT_ACCOUNT, keyId: null, plan: "unlimited" });
    expect(principal?.requestsPerMinute).toBeNull();
    expect(authenticator.authenticate(token)).toEqual(principal);
    clock.pass(1_000);
    expect(authenticator.authenticate(token)).toBeNull();
  });

  test("refuses a token of more than 8,192 characters unread, even if it is well signed", async () => {
    const padded = (length: number) => sign({ ...CLAIMS, padding: "x".repeat(length) });
    expect(await authenticator.authenticate(await padded(5_000))).toMatchObject({
      accountId: DEFAULT_ACCOUNT,
    });
    const huge = await padded(1_000_000);
    expect(authenticator.authenticate(huge)).toBeNull();
    expect(authenticator.authenticate(await padded(7_000))).toBeNull();
  });

  test("checks an admin key that looks like a token as a key", async () => {
    const key = "an.admin-key.with-two-full-stops";
    expect(looksLikeJwt(key)).toBe(true);
    await new ApiKeys(database.db).ensureAdminKey(key);
    expect(await authenticator.authenticate(key)).toMatchObject({ accountId: DEFAULT_ACCOUNT });
    expect(await authenticator.authenticate(`${key}!`)).toBeNull();
  });

  test("needs an account that exists", async () => {
    const token = await sign({ ...CLAIMS, account_id: toText("acc", newId("acc")) });
    expect(await authenticator.authenticate(token)).toBeNull();
  });
});

/** Returns a token with this head and valid claims, without a signature. */
function unsigned(header: object): string {
  return `${encode(header)}.${encode({ ...CLAIMS, exp: inAMinute })}.`;
}

/** Returns a token with a valid signature by the secret, whatever its head demands. */
async function critical(header: object): Promise<string> {
  const input = unsigned(header).slice(0, -1);
  const hash = new Bun.CryptoHasher("sha256", SECRET).update(input).digest();
  return `${input}.${hash.toString("base64url")}`;
}

/** The same RSA key, for another algorithm. */
async function sameKey(key: CryptoKey | undefined, name: string): Promise<CryptoKey | undefined> {
  if (!key) return undefined;
  const jwk = await crypto.subtle.exportKey("jwk", key);
  const { alg: _, ...plain } = jwk;
  return crypto.subtle.importKey("jwk", plain, { name, hash: "SHA-256" }, true, ["sign"]);
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
