import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/domain/json-schema";
import { asyncApiText, readAsyncApi } from "../../../src/event-types/catalogue/asyncapi";
import type { CatalogueEntry } from "../../../src/event-types/catalogue/entry";
import { openApiText, readOpenApi } from "../../../src/event-types/catalogue/openapi";

const ENTRIES: CatalogueEntry[] = [
  {
    name: "order.paid",
    description: "An order is paid.",
    group: "Orders",
    example: { id: 1, items: [{ sku: "a" }] },
    deprecated: true,
    schema: {
      required: ["id"],
      properties: { items: { items: { $ref: "#/$defs/item" } } },
      $defs: { item: { required: ["sku"] } },
    },
  },
  { name: "a/b ~ü%", schema: { allOf: [{ $ref: "#/$defs/x" }], $defs: { x: { type: "object" } } } },
  { name: "plain" },
];

test.each([
  ["OpenAPI", openApiText, readOpenApi],
  ["AsyncAPI", asyncApiText, readAsyncApi],
] as const)("an export as %s is imported unchanged", async (_, write, read) => {
  for (const entries of [[], ENTRIES]) {
    const written = await Array.fromAsync(write(each(entries)));
    const document: JsonObject = JSON.parse(written.join(""));
    expect([...read(document)]).toEqual(entries.map((entry) => ({ name: entry.name, entry })));
  }
});

async function* each(entries: readonly CatalogueEntry[]): AsyncGenerator<CatalogueEntry> {
  yield* entries;
}

const components = {
  schemas: {
    Order: { type: "object", properties: { item: { $ref: "#/components/schemas/Item" } } },
    Item: { required: ["sku"] },
    Other: {},
  },
};
const ORDER = {
  type: "object",
  properties: { item: { $ref: "#/$defs/Item" } },
  $defs: { Item: { required: ["sku"] } },
};

describe("shared parts are imported", () => {
  test("of an OpenAPI document", () => {
    const document = {
      openapi: "3.1.0",
      webhooks: {
        "order.paid": {
          post: {
            summary: "Paid",
            tags: ["Orders", "Other"],
            requestBody: { $ref: "#/components/requestBodies/Order" },
          },
        },
        broken: { post: { requestBody: { $ref: "#/components/requestBodies/Nope" } } },
      },
      components: {
        ...components,
        requestBodies: {
          Order: {
            content: {
              "application/json": {
                schema: { $ref: "#/components/schemas/Order" },
                examples: { one: { value: { item: { sku: "a" } } } },
              },
            },
          },
        },
      },
    };
    expect([...readOpenApi(document)]).toEqual([
      {
        name: "order.paid",
        entry: {
          name: "order.paid",
          description: "Paid",
          group: "Orders",
          example: { item: { sku: "a" } },
          schema: ORDER,
        },
      },
      { name: "broken", problem: expect.stringContaining("#/components/requestBodies/Nope") },
    ]);
  });

  test("of an AsyncAPI document", () => {
    const document = {
      asyncapi: "3.0.0",
      channels: { orders: { messages: { paid: { $ref: "#/components/messages/Paid" } } } },
      components: {
        ...components,
        messages: {
          Paid: {
            name: "order.paid",
            title: "Paid",
            tags: [{ name: "Orders" }],
            payload: { $ref: "#/components/schemas/Order" },
            examples: [{ payload: { item: { sku: "a" } } }],
          },
          Unused: {},
        },
      },
    };
    expect([...readAsyncApi(document)]).toEqual([
      {
        name: "order.paid",
        entry: {
          name: "order.paid",
          description: "Paid",
          group: "Orders",
          example: { item: { sku: "a" } },
          schema: ORDER,
        },
      },
    ]);
  });
});

const bodyOf = (schema: object) => ({
  requestBody: { content: { "application/json": { schema } } },
});

test("webhooks and callbacks of OpenAPI 3.0 are imported", () => {
  const own = {
    properties: {
      a: {},
      b: { $ref: "#/x-webhooks/own/post/requestBody/content/application~1json/schema/properties/a" },
    },
  };
  const callback = "{$request.body#/url}";
  const inCallback = `#/paths/~1orders/post/callbacks/order.sent/${encodeURIComponent(callback.replace("/", "~1"))}`;
  const sent = {
    properties: {
      a: {},
      b: { $ref: `${inCallback}/post/requestBody/content/application~1json/schema/properties/a` },
    },
  };
  const callbacks = {
    "order.paid": { $ref: "#/components/callbacks/paid" },
    "order.sent": { [callback]: { post: { summary: "Sent", ...bodyOf(sent) } } },
    "no.operation": {},
  };
  const document = {
    openapi: "3.0.3",
    "x-webhooks": { own: { post: bodyOf(own) } },
    paths: { "/orders": { post: { callbacks } }, "/again": { $ref: "#/paths/~1orders" } },
    components: {
      ...components,
      callbacks: { paid: { [callback]: { post: bodyOf({ $ref: "#/components/schemas/Order" }) } } },
    },
  };
  const inside = { properties: { a: {}, b: { $ref: "#/properties/a" } } };
  expect([...readOpenApi(document)]).toEqual([
    { name: "own", entry: { name: "own", schema: inside } },
    { name: "order.paid", entry: { name: "order.paid", schema: ORDER } },
    { name: "order.sent", entry: { name: "order.sent", description: "Sent", schema: inside } },
  ]);
});

test("messages of AsyncAPI 2.6 are imported", () => {
  const payload = { $ref: "#/components/schemas/Order" };
  const document = {
    asyncapi: "2.6.0",
    channels: {
      orders: {
        subscribe: {
          message: { oneOf: [{ $ref: "#/components/messages/order.paid" }, { messageId: "order.sent" }] },
        },
        publish: { message: { name: "order.made", payload } },
      },
      again: { $ref: "#/channels/orders" },
      "order.lost": { subscribe: { message: { summary: "Lost" } } },
      empty: {},
    },
    components: { ...components, messages: { "order.paid": { tags: [{ name: "Orders" }], payload } } },
  };
  expect([...readAsyncApi(document)]).toEqual([
    { name: "order.paid", entry: { name: "order.paid", group: "Orders", schema: ORDER } },
    { name: "order.sent", entry: { name: "order.sent" } },
    { name: "order.made", entry: { name: "order.made", schema: ORDER } },
    { name: "order.lost", entry: { name: "order.lost", description: "Lost" } },
  ]);
});

test("other versions are refused, and recursive schemas are accepted", () => {
  expect(() => readOpenApi({ openapi: "2.0" })).toThrow("3.0");
  expect(() => readAsyncApi({ asyncapi: "1.2.0" })).toThrow("2.0");
  const schemas = { Tree: { properties: { child: { $ref: "#/components/schemas/Tree" } } } };
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Tree" } } };
  const [read] = readOpenApi({
    openapi: "3.1.0",
    webhooks: { tree: { post: { requestBody: { content } } } },
    components: { schemas },
  });
  expect(read).toMatchObject({
    entry: { schema: { $defs: { Tree: { properties: { child: { $ref: "#/$defs/Tree" } } } } } },
  });
});
