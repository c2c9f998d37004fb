import { expect, test } from "bun:test";
import { MODELLED } from "../../../src/api/json/json-text";
import { useService } from "../service";

const service = await useService();
const client = await service.newClient();
const endpointId: string = (await client.newEndpoint()).id;

/** An object with more names than a body may have whose model describes every field. */
function manyNames<T>(value: T): Record<string, T> {
  return Object.fromEntries(Array.from({ length: MODELLED.names + 200 }, (_, i) => [`n${i}`, value]));
}

const document = {
  openapi: "3.1.0",
  info: { title: "many names", version: "1" },
  webhooks: {
    many: {
      post: { requestBody: { content: { "application/json": { schema: { properties: manyNames({}) } } } } },
    },
  },
};

test.each<[string, number, () => [method: string, path: string, body: object]]>([
  ["payload", 201, () => ["POST", "/webhooks", { endpoint_id: endpointId, data: manyNames(1) }]],
  ["payload of an event", 201, () => ["POST", "/events", { event: "a", data: manyNames(1) }]],
  ["schema", 200, () => ["PUT", "/event-types/a/schema", { schema: { properties: manyNames({}) } }]],
  ["document", 200, () => ["POST", "/catalogue/import", { document }]],
])("a %s may have more names than the models have room for", async (_, status, request) => {
  const { status: actual, text } = await client.ask(...request());
  expect({ actual, text }).toEqual({ actual: status, text: expect.any(String) });
});
