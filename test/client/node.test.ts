import { expect, test } from "bun:test";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestService } from "../http/service";

const ROOT = join(import.meta.dir, "../..");

// What a program in Node does with the built package.
const PROGRAM = `
import { Hermod, HermodError, verify, WebhookVerificationError } from "./client/index.js";
const hermod = new Hermod({ url: process.env.URL, key: process.env.KEY });
const { id, signing_secret } = await hermod.endpoints.create({ url: "https://example.com/" });
await hermod.webhooks.sendMany(Array.from({ length: 130 }, () => ({ endpoint_id: id, data: {} })));
let count = 0;
for await (const delivery of hermod.webhooks.all({ endpoint_id: id })) count++;
const refused = await hermod.webhooks.get("wh_none").catch((error) => error);
let forged = null;
try { verify("{}", { "webhook-id": "a" }, signing_secret); } catch (error) { forged = error; }
const errors = [refused instanceof HermodError && refused.code, forged instanceof WebhookVerificationError];
console.log(JSON.stringify({ count, errors, bun: typeof Bun }));
`;

test("the built client runs on Node", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hermod-client-"));
  const service = await startTestService();
  try {
    await Bun.$`${ROOT}/node_modules/.bin/tsc -p ${ROOT}/tsconfig.client.json --outDir ${folder}/client`.quiet();
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
    await Bun.write(join(folder, "package.json"), '{"type":"module"}');
    await Bun.write(join(folder, "program.js"), PROGRAM);
    const { key } = await service.newClient();
    const env = { PATH: process.env.PATH ?? "", URL: service.url, KEY: key };
    const output = await Bun.$`node ${folder}/program.js`.env(env).json();
    expect(output).toEqual({ count: 130, errors: ["NOT_FOUND", true], bun: "undefined" });
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
