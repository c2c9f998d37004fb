import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { YAML_LIMITS } from "../../src/event-types/catalogue/yaml";
import { QUESTION_MS } from "../../src/event-types/rules-threads";
import type { Client } from "../http/client";
import { useService } from "../http/service";
import { type Spent, spentWithin } from "../support/spent";
import { DEAR_DOCUMENTS, DEAR_YAML } from "./documents-of-a-catalogue";

setDefaultTimeout(120_000);

const MEBIBYTE = 1_048_576;
/** The bytes of an answer beside its request: a line for each of the 500 event types. */
const LINES = 262_144;
/** Event types of a large catalogue. */
const TYPES = 150;

const imported = (body: string) => client.post("/catalogue/import", body);

const service = await useService();
const client = await service.newClient();
// The first requests open connections, start the thread for schemas and compile code.
const content = { "application/json": { schema: { type: "object" } } };
const webhooks = { a: { post: { requestBody: { content } } } };
for (let i = 0; i < 5; i++) await imported(JSON.stringify({ document: { openapi: "3.1.0", webhooks } }));

const isCheap = ({ cpuSeconds, stallMs, memory }: Spent) =>
  cpuSeconds < 0.2 && stallMs < 100 && memory < 128 * MEBIBYTE;

describe("an import costs what its size says, with", () => {
  test.each(Object.entries(DEAR_DOCUMENTS))("%s", async (_, bodyOf) => {
    const body = bodyOf();
    expect(body.length).toBeLessThan(MEBIBYTE);
    const { result, ...spent } = await spentWithin(isCheap, () => imported(body));
    expect(result.status).toBeOneOf([200, 400]);
    expect(result.text.length).toBeLessThan(2 * body.length + LINES);
    expect({ spent, isCheap: isCheap(spent) }).toEqual({ spent, isCheap: true });
  });
});

/** The thread for rules is ended after this CPU time, and then the account must wait. */
const isReadInTime = (spent: Spent) =>
  spent.cpuSeconds < QUESTION_MS / 1_000 && spent.stallMs < 100 && spent.memory < 192 * MEBIBYTE;

describe("an import in YAML is read in the thread for rules and in time, with", () => {
  test.each(Object.entries(DEAR_YAML))("%s", async (_, textOf) => {
    const yaml = textOf();
    expect(yaml.length).toBeLessThanOrEqual(YAML_LIMITS.characters);
    const body = JSON.stringify({ yaml });
    const { result, ...spent } = await spentWithin(isReadInTime, () => imported(body));
    expect(result.status).toBe(400);
    expect(result.text.length).toBeLessThan(1_024);
    expect({ spent, isReadInTime: isReadInTime(spent) }).toEqual({ spent, isReadInTime: true });
  });
});

/** Whole, its objects took 0.7 GB. In parts it takes 0.1 to 0.35 GB, depending on when the collector runs. */
const isInParts = ({ stallMs, memory }: Spent) => stallMs < 150 && memory < 550 * MEBIBYTE;

test("an export of a large catalogue is made one part at a time", async () => {
  const own = await service.newClient();
  const { accountId } = own;
  const schema = `{"examples":[${Array(20_000).fill("{}")},1.0]}`;
  await service.database.db.run(
    (sql) => sql`
      insert into event_types (account_id, name, schema, schema_version)
      select ${accountId}, 'type.' || i, ${schema}, 1 from generate_series(1, ${TYPES}::integer) i
    `,
  );
  for (const format of ["openapi", "asyncapi"]) {
    const { result, ...spent } = await spentWithin(isInParts, () => bytesOf(own, `/catalogue/${format}`));
    expect(result).toBeGreaterThan(TYPES * schema.length);
    expect({ spent, isInParts: isInParts(spent) }).toEqual({ spent, isInParts: true });
  }
});

/** Reads an answer without keeping it. */
async function bytesOf({ url, key }: Client, path: string): Promise<number> {
  const { body } = await fetch(`${url}/v1${path}`, { headers: { authorization: `Bearer ${key}` } });
  let bytes = 0;
  for await (const chunk of body ?? []) bytes += chunk.length;
  return bytes;
}
