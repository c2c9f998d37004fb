import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import packageJson from "../../src/cli/package.json";
import { Hermod, verify } from "../../src/client";
import { RECEIVED_BODY_BYTES } from "../../src/client/received-body";
import { makeFolder } from "../embedded/folder";
import { useService } from "../http/service";
import { atEnd } from "../support/at-end";
import { until } from "../support/faults/until";
import { Cli } from "./cli";

setDefaultTimeout(120_000);

const SECRET = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
const ROOT = join(import.meta.dir, "../..");

const service = await useService();
const { key } = await service.newClient();
const hermod = new Hermod({ url: service.url, key });
const folder = await makeFolder();
atEnd(() => folder[Symbol.asyncDispose]());
const archive = await pack();
/** The program of the package, which its first line runs on Node. */
const cli = new Cli({ HERMOD_URL: service.url, HERMOD_KEY: key }, [join(folder.path, "package/hermod.js")]);

/** Packs the command line, and unpacks it. Returns the archive's path. */
async function pack(): Promise<string> {
  const OUT = join(folder.path, "out");
  await Bun.$`${process.execPath} run cli:pack`
    .cwd(ROOT)
    .env({ ...process.env, OUT })
    .quiet();
  const file = join(OUT, `hermod-${packageJson.version}.tgz`);
  await Bun.$`tar -xzf ${file} -C ${folder.path}`;
  return file;
}

test("npx runs the package without a registry, and ends it with itself", async () => {
  const env = { HERMOD_URL: service.url, HERMOD_KEY: key, NPM_CONFIG_CACHE: join(folder.path, "npm") };
  const npx = new Cli(env, ["npx", "--yes", "--offline", `--package=${archive}`, "hermod"]);
  await using listening = npx.start(["listen", "--json"]);
  const [{ endpoint_id }] = await listening.objects(1);
  await listening[Symbol.asyncDispose]();
  await until(
    () =>
      hermod.endpoints.get(endpoint_id).then(
        () => false,
        () => true,
      ),
    { what: "its end" },
  );
});

test("the package sends, forwards and shows webhooks on Node, and keeps every number as it was written", async () => {
  const text = '{"n": 12345678901234567890, "x": 1.0}';
  const received = Promise.withResolvers<unknown>();
  await using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      received.resolve(verify(await request.clone().text(), request.headers, SECRET).id);
      expect(await request.text()).toBe(text);
      return new Response();
    },
  });
  const { id } = await hermod.endpoints.create({ delivery: "pull", signing_secret: SECRET });
  const options = ["--endpoint", id, "--forward-to", server.url.href];
  await using forwarding = cli.with({ WEBHOOK_SECRET: SECRET }).start(["listen", "--json", ...options]);
  const [sent] = await cli.json(["send", text, "--endpoint", id]);
  expect(await received.promise).toBe(sent.id);
  expect((await cli.run(["webhooks", "get", sent.id, "--json"])).out).toContain(
    `"data":{"n":12345678901234567890,"x":1.0}`,
  );
  expect((await forwarding.interrupt()).code).toBe(0);
});

test("the package receives on Node, and refuses what is not signed", async () => {
  await using listening = cli.start(["listen", "--json"]);
  const [{ url }] = await listening.objects(1);
  expect((await fetch(url, { method: "POST", body: "{}" })).status).toBe(401);
  const large = await fetch(url, { method: "POST", body: "x".repeat(RECEIVED_BODY_BYTES + 1) });
  expect(large.status).toBe(413);
  expect((await listening.interrupt()).code).toBe(0);
});

test("the package loads on Node what it keeps apart: the generator of types and the server for agents", async () => {
  await hermod.eventTypes.put("a.b", { example: { id: 1 } });
  expect((await cli.run(["types", "--lang", "ts"])).out).toContain("export interface Events {");
  const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  const call = { jsonrpc: "2.0", id: 1, method: "initialize", params: hello };
  expect((await cli.run(["mcp"], `${JSON.stringify(call)}\n`)).out).toContain('"serverInfo"');
});
