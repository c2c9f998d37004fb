import { expect, test } from "bun:test";
import { join } from "node:path";
import openapiTS from "openapi-typescript";
import { startTestService } from "../http/service";

const FILE = join(import.meta.dir, "../../src/client/openapi.ts");
const COMMENT = "// Made from the service's OpenAPI document by `bun run client:types`.\n\n";

test("the client's types are those of the service's OpenAPI document", async () => {
  const service = await startTestService();
  try {
    const document = await (await fetch(`${service.url}/swagger/json`)).text();
    const types = COMMENT + (await openapiTS(JSON.parse(document), { commentHeader: "", alphabetize: true }));
    if (process.env.WRITE_CLIENT_TYPES) await Bun.write(FILE, types);
    const committed = await Bun.file(FILE).text();
    expect(committed === types || "run `bun run client:types`").toBe(true);
  } finally {
    await service.stop();
  }
});
