import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testDatabase } from "./support/postgres";
import { testNatsUrl } from "./support/servers";

test("the demo delivers to its receivers, and deletes its endpoints at the end", async () => {
  const database = await testDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), "hermod-demo-"));
  const env = {
    ...process.env,
    PORT: "0",
    DATABASE_URL: database.url,
    NATS_URL: await testNatsUrl(),
    HERMOD_DATA_DIR: dataDir,
    // Of the service that a developer may use otherwise.
    HERMOD_URL: "",
    HERMOD_KEY: "",
  };
  const demo = Bun.spawn([process.execPath, "src/demo/main.ts"], { env, stdout: "pipe", stderr: "inherit" });
  let text = "";
  for await (const bytes of demo.stdout) {
    text += new TextDecoder().decode(bytes);
    if (/^warehouse +#1 .+ 200$/m.test(text) && /^billing +#1 /m.test(text)) demo.kill("SIGINT");
  }
  expect(await demo.exited).toBe(0);
  const left = await database.db.run((sql) => sql`select from endpoints where deleted_at is null`);
  expect(left).toHaveLength(0);
  await database.drop();
  await rm(dataDir, { recursive: true });
});
