import { expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { webhookHeaders } from "../../src/attempt/webhook-request";
import { newId } from "../../src/domain/ids";

const secret = (fill: number) => `whsec_${Buffer.alloc(32, fill).toString("base64")}`;

const delivery = { id: newId("wh"), event: "a.b", orderingKey: null, sequence: 1 };
const request = { webhookId: "wh_1", attempt: 1, secrets: [secret(1)], added: null, body: "{}" };

function headersOf(
  changes: Partial<Parameters<typeof webhookHeaders>[1]> = {},
  of: Parameters<typeof webhookHeaders>[0] = delivery,
): Record<string, string> {
  return webhookHeaders(of, { ...request, timestamp: Math.floor(Date.now() / 1_000), ...changes });
}

test("a request is signed with every secret, the newest first, and each signature alone verifies", () => {
  const headers = headersOf({ secrets: [secret(1), secret(2), secret(3)] });
  const signatures = headers["webhook-signature"]?.split(" ") ?? [];
  expect(signatures).toHaveLength(3);
  expect(signatures[0]).toBe(headersOf({ secrets: [secret(1)] })["webhook-signature"]);
  for (const fill of [1, 2, 3]) expect(new Webhook(secret(fill)).verify("{}", headers)).toEqual({});
  expect(() => new Webhook(secret(4)).verify("{}", headers)).toThrow();
});

test.each([
  ["order.paid", "order.paid"],
  ["50% off", "50%25%20off"],
  ["größe", "gr%C3%B6%C3%9Fe"],
  [" order", "%20order"],
])("event types and ordering keys travel in plain ASCII: %j", (text, reported) => {
  const headers = headersOf({}, { ...delivery, event: text, orderingKey: text });
  expect([headers["webhook-event"], headers["webhook-ordering-key"]]).toEqual([reported, reported]);
});

test("a delivery without an ordering key has no header for one", () => {
  expect(headersOf()).not.toHaveProperty("webhook-ordering-key");
});

test("an account's own headers are sent, and change none of ours", () => {
  const ours = headersOf();
  const added = { authorization: "Bearer x", "webhook-id": "theirs" };
  expect(headersOf({ added })).toEqual({ ...ours, authorization: "Bearer x" });
});
