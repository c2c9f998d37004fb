import { YAML_LIMITS } from "../../src/event-types/catalogue/yaml";

/** Documents of up to a body's size that are dear to read, resolve or copy, each as the text of a request to import it. */
export const DEAR_DOCUMENTS: Readonly<Record<string, () => string>> = {
  "one schema of 100,000 parts, named by 120 webhooks": () =>
    openApi(
      named(120, () => schemaOf({ $ref: "#/components/schemas/Big" })),
      { components: { schemas: { Big: { enum: Array(100_000).fill({}) } } } },
    ),
  "one schema of 300,000 parts, named by 500 webhooks through another": () =>
    openApi(
      named(500, () => schemaOf({ allOf: [{ $ref: "#/components/schemas/Big" }] })),
      { components: { schemas: { Big: { enum: Array(300_000).fill({}) } } } },
    ),
  "one schema of many names": () =>
    openApi(
      named(500, () => schemaOf({ not: { $ref: "#/components/schemas/Big" } })),
      { components: { schemas: { Big: { properties: named(60_000, () => ({})) } } } },
    ),
  "20,000 webhooks to one reference of 240,000 characters": () =>
    openApi(
      named(20_000, () => ({ $ref: "#/w" })),
      { w: { $ref: `#${"/a".repeat(120_000)}` } },
    ),
  "500 webhooks to one reference of a million characters": () =>
    openApi(
      named(500, () => ({ $ref: "#/w" })),
      { w: { $ref: `#/${"a".repeat(1_000_000)}` } },
    ),
  "500 webhooks to a reference of many escapes": () =>
    openApi(
      named(500, () => ({ $ref: "#/w" })),
      { w: { $ref: `#/${"~1%7e1".repeat(150_000)}` } },
    ),
  "messages to one reference of 240,000 characters": () =>
    asyncApi(
      { c: { messages: named(20_000, () => ({ $ref: "#/w" })) } },
      { w: { $ref: `#${"/a".repeat(120_000)}` } },
    ),
  "10,000 channels to one of 10,000 messages": () =>
    asyncApi(
      named(10_000, () => ({ $ref: "#/c" })),
      { c: { messages: named(10_000, () => ({})) } },
    ),
  "one payload of 100,000 parts, named by 120 messages": () =>
    asyncApi(
      { c: { messages: named(120, () => ({ payload: { $ref: "#/components/schemas/Big" } })) } },
      { components: { schemas: { Big: { enum: Array(100_000).fill({}) } } } },
    ),
  "a circle of 20,000 references": () =>
    openApi(
      named(400, (i) => ({ $ref: `#/w/k${i}` })),
      { w: named(20_000, (i) => ({ $ref: `#/w/k${(i + 1) % 20_000}` })) },
    ),
  "a chain of 12,000 schemas": () =>
    openApi(
      named(300, () => schemaOf({ $ref: "#/components/schemas/k0" })),
      {
        components: { schemas: named(15_000, (i) => ({ not: { $ref: `#/components/schemas/k${i + 1}` } })) },
      },
    ),
  "an example of 30,000 levels": () =>
    `{"document":{"openapi":"3.1.0","webhooks":{"a":{"post":{"requestBody":{"content":{"application/json":{"example":${"[".repeat(30_000)}${"]".repeat(30_000)}}}}}}}}}`,
  "a schema of 30,000 levels": () =>
    `{"document":{"openapi":"3.1.0","webhooks":{"a":{"post":{"requestBody":{"content":{"application/json":{"schema":{"enum":${"[".repeat(30_000)}${"]".repeat(30_000)}}}}}}}}}}`,
  "one example of a million characters, named by 500 webhooks": () =>
    shared({ example: "ü".repeat(500_000) }),
  "one example of 300,000 parts, named by 500 webhooks": () => shared({ example: Array(300_000).fill(0) }),
  "one example of 60,000 names, named by 500 webhooks": () => shared({ example: named(60_000, () => 0) }),
  "40,000 examples, named by 500 webhooks": () => shared({ examples: named(40_000, () => ({ value: 0 })) }),
  "60,000 content types, named by 500 webhooks": () => {
    const requestBody = { content: named(60_000, () => ({})) };
    return openApi(
      named(500, () => ({ post: { requestBody: { $ref: "#/components/requestBodies/Big" } } })),
      { components: { requestBodies: { Big: requestBody } } },
    );
  },
  "a content type of a million characters, named by 500 webhooks": () => {
    const requestBody = { content: { [`json${"a".repeat(900_000)}`]: { schema: { not: { $ref: "#/a" } } } } };
    return openApi(
      named(500, () => ({ post: { requestBody: { $ref: "#/components/requestBodies/Big" } } })),
      { components: { requestBodies: { Big: requestBody } } },
    );
  },
  "one description of a million characters, named by 500 webhooks": () =>
    openApi(
      named(500, () => ({ $ref: "#/w" })),
      { w: { description: "a".repeat(1_000_000) } },
    ),
  "a name of 500,000 characters, and a schema of 30,000 references": () =>
    openApi({
      ["a".repeat(500_000)]: {
        post: schemaOf({ enum: Array(30_000).fill({ $ref: "#/a" }) }).post,
      },
    }),
  "10,000 paths to one with 10,000 callbacks": () =>
    openApi(undefined, {
      paths: { ...named(10_000, () => ({ $ref: "#/p" })) },
      p: { post: { callbacks: named(10_000, () => ({})) } },
    }),
  "a callback of 40,000 expressions, named by 500 operations": () =>
    openApi(undefined, {
      paths: named(500, (i) => ({ post: { callbacks: { [`c${i}`]: { $ref: "#/c" } } } })),
      c: named(40_000, () => ({})),
    }),
  "10,000 channels of version 2 with one list of 10,000 messages": () =>
    JSON.stringify({
      document: {
        asyncapi: "2.6.0",
        channels: named(10_000, () => ({ $ref: "#/c" })),
        c: { subscribe: { message: { oneOf: Array(10_000).fill({ $ref: "#/m" }) } } },
      },
    }),
  "80,000 webhooks": () => openApi(named(80_000, () => ({}))),
  "40,000 messages that refer to nothing": () =>
    asyncApi({ c: { messages: named(40_000, () => ({ $ref: "#/x" })) } }),
  "one schema of a reference of 60,000 characters, named by 500 webhooks": () =>
    openApi(
      named(500, () => schemaOf({ $ref: "#/components/schemas/Big" })),
      {
        components: {
          schemas: {
            Big: { $ref: `#/components/schemas/Bigger` },
            Bigger: { not: { $ref: `#/${"a".repeat(60_000)}` } },
          },
        },
      },
    ),
  "one schema of a keyword of 60,000 characters, named by 500 webhooks": () =>
    openApi(
      named(500, () => schemaOf({ $ref: "#/components/schemas/Big" })),
      { components: { schemas: { Big: { ["a".repeat(60_000)]: 1 } } } },
    ),
};

/** Documents in YAML of up to the most characters, each dear in a way of its own. */
export const DEAR_YAML: Readonly<Record<string, () => string>> = {
  "aliases of aliases, nine at a time": () =>
    Array.from(
      { length: 30 },
      (_, i) => `a${i}: &a${i} [${Array(9).fill(i === 0 ? "x" : `*a${i - 1}`)}]`,
    ).join("\n"),
  "1,000 aliases of 100,000 values": () => `a: &a [${"1,".repeat(100_000)}]\nb: [${"*a,".repeat(1_000)}]`,
  "too many aliases": () => filled("*a,", "a: &a x\nb: [", "]"),
  "aliases that contain themselves": () => "a: &a {b: [*a, *a], c: *a}",
  "merge keys of merge keys": () =>
    `a0: &a0 {${Array.from({ length: 2_000 }, (_, i) => `k${i}: 1`)}}\n${Array.from({ length: 900 }, (_, i) => `a${i + 1}: &a${i + 1} {<<: *a${i}}`).join("\n")}`,
  "deep flow sequences": () => filled("[", "a: "),
  "deep sequences in a line": () => filled("- "),
  "deep keys in a line": () => filled("? "),
  "deep mappings": () => Array.from({ length: 700 }, (_, i) => `${" ".repeat(i)}a:`).join("\n"),
  "a long anchor": () => filled("a", "a: &", " x"),
  "long anchors": () => filled(`- &${"a".repeat(1_000)} x\n`, "a:\n"),
  "many anchors": () => filled("- &a x\n", "a:\n"),
  "a long tag": () => filled("a", "a: !<", "> x"),
  "long tags": () => filled(`- !${"a".repeat(16_000)} x\n`, "a:\n"),
  "many tags": () => filled("- !!str a\n", "a:\n"),
  "many pairs in a sequence": () => filled("a: 1,", "a: [", "]"),
  "many empty pairs": () => filled("a:,", "a: [", "]"),
  "many values": () => filled("1,", "a: [", "]"),
  "many empty objects": () => filled("{},", "a: [", "]"),
  "many names": () => Array.from({ length: 30_000 }, (_, i) => `k${i}:`).join("\n"),
  "names that are objects": () => filled("[a]: \n"),
  "many documents": () => filled("---\n"),
  "many comments": () => filled("#\n"),
  "a long number": () => filled("1", "a: "),
  "a folded text of many lines": () => filled(" a\n", "a: >\n"),
  "a quoted text of many escapes": () => filled("\\u0041", 'a: "', '"'),
};

/** Repeats a part between a start and an end, up to the most characters. */
function filled(part: string, start = "", end = ""): string {
  const room = YAML_LIMITS.characters - start.length - end.length;
  return start + part.repeat(Math.floor(room / part.length)) + end;
}

type Fields = Readonly<Record<string, unknown>>;

function named(count: number, part: (i: number) => unknown): Fields {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, part(i)]));
}

const schemaOf = (schema: unknown) => ({
  post: { requestBody: { content: { "application/json": { schema } } } },
});

/** The webhooks share a body with these fields. */
function shared(media: Fields): string {
  const requestBodies = { Big: { content: { "application/json": media } } };
  return openApi(
    named(500, () => ({ post: { requestBody: { $ref: "#/components/requestBodies/Big" } } })),
    { components: { requestBodies } },
  );
}

function openApi(webhooks: Fields | undefined, parts: Fields = {}): string {
  return JSON.stringify({ document: { openapi: "3.1.0", webhooks, ...parts } });
}

function asyncApi(channels: Fields, parts: Fields = {}): string {
  return JSON.stringify({ document: { asyncapi: "3.0.0", channels, ...parts } });
}
