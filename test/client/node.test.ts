import { expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import root from "../../package.json";
import client from "../../src/client/package.json";
import { useService } from "../http/service";
import { atEnd } from "../support/at-end";
import { ENDPOINT, SECRET, webhook } from "./signed-webhook";

const ROOT = join(import.meta.dir, "../..");

const service = await useService();
const folder = await mkdtemp(join(tmpdir(), "hermod-client-"));
atEnd(() => rm(folder, { recursive: true, force: true }));
await install();

// Uses the built package as programs do.
const PROGRAM = `
import { Hermod, HermodError, verify, WebhookVerificationError } from "hermod-client";
import { inbox } from "hermod-client/inbox";

export async function run(url, key) {
const hermod = new Hermod({ url, key });
const { id, signing_secret } = await hermod.endpoints.create({ url: "https://example.com/" });
await hermod.webhooks.sendMany(Array.from({ length: 130 }, () => ({ endpoint_id: id, data: {} })));
let count = 0;
for await (const delivery of hermod.webhooks.all({ endpoint_id: id })) count++;
const refused = await hermod.webhooks.get("wh_none").catch((error) => error);
let forged = null;
try { verify("{}", { "webhook-id": "a" }, signing_secret); } catch (error) { forged = error; }
const errors = [refused instanceof HermodError && refused.code, forged instanceof WebhookVerificationError];
const box = inbox({ exec() {}, prepare: () => ({ all: () => [] }) }, { endpoint: id, secrets: signing_secret });
const forgery = await box.handle(new Request("http://a.example", { method: "POST", body: "{}" }), () => {});
return JSON.stringify({ count, errors, forgery: forgery.status, bun: typeof Bun });
}
`;
const DONE = { count: 130, errors: ["NOT_FOUND", true], forgery: 401, bun: "undefined" };
await Bun.write(join(folder, "program.mjs"), PROGRAM);

// Works on three webhooks in Node's own SQLite, the last of which came before.
const RECEIVER = `
import { DatabaseSync } from "node:sqlite";
import { inbox } from "hermod-client/inbox";
const db = new DatabaseSync(":memory:");
db.exec("create table effects (sequence integer, text text)");
const box = inbox(db, { endpoint: process.env.ENDPOINT, secrets: process.env.SECRET, ordered: true });
await box.createTable();
const work = (tx, { sequence, text }) => tx.prepare("insert into effects values (?, ?)").run(sequence, text);
const statuses = [];
for (const { headers, body } of JSON.parse(process.env.WEBHOOKS)) {
  const request = new Request("http://a.example", { method: "POST", headers, body });
  statuses.push((await box.handle(request, work)).status);
}
const effects = db.prepare("select sequence, text from effects order by rowid").all();
console.log(JSON.stringify({ statuses, effects }));
`;

const RUNTIMES = [
  ["Node", ["node"]],
  ["Deno", ["deno", "run", "--quiet", "--allow-net", "--allow-env", "--node-modules-dir=manual"]],
] as const;

for (const [runtime, [command, ...options]] of RUNTIMES) {
  const isThere = Bun.which(command) !== null;
  if (!isThere) console.warn(`not run, since it is not on the PATH: the client's package on ${runtime}`);
  test.skipIf(!isThere)(
    `the client's package runs on ${runtime}, with only its declared dependencies`,
    async () => {
      const { key } = await service.newClient();
      const main = join(folder, "main.mjs");
      const args = JSON.stringify([service.url, key]).slice(1, -1);
      await Bun.write(main, `import { run } from "./program.mjs"; console.log(await run(${args}));`);
      expect(await Bun.$`${command} ${options} ${main}`.cwd(folder).json()).toEqual(DONE);
    },
  );
}

/** What a worker has of the web's interfaces, as far as the client uses them. It has no Node and no Bun. */
const WEB = {
  AbortController,
  AbortSignal,
  Headers,
  Request,
  Response,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
  atob,
  btoa,
  clearTimeout,
  crypto,
  fetch,
  setTimeout,
};

test("the client's package runs with the web's interfaces alone, as workers and browsers have them", async () => {
  const { key } = await service.newClient();
  const built = await Bun.build({
    entrypoints: [join(folder, "program.mjs")],
    target: "browser",
    format: "cjs",
  });
  const module = { exports: {} as { run(url: string, key: string): Promise<string> } };
  runInContext(
    (await built.outputs[0]?.text()) ?? "",
    createContext({ ...WEB, module, exports: module.exports }),
  );
  expect(JSON.parse(await module.exports.run(service.url, key))).toEqual(DONE);
});

const hasSqlite = (await Bun.$`node -e ${'require("node:sqlite")'}`.quiet().nothrow()).exitCode === 0;
if (!hasSqlite) console.warn("not run, since this Node has no node:sqlite: the inbox in SQLite on Node");

test.skipIf(!hasSqlite)("the inbox works in SQLite on Node", async () => {
  await Bun.write(join(folder, "receiver.mjs"), RECEIVER);
  const webhooks = [2, 1, 1].map(async (n) => {
    const sent = webhook(n);
    return { headers: Object.fromEntries(sent.headers), body: await sent.text() };
  });
  const WEBHOOKS = JSON.stringify(await Promise.all(webhooks));
  const env = { PATH: process.env.PATH ?? "", ENDPOINT, SECRET, WEBHOOKS };
  expect(await Bun.$`node ${folder}/receiver.mjs`.env(env).json()).toEqual({
    statuses: [202, 202, 202],
    effects: [
      { sequence: 1, text: '{"n":1}' },
      { sequence: 2, text: '{"n":2}' },
    ],
  });
});

test("the client's package has the service's version", () => {
  expect(client.version).toBe(root.version);
  expect(root.dependencies).toMatchObject(client.dependencies);
});

/** Packs it as npm does, without a registry. */
async function install(): Promise<void> {
  const out = join(folder, "out");
  await Bun.$`${process.execPath} run client:pack`
    .cwd(ROOT)
    .env({ ...process.env, OUT: out })
    .quiet();
  const modules = join(folder, "node_modules");
  const target = join(modules, client.name);
  await mkdir(target, { recursive: true });
  await Bun.$`tar -xzf ${out}/${client.name}-${client.version}.tgz --strip-components=1 -C ${target}`;
  for (const name of Object.keys(client.dependencies))
    await symlink(join(ROOT, "node_modules", name), join(modules, name));
}
