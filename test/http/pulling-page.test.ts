import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT, textOf } from "../../docs/.vitepress/pages";
import { atEnd } from "../support/at-end";
import { until } from "../support/faults/until";
import { useService } from "./service";
import { answerTo } from "./wire";

setDefaultTimeout(120_000);

const service = await useService();
const client = await service.newClient();
const folder = await mkdtemp(join(tmpdir(), "hermod-pulling-"));
atEnd(() => rm(folder, { recursive: true, force: true }));

function blockIn(language: string): string {
  const [, block = ""] =
    new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "ms").exec(textOf("docs/pulling.md")) ?? [];
  return block.replaceAll("http://127.0.0.1:3000", service.url);
}

/** An endpoint with a delivery that is not read, and its receiver's key. */
async function waiting() {
  const { id } = await client.expecting(201, client.post("/endpoints", { delivery: "pull" }));
  const { key } = await client.expecting(201, client.post(`/endpoints/${id}/receiver-keys`, {}));
  const sent = await client.send(id, "order.paid", { order: 4711 });
  const statusNow = async () => (await client.get(`/webhooks/${sent.id}`)).body.status;
  return { id, key, statusNow };
}

test("the page's commands send a delivery, read it and acknowledge it", async () => {
  await mkdir(join(folder, ".hermod"));
  await writeFile(join(folder, ".hermod/admin-key"), client.key);
  const printed = await Bun.$`bash -ec ${blockIn("sh")}`.cwd(folder).text();
  const [sent = "", page = "", next = ""] = printed.trim().split("\n");
  expect(JSON.parse(page).data).toMatchObject([{ sequence: 1, data: { order: 4711 } }]);
  expect(JSON.parse(next)).toEqual({ data: [], receipt: null });
  expect((await client.get(`/webhooks/${JSON.parse(sent).id}`)).body.status).toBe("delivered");
});

test("the page's program prints a delivery and acknowledges it", async () => {
  const { id, key, statusNow } = await waiting();
  const modules = join(folder, "node_modules");
  await mkdir(modules);
  await symlink(join(ROOT, "src/client"), join(modules, "hermod-client"));
  await writeFile(
    join(folder, "reader.ts"),
    blockIn("ts").replace("hermod-client", "./node_modules/hermod-client/index.ts"),
  );
  const env = { PATH: process.env.PATH ?? "", RECEIVER_KEY: key, ENDPOINT: id };
  const child = Bun.spawn([process.execPath, "reader.ts"], { cwd: folder, env, stdout: "pipe" });
  try {
    await until(async () => (await statusNow()) === "delivered");
  } finally {
    child.kill();
  }
  expect(await new Response(child.stdout).text()).toBe('1 order.paid {"order":4711}\n');
});

test("the page's plain request reads a delivery", async () => {
  const { id, key } = await waiting();
  const request = blockIn("http").replace("ENDPOINT", id).replace("RECEIVER_KEY", key);
  const answer = await answerTo(service.url, request.trim().replaceAll("\n", "\r\n"));
  expect(answer).toStartWith("HTTP/1.1 200 OK\r\n");
  expect(answer).toContain('"data":{"order":4711}');
});
