import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { isGuessable } from "../../src/runtime/text/guessable";
import { readConfig } from "../../src/service/config";
import { ConfigError } from "../../src/service/environment";

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

const repeated = (text: string, length = 64) => text.repeat(length).slice(0, length);
const base64 = (bytes: Uint8Array | number[]) => Buffer.from(bytes).toString("base64");
const counting = Array.from({ length: 32 }, (_, i) => i);
const TYPED = [
  ...["a", "0", "xy", "abc", "secret", "changeme", "password1", "0123456789", "Hunter2-hunter2-"].map(
    (text) => repeated(text),
  ),
  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN",
  "98765432109876543210987654321098",
];

describe.each(["HERMOD_ADMIN_KEY", "HERMOD_JWT_SECRET"])("%s", (name) => {
  test.each(TYPED)("is refused if it is %s", (secret) => {
    const problems = problemsOf({ [name]: secret });
    expect(problems).toEqual([
      expect.stringMatching(new RegExp(`^${name} is guessable; use .*openssl rand -hex 32`)),
    ]);
    expect(problems.join()).not.toContain(secret);
  });
});

test.each([
  ["of zeros", base64(Buffer.alloc(32))],
  ["of one byte", base64(Buffer.alloc(32, 0xff))],
  ["of a repeated word", base64(Buffer.alloc(32, "changeme"))],
  ["that counts", base64(counting)],
  ["with a good one before it", `${base64(randomBytes(32))},old:${base64(Buffer.alloc(32, 7))}`],
])("HERMOD_ENCRYPTION_KEY is refused %s", (_, keys) => {
  const problems = problemsOf({ HERMOD_ENCRYPTION_KEY: keys });
  expect(problems).toEqual([
    expect.stringMatching(/^HERMOD_ENCRYPTION_KEY .*key [12] is guessable; use .*openssl rand/),
  ]);
});

test("random secrets are accepted, in any common encoding", () => {
  for (const spelling of ["hex", "base64", "base64url"] as const) {
    for (let i = 0; i < 1_000; i++) {
      const secret = randomBytes(32);
      expect(isGuessable(secret)).toBe(false);
      expect(isGuessable(Buffer.from(secret.toString(spelling)))).toBe(false);
      expect(isGuessable(Buffer.from(secret.toString(spelling).slice(0, 20)))).toBe(false);
    }
  }
});

test("any secret that repeats a shorter text is refused", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 16 }), (text) => {
      expect(isGuessable(Buffer.from(repeated(text, 64)))).toBe(true);
    }),
  );
});

test("in production the keys of JWTs are fetched only over https", () => {
  const production = {
    NODE_ENV: "production",
    HERMOD_PUBLIC_URL: "https://hooks.example.com",
    DATABASE_URL: "postgres://db.internal/hermod",
    NATS_URL: "nats://nats.internal:4222",
    HERMOD_ADMIN_KEY: randomBytes(32).toString("hex"),
    HERMOD_ENCRYPTION_KEY: base64(randomBytes(32)),
  };
  for (const url of ["http://id.example.com/keys", "HTTP://id.example.com/keys", "http://127.0.0.1/keys"]) {
    const problems = problemsOf({ ...production, HERMOD_JWKS_URL: url });
    expect(problems).toEqual([
      expect.stringMatching(/^HERMOD_JWKS_URL must begin with https:\/\/ when NODE_ENV/),
    ]);
    expect(problemsOf({ HERMOD_JWKS_URL: url })).toEqual([]);
  }
  expect(problemsOf({ ...production, HERMOD_JWKS_URL: "https://id.example.com/keys" })).toEqual([]);
});
