import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { SignJWT } from "jose";
import { Webhook } from "standardwebhooks";
import { newKey } from "../../src/accounts/authentication/api-key";
import { type Answer, answerOf, type Json } from "../http/client";
import { Cluster } from "../support/faults/cluster";
import type { HermodProcess } from "../support/faults/hermod-process";
import { until } from "../support/faults/until";
import { dumpDatabase } from "../support/secrets/dump";
import { type Corpus, findSecrets, type Secret } from "../support/secrets/search";

setDefaultTimeout(120_000);

const random = (bytes = 32) => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("base64");
const OLD_KEY = random();
const NEW_KEY = random();
const ADMIN_KEY = newKey();
const JWT_SECRET = random(48);

/** Everything that must stay secret. */
const secrets: Secret[] = [
  { name: "old encryption key", text: OLD_KEY },
  { name: "new encryption key", text: NEW_KEY },
  { name: "admin key", text: ADMIN_KEY },
  { name: "JWT secret", text: JWT_SECRET },
];
/** Every answer, except those whose purpose is to show a secret. */
const answers: Corpus[] = [];

type Received = { path: string; headers: Record<string, string>; body: string };
const received: Received[] = [];
/** The endpoint whose receiver verifies signatures. */
let verifying: Json | null = null;

let cluster: Cluster;
let api: HermodProcess;
let dispatchers: HermodProcess[];
let receiver: Bun.Server<undefined>;

beforeAll(async () => {
  receiver = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const path = new URL(request.url).pathname;
      const got = { path, headers: Object.fromEntries(request.headers), body: await request.text() };
      received.push(got);
      if (path === verifying?.path && signersOf(got, { own: verifying.signing_secret }).names.length === 0)
        return new Response("wrong signature", { status: 401 });
      return path.startsWith("/broken") ? new Response("broken", { status: 500 }) : new Response("ok");
    },
  });
  const env = {
    NODE_ENV: "production",
    HERMOD_PUBLIC_URL: "https://hooks.example.com",
    HOST: "127.0.0.1",
    HERMOD_ALLOW_PRIVATE_NETWORKS: "all",
    HERMOD_LOG_LEVEL: "trace",
    HERMOD_ADMIN_KEY: ADMIN_KEY,
    HERMOD_ENCRYPTION_KEY: `old:${OLD_KEY}`,
    HERMOD_JWT_SECRET: JWT_SECRET,
    HERMOD_LEASE_TTL: "1s",
  };
  cluster = await Cluster.start({ postgres: "shared", env });
  [api, ...dispatchers] = await Promise.all([
    cluster.launch("api", "api"),
    cluster.launch("first", "dispatcher"),
    cluster.launch("second", "dispatcher"),
  ]);
  const servers = [await cluster.databaseUrl(), cluster.nats.url].map((url) => new URL(url));
  for (const { protocol, password } of servers)
    secrets.push({ name: `password of ${protocol}`, text: password });
});
afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
  await receiver.stop(true);
});

const SHOWS_SECRET = /^POST \/(endpoints(\/\w+\/rotate-secret)?|keys|admin\/accounts\/\w+\/keys) 201$/;

async function ask(method: string, path: string, body?: unknown, key = ADMIN_KEY): Promise<Answer> {
  const answer = await answerOf(
    await fetch(`${api.url}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    }),
  );
  const name = `${method} ${path} ${answer.status}`;
  const text = `${JSON.stringify([...answer.headers])} ${answer.text}`;
  if (!SHOWS_SECRET.test(name)) answers.push({ name, text });
  for (const field of ["signing_secret", "key"]) {
    const shown = answer.body?.[field];
    if (typeof shown === "string") secrets.push({ name: `${field} of ${name}`, text: shown });
  }
  return answer;
}

async function made(method: string, path: string, body?: unknown): Promise<Json> {
  const { status, text, body: json } = await ask(method, path, body);
  expect({ status, text }).toEqual({ status: method === "POST" ? 201 : 200, text });
  return json;
}

let paths = 0;
const newEndpoint = async (fields: object = {}, prefix = "hook") => {
  const path = `/${prefix}/${++paths}`;
  return {
    ...(await made("POST", "/endpoints", { url: new URL(path, receiver.url).href, ...fields })),
    path,
  };
};

/** Sends a webhook and returns the request that its receiver got. */
async function delivered(endpoint: Json): Promise<Received> {
  const before = received.length;
  await made("POST", "/webhooks", { endpoint_id: endpoint.id, event: "a.b", data: { n: before } });
  return until(() => received.slice(before).find(({ path }) => path === endpoint.path), {
    what: `a delivery to ${endpoint.path}`,
  });
}

/** Returns which of these secrets signed a request, and how many signatures it has. */
function signersOf({ headers, body }: Received, candidates: Record<string, string>) {
  const verifies = (secret: string) => {
    try {
      new Webhook(secret).verify(body, headers);
      return true;
    } catch {
      return false;
    }
  };
  const names = Object.keys(candidates).filter((name) => verifies(candidates[name] ?? ""));
  return { names, count: headers["webhook-signature"]?.split(" ").length };
}

async function texts(): Promise<Corpus[]> {
  const folder = join(cluster.folder, "logs");
  const files = await readdir(folder);
  return Promise.all(files.map(async (name) => ({ name, text: await readFile(join(folder, name), "utf8") })));
}

describe("a rotated secret", () => {
  test("overlaps in every dispatcher, and expires on time without a notification", async () => {
    // Enough endpoints that both dispatchers have some.
    const endpoints = await Promise.all(Array.from({ length: 12 }, () => newEndpoint()));
    const OVERLAP_S = 2;
    const follow = async (endpoint: Json) => {
      const old = endpoint.signing_secret;
      expect(signersOf(await delivered(endpoint), { old })).toEqual({ names: ["old"], count: 1 });
      const rotation = await made("POST", `/endpoints/${endpoint.id}/rotate-secret`, { overlap: OVERLAP_S });
      const both = { fresh: rotation.signing_secret, old };
      const during = await delivered(endpoint);
      const isDuring = Date.now() < Date.parse(rotation.previous_secret_expires_at);
      if (isDuring) expect(signersOf(during, both)).toEqual({ names: ["fresh", "old"], count: 2 });
      await until(() => Date.now() >= Date.parse(rotation.previous_secret_expires_at), { what: "the end" });
      expect(signersOf(await delivered(endpoint), both)).toEqual({ names: ["fresh"], count: 1 });
      return isDuring;
    };
    const seen = await Promise.all(endpoints.map(follow));
    // A machine that stalls for the whole overlap shows nothing about it, but not every time.
    expect(seen.filter(Boolean).length).toBeGreaterThan(0);
  });

  test("without overlap is the only one from the next attempt on", async () => {
    const endpoint = await newEndpoint();
    await delivered(endpoint);
    const { signing_secret: fresh } = await made("POST", `/endpoints/${endpoint.id}/rotate-secret`, {
      overlap: 0,
    });
    await delivered(endpoint);
    const old = endpoint.signing_secret;
    expect(signersOf(await delivered(endpoint), { fresh, old })).toEqual({ names: ["fresh"], count: 1 });
  });
});

test("a forged test event shows whether a receiver verifies, and affects no later delivery", async () => {
  const careless = await newEndpoint();
  verifying = await newEndpoint();
  const tried = async ({ id }: Json, body: object) => {
    const sent = await made("POST", `/endpoints/${id}/test`, body);
    return until(
      async () => {
        const found = await made("GET", `/webhooks/${sent.id}`);
        return found.status === "pending" ? null : found;
      },
      { what: "the end of a test event" },
    );
  };
  expect(await tried(verifying, {})).toMatchObject({ event: "hermod.test", status: "delivered" });
  expect(await tried(verifying, { forged: true })).toMatchObject({
    event: "hermod.test.forged",
    status: "cancelled",
    cancel_reason: "forgery_refused",
    attempts: [{ status: 401, error: null, response_body: "wrong signature" }],
  });
  expect(await tried(careless, { forged: true })).toMatchObject({
    status: "failed",
    attempts: [{ status: 200, error: "forgery_accepted" }],
  });
  const [genuine, forged] = received.filter(({ path }) => path === verifying?.path);
  expect(forged?.headers["webhook-event"]).toBe(genuine?.headers["webhook-event"] ?? "");
  expect(forged?.headers["webhook-signature"]).toMatch(/^v1,[\w+/]{43}=$/);
  // The next delivery goes out at once, after any answer.
  for (const endpoint of [verifying, careless]) {
    await delivered(endpoint);
    expect((await made("GET", `/endpoints/${endpoint.id}`)).health).toMatchObject({
      state: "healthy",
      last_failure: null,
      filter_errors: null,
    });
  }
  expect(await made("GET", "/webhooks?error=forgery_accepted&limit=5")).toMatchObject({
    data: [{ endpoint_id: careless.id }],
  });
});

test("headers are sent from the next attempt on, until they are removed", async () => {
  const value = `Bearer ${random()}`;
  secrets.push({ name: "secret header", text: value });
  const headers = { "X-Shop": "north", Authorization: value };
  const endpoint = await newEndpoint({ headers, sensitive_headers: ["authorization"] });
  const first = await delivered(endpoint);
  expect(first.headers).toMatchObject({ "x-shop": "north", authorization: value });
  expect(first.headers["content-type"]).toBe("application/json");
  await made("PATCH", `/endpoints/${endpoint.id}`, {
    headers: { "x-shop": "south" },
    sensitive_headers: [],
  });
  const second = await delivered(endpoint);
  expect([second.headers["x-shop"], second.headers.authorization]).toEqual(["south", undefined]);
  await made("PATCH", `/endpoints/${endpoint.id}`, { headers: null });
  expect((await delivered(endpoint)).headers).not.toHaveProperty("x-shop");
});

test("an encryption key can be replaced and removed, and endpoints made before are still signed for", async () => {
  const endpoint = await newEndpoint({ headers: { "x-a": "sealed as well" }, sensitive_headers: ["x-a"] });
  const successor = { HERMOD_ENCRYPTION_KEY: `new:${NEW_KEY},old:${OLD_KEY}` };
  const next = await cluster.launch("next-api", "api", successor);
  const isResealed = async () =>
    (await texts()).some(({ text }) => text.includes("former keys can be removed"));
  await until(isResealed, { what: "everything sealed by the new key", pollMs: 50 });
  await Promise.all([api, ...dispatchers].map((each) => each.terminate()));
  api = next;
  await cluster.launch("third", "dispatcher", { HERMOD_ENCRYPTION_KEY: `new:${NEW_KEY}` });
  const request = await delivered(endpoint);
  expect(signersOf(request, { own: endpoint.signing_secret })).toEqual({ names: ["own"], count: 1 });
  expect(request.headers["x-a"]).toBe("sealed as well");
});

describe("no secret is revealed", () => {
  const plant: Corpus[] = [];

  beforeAll(async () => {
    await useEverything();
    await failEverywhere();
    plant.push(...(await texts()), ...(await dumpDatabase(await cluster.databaseUrl())), ...answers);
  });

  test("logs, errors, lists and the database hold none", () => {
    expect(secrets.length).toBeGreaterThan(25);
    expect(plant.length).toBeGreaterThan(50);
    expect(findSecrets(plant, secrets)).toEqual([]);
  });

  test("the search would find each of them", () => {
    for (const secret of secrets) {
      const place = { name: "here", text: `{"level":10,"msg":"it was ${secret.text}."}` };
      expect(findSecrets([place], [secret])).toEqual([`${secret.name} in here`]);
    }
  });
});

/** Uses keys, tokens, replays and lists. */
async function useEverything(): Promise<void> {
  const account = await made("POST", "/admin/accounts", { name: "shop", plan: "unlimited" });
  const { key } = await made("POST", `/admin/accounts/${account.id}/keys`, { permissions: ["keys:write"] });
  await ask("POST", "/keys", { permissions: ["keys:write"] }, key);
  const token = await tokenFor(account.id, "1m");
  expect((await ask("GET", "/endpoints", undefined, token)).status).toBe(200);
  const broken = await newEndpoint(
    { headers: { cookie: random() }, sensitive_headers: ["cookie"] },
    "broken",
  );
  const sent = await made("POST", "/webhooks", { endpoint_id: broken.id, data: {} });
  await until(() => received.some(({ path }) => path === broken.path), { what: "a failure" });
  const lists = ["/endpoints", "/endpoints?limit=100", "/webhooks", "/keys", "/admin/accounts", "/stats"];
  const looks = [`/endpoints/${broken.id}`, `/webhooks/${sent.id}`, `/admin/accounts/${account.id}/keys`];
  for (const path of [...lists, ...looks]) expect((await ask("GET", path)).status).toBe(200);
}

/** Sends refused requests that contain secrets, and starts processes that fail or cannot decrypt. */
async function failEverywhere(): Promise<void> {
  const secret = random();
  secrets.push({ name: "refused header", text: secret });
  const { id } = await newEndpoint();
  const statuses = await Promise.all([
    ask("PATCH", `/endpoints/${id}`, { headers: { "x-a": `${secret}\n` }, sensitive_headers: ["x-a"] }),
    ask("PATCH", `/endpoints/${id}`, { headers: { host: secret } }),
    ask("PATCH", `/endpoints/${id}`, `{"headers":{"x-a":"${secret}"`),
    ask("POST", "/endpoints", { url: `https://user:${encodeURIComponent(secret)}@example.com` }),
    ask("POST", `/endpoints/${id}/rotate-secret`, { overlap: secret }),
    ask("GET", "/endpoints", undefined, newSecretKey()),
    ask("GET", "/endpoints", undefined, newSecretKey().slice(0, -1)),
    ask("GET", "/endpoints", undefined, await tokenFor("acc_nope", "1m")),
    ask("GET", "/endpoints", undefined, await tokenFor("acc_nope", "-1m")),
    ask("GET", `/endpoints?cursor=${encodeURIComponent(secret)}`),
  ]);
  expect(statuses.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 401, 401, 401, 401, 400]);
  // This dispatcher lacks the key of the secrets it is to sign with.
  const stranger = random();
  secrets.push({ name: "another encryption key", text: stranger });
  await cluster.launch("keyless", "dispatcher", { HERMOD_ENCRYPTION_KEY: stranger });
  const isLogged = async () => {
    await made("POST", "/webhooks", { endpoint_id: (await newEndpoint()).id, data: {} });
    return (await texts()).some(({ text }) => text.includes("which is not configured"));
  };
  await until(isLogged, { what: "an endpoint that can't be read", pollMs: 100 });
  await expectNoStart("bad-keys", {
    HERMOD_ENCRYPTION_KEY: `${OLD_KEY},${OLD_KEY}`,
    HERMOD_JWT_SECRET: "short",
  });
  const noPassword = new URL(await cluster.databaseUrl());
  noPassword.password = random(24).replaceAll(/\W/g, "x");
  secrets.push({ name: "wrong password", text: noPassword.password });
  await expectNoStart("bad-password", { DATABASE_URL: noPassword.href });
}

function newSecretKey(): string {
  const text = newKey();
  secrets.push({ name: "unknown key", text });
  return text;
}

async function tokenFor(account_id: string, expires: string): Promise<string> {
  const token = await new SignJWT({ account_id, permissions: ["endpoints:read"] })
    .setProtectedHeader({ alg: "HS256" })
    .setExpirationTime(expires)
    .sign(new TextEncoder().encode(JWT_SECRET));
  // The JWT's head is the same for all tokens, and its claims hold the account's id.
  secrets.push({ name: "JWT", text: token.slice(token.lastIndexOf(".") + 1) });
  return token;
}

async function expectNoStart(name: string, env: Record<string, string>): Promise<void> {
  await expect(cluster.launch(name, "api", env)).rejects.toThrow("ended at its start");
}
