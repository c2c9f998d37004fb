import { expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import root from "../../package.json";
import client from "../../src/client/package.json";
import { startTestService } from "../http/service";
import { ENDPOINT, SECRET, webhook } from "./signed-webhook";

const ROOT = join(import.meta.dir, "../..");

// Uses the built package as a Node program does.
const PROGRAM = `
import { Hermod, HermodError, verify, WebhookVerificationError } from "hermod-client";
import { inbox } from "hermod-client/inbox";
const hermod = new Hermod({ url: process.env.URL, key: process.env.KEY });
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
console.log(JSON.stringify({ count, errors, forgery: forgery.status, bun: typeof Bun }));
`;

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

const hasSqlite = (await Bun.$`node -e ${'require("node:sqlite")'}`.quiet().nothrow()).exitCode === 0;
if (!hasSqlite) console.warn("not run, since this Node has no node:sqlite: the inbox in SQLite on Node");

test("the client's package runs on Node, with only its declared dependencies", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hermod-client-"));
  const service = await startTestService();
  try {
    await install(folder);
    await Bun.write(join(folder, "program.mjs"), PROGRAM);
    const { key } = await service.newClient();
    const env = { PATH: process.env.PATH ?? "", URL: service.url, KEY: key };
    const output = await Bun.$`node ${folder}/program.mjs`.env(env).json();
    expect(output).toEqual({ count: 130, errors: ["NOT_FOUND", true], forgery: 401, bun: "undefined" });
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
});

test.skipIf(!hasSqlite)("the inbox works in SQLite on Node", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hermod-client-"));
  try {
    await install(folder);
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
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("the client's package has the service's version", () => {
  expect(client.version).toBe(root.version);
  expect(root.dependencies).toMatchObject(client.dependencies);
});

/** Packs it as npm does, without a registry. */
async function install(folder: string): Promise<void> {
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
