import { expect, test } from "bun:test";
import fc from "fast-check";
import { type AccountId, type DeliveryId, type EndpointId, newId, toText } from "../../src/domain/ids";
import {
  batchesOf,
  decodeHints,
  encodeHints,
  type Hint,
  MAX_MESSAGE_BYTES,
  MAX_MESSAGE_DATA_BYTES,
  withinLimit,
} from "../../src/stream/hint";

const encoder = new TextEncoder();

/** Any well-formed text: line feeds, quotes, control and astral characters, byte order marks. */
const text = fc.string({
  unit: fc.oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    fc.constantFrom("\n", "\r\n", "\u2028", '"', "\\", "\0", "\ufeff", "😀", "𐍈", "e\u0301"),
  ),
  maxLength: 40,
});

const message: fc.Arbitrary<Hint> = fc.record({
  id: fc.uuid({ version: 7 }).map((id) => id as DeliveryId),
  accountId: fc.uuid({ version: 7 }).map((id) => id as AccountId),
  endpointId: fc.uuid({ version: 7 }).map((id) => id as EndpointId),
  partition: fc.constant(4),
  sequence: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  event: fc.option(text),
  orderingKey: fc.option(text),
  eventExternalId: fc.option(text),
  revision: fc.nat(2 ** 31 - 1),
  // A payload is a JSON object, never empty.
  data: fc.option(text.filter((data) => data !== "")),
});

const sample: Hint = {
  id: newId("wh"),
  accountId: newId("acc"),
  endpointId: newId("ep"),
  partition: 4,
  sequence: 7,
  event: "order.created",
  orderingKey: "customer-42",
  eventExternalId: "order-4711",
  revision: 3,
  data: '{"a":1}',
};
const entry = {
  id: toText("wh", sample.id),
  account_id: toText("acc", sample.accountId),
  endpoint_id: toText("ep", sample.endpointId),
  sequence: 7,
  event: "order.created",
  ordering_key: "customer-42",
  event_id: "order-4711",
  revision: 3,
  bytes: 7,
};

test("deliveries arrive as they were sent, in order, whatever their texts", () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 5 }), (sent) => {
      expect(decodeHints(encodeHints(sent), 4)).toEqual(sent);
    }),
    { numRuns: 2_000 },
  );
});

test("payloads travel byte for byte", () => {
  const data = '{"b":1e400,\n "a":"\\u00e9 é 😀","n":12345678901234567890}';
  const sent = [{ ...sample, data }, sample, { ...sample, data }];
  expect(decodeHints(encodeHints(sent), 4)).toEqual(sent);
});

test("the wire format never changes within a version, since other processes and users' tools read it", () => {
  const large = { ...entry, bytes: null };
  const raw = `${JSON.stringify([entry, large, entry])}\n{"a":1}{"a":1}`;
  const sent = [sample, { ...sample, data: null }, sample];
  expect(new TextDecoder().decode(encodeHints(sent))).toBe(raw);
  expect(decodeHints(encoder.encode(raw), 4)).toEqual(sent);
});

test("a message stays within the limit in bytes, and keeps the order", () => {
  const unit = fc.constantFrom("a", "é", "€", "😀", "\u0001", '"');
  const long = fc.tuple(unit, fc.nat(1_000)).map(([character, count]) => ({
    ...sample,
    event: character.repeat(8),
    orderingKey: character.repeat(8),
    data: character.repeat(count + 1),
  }));
  fc.assert(
    fc.property(fc.array(long, { maxLength: 40 }), fc.integer({ min: 600, max: 8_000 }), (sent, most) => {
      const batches = [...batchesOf(sent, most)];
      expect(batches.flat()).toEqual(sent);
      for (const batch of batches) {
        if (batch.length > 1) expect(encodeHints(batch).length).toBeLessThanOrEqual(most);
      }
    }),
    { numRuns: 300 },
  );
});

test("a delivery of the greatest size fits a message, and many small ones share one", () => {
  const longest = "\u0001".repeat(256);
  const most = withinLimit({
    ...sample,
    event: longest,
    orderingKey: longest,
    data: "€".repeat(MAX_MESSAGE_DATA_BYTES / 3),
  });
  expect(encodeHints([most]).length).toBeWithin(MAX_MESSAGE_DATA_BYTES, MAX_MESSAGE_BYTES);
  const many = Array.from({ length: 200 }, () => sample);
  expect([...batchesOf(many, MAX_MESSAGE_BYTES)]).toEqual([many]);
});
