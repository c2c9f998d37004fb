import { describe, expect, test } from "bun:test";
import { SignJWT } from "jose";
import { StringCodec } from "nats";
import { ADMIN_KEY_ID } from "../../src/accounts/api-keys";
import { JwtVerifier } from "../../src/accounts/authentication/jwt";
import type { Voucher } from "../../src/accounts/authentication/voucher";
import type { Whereabouts } from "../../src/cells/directory";
import { answerForAdministrators, voucherKeyOf } from "../../src/cells/voucher-questions";
import { Vouching } from "../../src/cells/vouching";
import { type AccountId, type KeyId, newId, toText } from "../../src/domain/ids";
import { systemClock } from "../../src/runtime/clock";
import { natsClient, streamConnection } from "../support/nats-client";
import { testNatsUrl } from "../support/servers";

const url = await testNatsUrl();
const nats = await natsClient(url);
const connection = await streamConnection(url);

const text = StringCodec();
const [key, otherKey] = ["the admin key of all cells", "another cell's admin key"].map(voucherKeyOf) as [
  Uint8Array,
  Uint8Array,
];
const JWT_SECRET = "the secret of all cells' JWTs, of 32 characters";
const JWT_KEY = new TextEncoder().encode(JWT_SECRET);
const jwt = new JwtVerifier({ keys: { secret: JWT_SECRET }, issuer: null, audience: null }, systemClock);
const voucher: Voucher = {
  accountId: "00000000-0000-7000-8000-000000000001" as AccountId,
  keyId: "00000000-0000-7000-8000-00000000000a" as KeyId,
  keyName: "Chief",
  permissions: ["admin"],
  expiresAt: null,
  plan: "unlimited",
  requestsPerMinute: null,
  session: null,
};

/** A cell that believes a home, which has every token. The caller makes the home answer. */
function cellBeside({
  forget = () => {},
  place = "cell",
}: {
  forget?: () => void;
  place?: "cell" | "nowhere";
} = {}) {
  const home = crypto.randomUUID();
  const cells = [{ name: home, url: "http://127.0.0.1:9" }];
  const directory = { find: async () => ({ kind: place, name: home }) as Whereabouts, forget };
  return { home, vouching: new Vouching({ connection, directory, cells, key, jwt, clock: systemClock }) };
}

/** Answers a home's questions by what a forger makes of them. */
function forge(home: string, answerTo: (question: string) => string | Promise<string>): Promise<void> {
  nats.subscribe(`hermod.cells.${home}.vouches`, {
    callback: async (_, message) => message.respond(text.encode(await answerTo(text.decode(message.data)))),
  });
  return nats.flush();
}

/** Makes a home answer as cells do. Returns the hashes that it is asked for. */
async function answer(home: string, by: Uint8Array, found: Voucher | null): Promise<string[]> {
  const asked: string[] = [];
  answerForAdministrators({ nats, key: by }, home, async (hash) => {
    asked.push(hash);
    return found;
  });
  await nats.flush();
  return asked;
}

const token = () => `a token of an administrator ${crypto.randomUUID()}`;
const hashOf = (of: string) => Bun.SHA256.hash(of, "hex");
const claimsOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split(".")[1] ?? "", "base64url").toString());

/** Returns the audience of the right answer. */
const audienceIn = (question: string) => String(claimsOf(question).aud).replace("question", "answer");

/** Returns a JWT of an account that another cell has. */
function jwtBy(by: Uint8Array, permissions: string[], exp = Date.now() / 1_000 + 60): Promise<string> {
  return seal(by, { account_id: toText("acc", newId("acc")), permissions, exp });
}

function seal(by: Uint8Array, claims: Record<string, unknown>): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).sign(by);
}

describe("a cell", () => {
  test("admits the administrator for whom another cell vouches, and asks it again for a change", async () => {
    const { home, vouching } = cellBeside();
    const asked = await answer(home, key, voucher);
    const chief = token();
    const principals = [
      await vouching.admit(chief, false),
      await vouching.admit(chief, false),
      await vouching.admit(chief, true),
    ];
    for (const principal of principals)
      expect(principal).toMatchObject({ keyId: null, vouched: { keyName: "Chief", cell: { name: home } } });
    expect(asked).toEqual([hashOf(chief), hashOf(chief)]);
  });

  test("asks for a change behind a question that is under way, whose answer may be older than a revocation", async () => {
    const { home, vouching } = cellBeside();
    const first = Promise.withResolvers<Voucher>();
    const answers = [first.promise, Promise.resolve(null)];
    const begun = Promise.withResolvers<void>();
    answerForAdministrators({ nats, key }, home, async () => {
      begun.resolve();
      return (await answers.shift()) ?? null;
    });
    await nats.flush();
    const chief = token();
    const reading = vouching.admit(chief, false);
    await begun.promise;
    const changing = vouching.admit(chief, true);
    first.resolve(voucher);
    expect(await reading).not.toBeNull();
    expect(await changing).toBeNull();
    expect(await vouching.admit(chief, false)).toBeNull();
  });

  test("admits no session behind its end", async () => {
    const { home, vouching } = cellBeside();
    const session = { id: newId("ses"), endsAt: Date.now() - 1, person: null };
    await answer(home, key, { ...voucher, session });
    expect(await vouching.admit(token(), false)).toBeNull();
  });

  test("knows the admin key's session as one of its own admin key", async () => {
    const { home, vouching } = cellBeside();
    await answer(home, key, { ...voucher, keyId: ADMIN_KEY_ID });
    expect(await vouching.admit(token(), false)).toMatchObject({ keyId: ADMIN_KEY_ID });
  });

  test("believes no answer that is forged, repeated, or of another question", async () => {
    const earlier: string[] = [];
    const forgeries: Record<string, (question: string) => string | Promise<string>> = {
      unsigned: (question) => {
        const { jti, sub } = claimsOf(question);
        const parts = [{ alg: "none" }, { jti, sub, voucher, aud: audienceIn(question) }];
        return `${parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".")}.`;
      },
      "by another key": (question) =>
        seal(otherKey, { ...claimsOf(question), voucher, aud: audienceIn(question) }),
      "the question itself": (question) => question,
      "no text of this form": () => "{}",
    };
    for (const [name, answerTo] of Object.entries(forgeries)) {
      const { home, vouching } = cellBeside();
      await forge(home, answerTo);
      expect([name, await vouching.admit(token(), false)]).toEqual([name, null]);
    }
    const { home, vouching } = cellBeside();
    await forge(home, async (question) => {
      const { jti, sub } = claimsOf(question);
      earlier.push(await seal(key, { jti, sub, voucher, aud: `answer ${home}` }));
      return earlier[0] ?? "";
    });
    const [chief, other] = [token(), token()];
    expect(await vouching.admit(chief, false)).not.toBeNull();
    expect(await vouching.admit(other, false)).toBeNull();
    expect(await vouching.admit(chief, true)).toBeNull();
  });

  test("forgets where a token was that its cell does not vouch for, since it may be in another one by now", async () => {
    let forgotten = 0;
    const { home, vouching } = cellBeside({ forget: () => forgotten++ });
    await answer(home, key, null);
    const moved = token();
    expect(await vouching.admit(moved, false)).toBeNull();
    expect(await vouching.admit(moved, true)).toBeNull();
    expect(forgotten).toBe(1);
  });

  test("answers nothing about administrators to a cell with another admin key", async () => {
    const { home, vouching } = cellBeside();
    const asked = await answer(home, otherKey, voucher);
    expect(await vouching.admit(token(), false)).toBeNull();
    expect(asked).toEqual([]);
  });

  test("asks no other cell about portal sessions, JWTs and mistyped keys", async () => {
    const { home, vouching } = cellBeside();
    const asked = await answer(home, key, voucher);
    for (const each of [
      `hmp_${"a".repeat(43)}`,
      `hml_${"a".repeat(43)}`,
      "hmd_mistyped",
      await jwtBy(JWT_KEY, ["admin"]),
    ])
      await vouching.admit(each, true);
    expect(asked).toEqual([]);
  });

  test("admits the JWT of an administrator whose account is in another cell, and no other JWT", async () => {
    const { home, vouching } = cellBeside();
    const visitor = await vouching.admit(await jwtBy(JWT_KEY, ["admin"]), true);
    expect(visitor).toMatchObject({ keyId: null, session: null, vouched: { cell: { name: home } } });
    const refused = [
      await jwtBy(JWT_KEY, ["endpoints:read"]),
      await jwtBy(otherKey, ["admin"]),
      await jwtBy(JWT_KEY, ["admin"], Date.now() / 1_000 - 1),
    ];
    for (const each of refused) expect(await vouching.admit(each, true)).toBeNull();
    const nowhere = cellBeside({ place: "nowhere" }).vouching;
    expect(await nowhere.admit(await jwtBy(JWT_KEY, ["admin"]), true)).toBeNull();
  });
});
