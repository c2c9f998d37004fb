import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEnd } from "./support/at-end";
import { until } from "./support/faults/until";
import { isLong } from "./support/long";
import { useDatabase } from "./support/postgres";
import { testNatsUrl } from "./support/servers";

setDefaultTimeout(120_000);

const ADMIN_KEY = "a-key-of-twenty-characters";

const folder = await mkdtemp(join(tmpdir(), "hermod-binary-"));
const database = await useDatabase();
atEnd(() => rm(folder, { recursive: true }));

/** Resolves with the output of a program that ends by itself. */
async function run(command: string[], env: Record<string, string>): Promise<string> {
  const child = Bun.spawn(command, { env, cwd: folder, stderr: "pipe" });
  const [said, complained] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect({ code: await child.exited, complained }).toMatchObject({ code: 0 });
  return said;
}

test.skipIf(!isLong)(
  "the binary migrates, serves, checks schemas in a thread, delivers and stops, without Bun installed",
  async () => {
    const program = join(folder, "hermod");
    const building = { ...process.env, OUT: folder };
    const builder = Bun.spawn([process.execPath, join(import.meta.dir, "../deploy/binary.ts")], {
      env: building,
    });
    expect(await builder.exited).toBe(0);
    const env = {
      PATH: "/nowhere",
      PORT: "0",
      DATABASE_URL: database.url,
      NATS_URL: await testNatsUrl(),
      HERMOD_ADMIN_KEY: ADMIN_KEY,
      HERMOD_DATA_DIR: join(folder, "data"),
    };
    expect(await run([program, "migrate"], env)).toContain("all migrations");
    const child = Bun.spawn([program], {
      env,
      cwd: folder,
      stdout: Bun.file(join(folder, "said")),
      stderr: "ignore",
    });
    const api = await until(
      async () => /http:\/\/127[^\s/]+/.exec(await Bun.file(join(folder, "said")).text())?.[0],
      {
        what: "the banner",
      },
    );
    let received = 0;
    using receiver = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => {
        received++;
        return new Response();
      },
    });
    const ask = (method: string, path: string, body?: object) =>
      fetch(api + path, {
        method,
        headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
    for (const path of ["/swagger", "/swagger/ui.js", "/swagger/ui.css", "/swagger/json", "/console"])
      expect({ path, status: (await ask("GET", path)).status }).toEqual({ path, status: 200 });
    const schema = { type: "object", required: ["id"] };
    expect((await ask("PUT", "/v1/event-types/a.b/schema", { schema })).status).toBeLessThan(300);
    await ask("POST", "/v1/endpoints", { url: `http://127.0.0.1:${receiver.port}/` });
    expect((await ask("POST", "/v1/events", { event: "a.b", data: {} })).status).toBe(400);
    expect((await ask("POST", "/v1/events", { event: "a.b", data: { id: 1 } })).status).toBe(201);
    await until(() => received === 1, { what: "the delivery" });
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
  },
);
