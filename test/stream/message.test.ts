import { expect, test } from "bun:test";
import fc from "fast-check";
import { type AccountId, type DeliveryId, type EndpointId, newId } from "../../src/runtime/ids";
import { type DeliveryMessage, decodeMessage, encodeMessage } from "../../src/stream/message";

const encoder = new TextEncoder();

/** Any well-formed text: line feeds, quotes, control and astral characters, byte order marks. */
const text = fc.string({
  unit: fc.oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    fc.constantFrom("\n", "\r\n", "\u2028", '"', "\\", "\0", "\ufeff", "😀", "𐍈", "e\u0301"),
  ),
  maxLength: 40,
});

const message: fc.Arbitrary<DeliveryMessage> = fc.record({
  id: fc.uuid({ version: 7 }).map((id) => id as DeliveryId),
  accountId: fc.uuid({ version: 7 }).map((id) => id as AccountId),
  endpointId: fc.uuid({ version: 7 }).map((id) => id as EndpointId),
  sequence: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  event: fc.option(text),
  revision: fc.nat(2 ** 31 - 1),
  // A payload is a JSON object, never empty.
  data: fc.option(text.filter((data) => data !== "")),
});

const sample: DeliveryMessage = {
  id: newId("wh"),
  accountId: newId("acc"),
  endpointId: newId("ep"),
  sequence: 7,
  event: "order.created",
  revision: 3,
  data: '{"a":1}',
};
const head = [1, sample.id, sample.accountId, sample.endpointId, 7, "order.created", 3];

function decodeText(raw: string): DeliveryMessage | null {
  return decodeMessage(encoder.encode(raw));
}

test("a message arrives as it was sent, whatever its texts", () => {
  fc.assert(
    fc.property(message, (sent) => {
      expect(decodeMessage(encodeMessage(sent))).toEqual(sent);
    }),
    { numRuns: 2_000 },
  );
});

test("the payload travels byte for byte", () => {
  const data = '{"b":1e400,\n "a":"\\u00e9 é 😀","n":12345678901234567890}';
  expect(decodeMessage(encodeMessage({ ...sample, data }))?.data).toBe(data);
});

test("the form on the wire never changes within a version: other processes read it", () => {
  const raw = `${JSON.stringify(head)}\n{"a":1}`;
  expect(new TextDecoder().decode(encodeMessage(sample))).toBe(raw);
  expect(decodeText(raw)).toEqual(sample);
});

test("a payload too large to travel is null on the other side", () => {
  expect(decodeMessage(encodeMessage({ ...sample, data: null }))).toEqual({ ...sample, data: null });
});

test.each([
  ["nothing", ""],
  ["a lone line feed", "\n"],
  ["no line feed", JSON.stringify(head)],
  ["no JSON", "hello\n{}"],
  ["a head cut off", `${JSON.stringify(head).slice(0, -1)}\n{}`],
  ["an object", '{"id":1}\n{}'],
  ["null", "null\n{}"],
  ["a number", "1\n{}"],
  ["another version", `${JSON.stringify([2, ...head.slice(1)])}\n{}`],
  ["a version as text", `${JSON.stringify(["1", ...head.slice(1)])}\n{}`],
  ["a field too few", `${JSON.stringify(head.slice(0, -1))}\n{}`],
  ["a field too many", `${JSON.stringify([...head, 0])}\n{}`],
])("garbage is no message: %s", (_, raw) => {
  expect(decodeText(raw)).toBeNull();
});

test("a head with a field that is not of its kind is no message", () => {
  const wrong: [field: number, values: unknown[]][] = [
    [1, [null, 5, "", "no-uuid", {}]],
    [2, [null, 5, "", "no-uuid", []]],
    [3, [null, 5, "", "no-uuid", true]],
    [4, [null, "7", 0, -1, 1.5, 2 ** 60, []]],
    [5, [5, true, {}, []]],
    [6, [null, "3", -1, 1.5, {}]],
  ];
  for (const [field, values] of wrong) {
    for (const value of values) {
      const raw = `${JSON.stringify(head.with(field, value as string))}\n{}`;
      expect({ raw, decoded: decodeText(raw) }).toEqual({ raw, decoded: null });
    }
  }
});

test("whatever the bytes, decoding never throws", () => {
  const cut = fc
    .tuple(message, fc.nat(), fc.nat(255))
    .map(([sent, at, byte]) => encodeMessage(sent).with(at % encodeMessage(sent).length, byte));
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), cut), (bytes) => {
      decodeMessage(bytes);
    }),
    { numRuns: 1_000 },
  );
});
