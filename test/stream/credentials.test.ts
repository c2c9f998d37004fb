import { expect, setDefaultTimeout, test } from "bun:test";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { nkeys } from "nats";
import { natsBinary } from "../../src/embedded/nats-binary";
import { onPort } from "../../src/embedded/port";
import { createLog } from "../../src/runtime/log";
import { credentialsIn, StreamConnection } from "../../src/stream/connection";
import { makeFolder } from "../embedded/folder";
import { until } from "../support/faults/until";
import { NATS_COMMAND } from "../support/nats-command";

setDefaultTimeout(120_000);

type KeyPair = { getPublicKey(): string; getSeed(): Uint8Array; sign(text: Uint8Array): Uint8Array };

const base64 = (text: string | Uint8Array) => Buffer.from(text).toString("base64url");
const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString();

/** A JWT of NATS' decentralized authentication, version 2. */
function jwt(issuer: KeyPair, subject: KeyPair, kind: string, claims: object, expiresAt?: number): string {
  const body = {
    jti: crypto.randomUUID(),
    iat: Math.floor(Date.now() / 1_000),
    iss: issuer.getPublicKey(),
    sub: subject.getPublicKey(),
    name: kind,
    ...(expiresAt !== undefined && { exp: expiresAt }),
    nats: { type: kind, version: 2, ...claims },
  };
  const text = `${base64('{"typ":"JWT","alg":"ed25519-nkey"}')}.${base64(JSON.stringify(body))}`;
  return `${text}.${base64(issuer.sign(Buffer.from(text)))}`;
}

const [operator, account, user]: [KeyPair, KeyPair, KeyPair] = [
  nkeys.createOperator(),
  nkeys.createAccount(),
  nkeys.createUser(),
];

function credentials(expiresAt?: number): string {
  const claims = { pub: {}, sub: {}, subs: -1, data: -1, payload: -1 };
  const token = jwt(account, user, "user", claims, expiresAt);
  return [
    `-----BEGIN NATS USER JWT-----\n${token}\n------END NATS USER JWT------\n`,
    `-----BEGIN USER NKEY SEED-----\n${textOf(user.getSeed())}\n------END USER NKEY SEED------\n`,
  ].join("\n");
}

/** A server that knows users by JWT alone. */
async function startServer(folder: string) {
  const limits = {
    subs: -1,
    data: -1,
    payload: -1,
    conn: -1,
    leaf: -1,
    imports: -1,
    exports: -1,
    wildcards: true,
  };
  const accountToken = jwt(operator, account, "account", { limits });
  return onPort(join(folder, "port"), undefined, async (port) => {
    const config = join(folder, "nats.conf");
    const lines = [
      `listen: "127.0.0.1:${port}"`,
      `operator: "${jwt(operator, operator, "operator", {})}"`,
      "resolver: MEMORY",
      `resolver_preload: { ${account.getPublicKey()}: "${accountToken}" }`,
    ];
    await writeFile(config, lines.join("\n"));
    const command = NATS_COMMAND ?? (await natsBinary({ dataDir: folder }));
    const server = Bun.spawn([command, "-c", config], { stdout: "ignore", stderr: "ignore" });
    const end = async () => {
      server.kill();
      await server.exited;
    };
    return { url: `nats://127.0.0.1:${port}`, [Symbol.asyncDispose]: end };
  });
}

test("a credentials file is used, and read again after its renewal", async () => {
  await using folder = await makeFolder();
  await using server = await startServer(folder.path);
  const file = join(folder.path, "user.creds");
  const soon = Math.floor(Date.now() / 1_000) + 5;
  await writeFile(file, credentials(soon));
  const connection = new StreamConnection(server.url, createLog("silent"), file);
  const stranger = new StreamConnection(server.url, createLog("silent"));
  await until(() => connection.live, { what: "a connection" });
  // The server ends the connection when the JWT expires.
  await until(() => connection.live === null, { what: "the end of what has expired" });
  await writeFile(`${file}.new`, credentials());
  await rename(`${file}.new`, file);
  await until(() => connection.live, { what: "a connection with what was renewed" });
  expect(stranger.live).toBeNull();
  await Promise.all([connection.close(), stranger.close()]);
});

test("while a file is missing or half written, the former credentials apply", async () => {
  await using folder = await makeFolder();
  const file = join(folder.path, "user.creds");
  await writeFile(file, credentials());
  const authenticate = credentialsIn(file);
  const first = authenticate("a nonce");
  expect(first).toMatchObject({ jwt: expect.any(String) });
  await writeFile(file, credentials().slice(0, 100));
  expect(authenticate("a nonce")).toEqual(first);
  await rm(file);
  expect(authenticate("a nonce")).toEqual(first);
});

test("an unusable file is reported at once", async () => {
  await using folder = await makeFolder();
  const file = join(folder.path, "user.creds");
  expect(() => credentialsIn(file)).toThrow("ENOENT");
  await writeFile(file, "a token");
  expect(() => credentialsIn(file)).toThrow("has no JWT and seed");
});
