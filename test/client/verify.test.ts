import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { signatureHeader, webhookHeaders } from "../../src/attempt/webhook-request";
import { verify, verifyBatch, WebhookVerificationError } from "../../src/client";
import { newId } from "../../src/domain/ids";
import { newSigningSecret } from "../../src/endpoints/signing-secret";

const now = () => Math.floor(Date.now() / 1_000);

function received(
  secrets: readonly string[],
  body: string,
  event: string | null = "order.created",
  orderingKey: string | null = null,
) {
  const delivery = { id: newId("wh"), event, orderingKey, sequence: 7 };
  return webhookHeaders(delivery, {
    webhookId: "wh_1",
    timestamp: now(),
    attempt: 2,
    secrets,
    added: null,
    body,
  });
}

describe("verify", () => {
  test("accepts everything that Hermod signs, in every form of body and headers", () => {
    const secret = newSigningSecret();
    const name = fc.option(fc.string({ minLength: 1, maxLength: 40, unit: "grapheme" }));
    fc.assert(
      fc.property(fc.json(), name, name, (body, event, orderingKey) => {
        const headers = received([secret], body, event, orderingKey);
        const expected = { id: "wh_1", event, orderingKey, attempt: 2, sequence: 7, data: JSON.parse(body) };
        expect(verify(body, headers, secret)).toMatchObject(expected);
        const bytes = new TextEncoder().encode(body);
        expect(verify(bytes, new Headers(headers), secret)).toMatchObject(expected);
      }),
      { numRuns: 50 },
    );
  });

  test("accepts several secrets on either side", () => {
    const [old, current] = [newSigningSecret(), newSigningSecret()];
    const headers = received([current, old], "{}");
    for (const secrets of [old, current, [newSigningSecret(), old]]) verify("{}", headers, secrets);
  });

  test("refuses another secret, another body, another time and missing headers", () => {
    const secret = newSigningSecret();
    const good = received([secret], '{"a":1}');
    const old = now() - 301;
    const stale = {
      ...good,
      "webhook-timestamp": String(old),
      "webhook-signature": signatureHeader([secret], "wh_1", old, '{"a":1}'),
    };
    const { "webhook-signature": _, ...unsigned } = good;
    for (const [body, headers, secrets] of [
      ['{"a":2}', good, secret],
      ['{"a":1}', good, newSigningSecret()],
      ['{"a":1}', good, []],
      ['{"a":1}', { ...good, "webhook-id": "wh_2" }, secret],
      ['{"a":1}', stale, secret],
      ['{"a":1}', unsigned, secret],
    ] as const) {
      expect(() => verify(body, headers, secrets)).toThrow(WebhookVerificationError);
    }
  });
});

test("verifyBatch returns the webhooks of a request, and refuses a body of another form or signature", () => {
  const secret = newSigningSecret();
  const items = [1, 2].map((sequence) => {
    return {
      id: `wh_${sequence}`,
      type: "order.created",
      sequence,
      ordering_key: "customer-1",
      data: { sequence },
    };
  });
  const body = JSON.stringify(items);
  const headers = received([secret], body, null);
  expect(verifyBatch(body, headers, secret)).toMatchObject(
    items.map(({ id, sequence, data }) => {
      return { id, event: "order.created", orderingKey: "customer-1", attempt: 2, sequence, data };
    }),
  );
  expect(() => verifyBatch(body, headers, newSigningSecret())).toThrow(WebhookVerificationError);
  expect(() => verifyBatch("{}", received([secret], "{}"), secret)).toThrow("no array of envelopes");
});
