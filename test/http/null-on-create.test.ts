import { describe, expect, test } from "bun:test";
import { answerOf, expectError, type Json } from "./client";
import { useService } from "./service";

/** Answers show null for unset fields, so a create accepts null as absent. */

const service = await useService();
const client = await service.newClient();
const document = (await answerOf(await fetch(`${service.url}/swagger/json`))).body;

const endpointId = async () => (await client.newEndpoint()).id;
const CREATES: [path: string, body: () => Promise<object>][] = [
  ["/endpoints", async () => ({ url: "https://example.com" })],
  ["/webhooks", async () => ({ endpoint_id: await endpointId(), data: {} })],
  ["/events", async () => ({ data: {} })],
  ["/keys", async () => ({})],
  ["/admin/accounts", async () => ({ name: "a" })],
];
/** Fields for which null would give more permissions than meant, or that another field makes optional. */
const REFUSED = ["permissions", "url"];

/** Fields that accept any JSON value, including null. */
const ANY_VALUE = ["data"];

/** Returns the parts of an answer that are equal each time. */
function lasting(answer: Json): Json {
  const { id: _, endpoint_id: __, created_at: ___, signing_secret: ____, key: _____, ...rest } = answer;
  return rest.deliveries ? { deliveries: rest.deliveries.length } : rest;
}

function isNullable({ type, anyOf = [] }: Json): boolean {
  return [type].flat().includes("null") || anyOf.some((each: Json) => each.type === "null");
}

test.each(CREATES)("POST %s accepts null for every optional field", async (path, bodyOf) => {
  const { $ref } = document.paths[`/v1${path}`].post.requestBody.content["application/json"].schema;
  const { properties, required = [] } = document.components.schemas[$ref.split("/").at(-1)];
  const body = await bodyOf();
  const without = await client.expecting(201, client.post(path, body));
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  expect(optional.length).toBeGreaterThan(0);
  for (const name of optional) {
    const answer = await client.post(path, { ...body, [name]: null });
    const isTaken = !REFUSED.includes(name);
    expect({ name, isNullable: isNullable(properties[name]) }).toEqual({ name, isNullable: isTaken });
    if (!isTaken) expectError(answer, 400, "BAD_REQUEST", name);
    else
      expect({ name, ...lasting(await client.expecting(201, Promise.resolve(answer))) }).toEqual({
        name,
        ...lasting(without),
      });
  }
  for (const name of required.filter((each: string) => !ANY_VALUE.includes(each))) {
    expectError(await client.post(path, { ...body, [name]: null }), 400, "BAD_REQUEST", name);
  }
});

test("null counts as absent in the other requests too", async () => {
  const id = await endpointId();
  for (const [path, body] of [
    [`/endpoints/${id}/rotate-secret`, { overlap: null, signing_secret: null }],
    [`/endpoints/${id}/test`, { forged: null, event: null, ordering_key: null }],
    ["/portal-sessions", { capabilities: ["view"], theme: null }],
  ] as const) {
    const { status, text } = await client.post(path, body);
    expect({ path, status, text }).toEqual({ path, status: 201, text });
  }
  const tried = { after: null, before: null, filter: null };
  await client.expecting(200, client.post(`/endpoints/${id}/filter/test`, tried));
});

describe("null where it would widen a job", () => {
  test.each(["event", "endpoint_id", "after", "before"])("is refused in an erasure: %s", async (name) => {
    const answer = await client.post("/erasures", { event: "a", [name]: null });
    expectError(answer, 400, "BAD_REQUEST", name);
  });

  test.each(["event_type", "endpoint_id", "after"])(
    "is refused in the filter of a resend: %s",
    async (name) => {
      const answer = await client.post("/webhooks/resend", { filter: { status: "failed", [name]: null } });
      expectError(answer, 400, "BAD_REQUEST", `filter.${name}`);
    },
  );

  test("is refused for dry_run", async () => {
    const body = { filter: { status: "failed" }, dry_run: null };
    expectError(await client.post("/webhooks/resend", body), 400, "BAD_REQUEST", "dry_run");
  });

  test.each(["event", "status", "after", "before"])("is refused in a replay: %s", async (name) => {
    const answer = await client.post(`/endpoints/${await endpointId()}/replay`, { [name]: null });
    expectError(answer, 400, "BAD_REQUEST", name);
  });
});
