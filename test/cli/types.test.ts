import { afterAll, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { useService } from "../http/service";
import { Cli } from "./cli";

const service = await useService();
const client = await service.newClient();
const cli = new Cli({ HERMOD_URL: service.url, HERMOD_KEY: client.key });
const folder = await mkdtemp(join(tmpdir(), "hermod-types-"));
afterAll(() => rm(folder, { recursive: true }));

const LINE = { type: "object", properties: { sku: { type: "string" } }, required: ["sku"] };
const SCHEMAS = {
  "order.paid": {
    $id: "https://example.com/order.json",
    type: "object",
    properties: {
      order_id: { type: "integer" },
      paid_at: { type: "string", format: "date-time" },
      format: { enum: ["pdf", "html"] },
      lines: { type: "array", items: { $ref: "#/$defs/line" } },
    },
    required: ["order_id", "paid_at"],
    $defs: { line: LINE },
  },
  "a.b": { type: "object", properties: { c: { type: "string" } } },
  "api.URL.v2": { type: "object", properties: { c: { type: "string" } } },
  order_paid: { type: "object", properties: { note: { type: ["string", "null"] } } },
};
for (const [name, schema] of Object.entries(SCHEMAS))
  expect((await client.put(`/event-types/${name}/schema`, { schema })).status).toBe(200);
await client.put("/event-types/order.shipped", { example: { carrier: "ACME", weight: 1.5 } });
await client.put("/event-types/user.seen", { description: "A user came back." });
const endpoint = await client.newEndpoint();
await client.post("/webhooks", {
  endpoint_id: endpoint.id,
  event: "user.seen",
  data: { user: "u1", times: 3 },
});

/** Runs a program, and returns its output if it succeeds. */
async function run(command: string[], env: Record<string, string> = {}): Promise<string> {
  const child = Bun.spawn(command, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  expect({ command, code, err: code === 0 ? "" : out + err }).toEqual({ command, code: 0, err: "" });
  return out;
}

describe("hermod types", () => {
  test("says what it leaves out, and infers it from kept payloads", async () => {
    const { out, err, code } = await cli.run(["types", "--lang", "ts"]);
    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining("Left out user.seen") });
    expect(out).not.toContain("UserSeen");
    expect((await cli.run(["types", "--lang", "ts", "--infer"])).out).toMatch(
      /interface UserSeen[^}]*times: +number/,
    );
  });

  test("writes TypeScript that fits the payloads as JSON.parse reads them", async () => {
    await cli.run(["types", "--lang", "ts", "--infer", "--out", folder]);
    const fits = `import type { Events } from "./events";
      export const all: Partial<Events> = {
        "order.paid": { order_id: 1, paid_at: "2026-01-31T12:00:00Z", format: "pdf", lines: [{ sku: "a" }] },
        "a.b": { c: "d" },
        "api.URL.v2": { c: "d" },
        "order_paid": { note: null },
        "order.shipped": { carrier: "ACME", weight: 1.5 },
        "user.seen": { user: "u1", times: 3 },
      };
      // @ts-expect-error order_id is required
      export const wrong: Events["order.paid"] = { paid_at: "" };`;
    await writeFile(join(folder, "fits.ts"), fits);
    const tsc = join(import.meta.dir, "../../node_modules/typescript/bin/tsc");
    await run([process.execPath, tsc, "--noEmit", "--strict", "--skipLibCheck", "--types", "", "fits.ts"]);
  });

  test.skipIf(Bun.which("python3") === null)("writes Python that reads and writes payloads", async () => {
    await cli.run(["types", "--lang", "python", "--out", folder]);
    const code = `import json, events
paid = events.order_paid_from_dict(json.loads('{"order_id": 1, "paid_at": "2026-01-31T12:00:00Z", "lines": [{"sku": "a"}]}'))
print(paid.order_id, paid.paid_at.year, paid.lines[0].sku)`;
    await writeFile(join(folder, "use.py"), code);
    expect(await run(["python3", "use.py"])).toBe("1 2026 a\n");
  });

  test.skipIf(Bun.which("go") === null)("writes Go that its formatter parses", async () => {
    await cli.run(["types", "--lang", "go", "--out", folder]);
    await run(["gofmt", "-e", "-l", "events.go"]);
  });

  test("writes a file for each type in Java", async () => {
    expect(await cli.run(["types", "--lang", "java"])).toMatchObject({ code: 2 });
    const out = join(folder, "java");
    await cli.run(["types", "--lang", "java", "--out", out]);
    expect(await readdir(out)).toEqual(expect.arrayContaining(["OrderPaid.java", "OrderShipped.java"]));
  });
});
