import { describe, expect, spyOn, test } from "bun:test";
import { newId } from "../../src/domain/ids";
import {
  CODE_MS,
  type CodeQuestion,
  CodeWriter,
  MAX_CODED_SCHEMA,
} from "../../src/event-types/code/code-writer";
import { WRITTEN_CODE_PER_MINUTE } from "../../src/resources/event-types/type-code";
import { systemClock } from "../../src/runtime/clock";
import { expectError } from "./client";
import { newPortalSession } from "./portal-session";
import { useService } from "./service";

const service = await useService();
const client = await service.newClient();
const SCHEMA = {
  type: "object",
  required: ["order_id"],
  properties: {
    order_id: { type: "string", description: "*/ alert(1) /*" },
    paid: { type: "boolean" },
    currency: { enum: ["EUR", "USD"] },
  },
};
await client.expecting(200, client.put("/event-types/order.paid/schema", { schema: SCHEMA }));
await client.expecting(
  200,
  client.put("/event-types/order.shipped", { example: { carrier: "x", weight: 1.5 } }),
);
await client.expecting(200, client.put("/event-types/order.lost", { description: "It is gone." }));

const codeOf = (name: string, language: string) =>
  client.get(`/event-types/${name}/code?language=${language}`);

describe("the types of an event type", () => {
  test.each([
    ["ts", "OrderPaid.ts", "order_id: string;"],
    ["ts", "OrderPaid.ts", 'Currency = "EUR" | "USD"'],
    ["java", "OrderPaid.java", '@JsonProperty("order_id")'],
  ])("are written in %s", async (language, name, line) => {
    const { event_type, files, problem } = await client.expecting(200, codeOf("order.paid", language));
    expect({ event_type, problem }).toEqual({ event_type: "order.paid", problem: null });
    const file = files.find((each: { name: string }) => each.name === name);
    expect(file?.text).toContain(line);
  });

  test("are made of the example if there is no schema, and of nothing else", async () => {
    const shipped = await client.expecting(200, codeOf("order.shipped", "ts"));
    expect(shipped.files[0].text).toMatch(/carrier: +string;\n +weight: +number;/);
    const lost = await client.expecting(200, codeOf("order.lost", "ts"));
    expect(lost).toMatchObject({
      files: [],
      problem: expect.stringContaining("neither a schema nor an example"),
    });
    expectError(await codeOf("order.unknown", "ts"), 404, "NOT_FOUND");
    expectError(await codeOf("order.paid", "cobol"), 400, "BAD_REQUEST", "language must be one of");
  });

  test("end no comment by what a schema says", async () => {
    const { files } = await client.expecting(200, codeOf("order.paid", "ts"));
    expect(files[0].text).not.toContain("*/ alert");
  });

  test("follow the schema", async () => {
    await client.expecting(200, client.put("/event-types/a.b/schema", { schema: SCHEMA }));
    await codeOf("a.b", "ts");
    const schema = { type: "object", properties: { later: { type: "string" } } };
    await client.expecting(200, client.put("/event-types/a.b/schema", { schema }));
    expect((await client.expecting(200, codeOf("a.b", "ts"))).files[0].text).toContain("later");
  });

  test("are shown to portal sessions for the event types that they see", async () => {
    const headers = await newPortalSession(service, client, {
      capabilities: ["view"],
      event_types: ["order.paid"],
    });
    const statusOf = async (name: string) =>
      (await fetch(`${service.url}/v1/event-types/${name}/code`, { headers })).status;
    expect([await statusOf("order.paid"), await statusOf("order.shipped")]).toEqual([200, 404]);
  });

  test("are written a limited number of times a minute; those that are kept count no more", async () => {
    const { codeWriter } = service.dependencies;
    const eager = await service.newClient();
    const ask = () => eager.get("/event-types/order.paid/code");
    await eager.expecting(200, eager.put("/event-types/order.paid/schema", { schema: SCHEMA }));
    for (let i = 0; i <= WRITTEN_CODE_PER_MINUTE; i++) await eager.expecting(200, ask());
    using known = spyOn(codeWriter, "known").mockReturnValue(null);
    using write = spyOn(codeWriter, "write").mockResolvedValue({ kind: "written", files: [] });
    for (let i = 0; i < WRITTEN_CODE_PER_MINUTE; i++) await eager.expecting(200, ask());
    expectError(await ask(), 429, "RATE_LIMIT_EXCEEDED", "try again in");
    expect(write).toHaveBeenCalledTimes(WRITTEN_CODE_PER_MINUTE);
    expect(known).toHaveBeenCalled();
  });
});

describe("the writer of types", () => {
  const accountId = newId("acc");
  const question = (schema: unknown): CodeQuestion => ({
    event: "a.b",
    language: "java",
    payload: { kind: "schema", text: JSON.stringify(schema) },
  });

  test("reads nothing that a schema refers to", async () => {
    let reads = 0;
    await using server = Bun.serve({ port: 0, fetch: () => Response.json({ reads: reads++ }) });
    const writer = new CodeWriter(systemClock);
    for (const $ref of [`http://127.0.0.1:${server.port}/x`, "file:///etc/hostname"])
      expect(await writer.write(accountId, question({ $ref }))).toMatchObject({ kind: "refused" });
    expect(reads).toBe(0);
  });

  test("ends a schema that takes too long, and answers the next one", async () => {
    const writer = new CodeWriter(systemClock, 500);
    const properties: Record<string, unknown> = {};
    for (let i = 0; i < 1_000; i++)
      properties[`p${i}`] = { type: "object", properties: { a: { type: "string" } } };
    const dear = question({ type: "object", properties });
    expect(dear.payload.text.length).toBeLessThan(MAX_CODED_SCHEMA);
    expect(CODE_MS).toBeGreaterThan(500);
    expect(await writer.write(accountId, dear)).toMatchObject({
      kind: "refused",
      reason: expect.stringContaining("too long"),
    });
    const larger = question({
      type: "object",
      properties: { ...properties, long: { description: "x".repeat(MAX_CODED_SCHEMA) } },
    });
    expect(writer.known(larger)).toMatchObject({
      kind: "refused",
      reason: expect.stringContaining("more than"),
    });
    const patient = new CodeWriter(systemClock, 60_000);
    expect(await patient.write(accountId, question(SCHEMA))).toMatchObject({ kind: "written" });
  });
});
