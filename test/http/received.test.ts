import { expect, test } from "bun:test";
import fc from "fast-check";
import { Receiver } from "../attempt/receiver";
import { createSender, exchangeOf, to } from "../attempt/sending";
import { atEnd } from "../support/at-end";
import { recordAttempt } from "./attempts";
import type { Answer } from "./client";
import { useService } from "./service";

let next: { head: string; body: Buffer };

/** Follows receivers' answers through receipt, record and API. */
const service = await useService();
const client = await service.newClient();
const endpointId: string = (await client.newEndpoint()).id;
const sender = createSender();
const receiver = await Receiver.open({
  onRequest: ({ socket }) =>
    socket.end(Buffer.concat([Buffer.from(`HTTP/1.1 500 X\r\n${next.head}\r\n`), next.body])),
});
atEnd(async () => {
  sender.close();
  receiver.close();
});

/** Returns the delivery as the API shows it, after a receiver's answer. */
async function reported(body: Buffer, head = `content-length: ${body.length}\r\n`): Promise<Answer> {
  next = { head, body };
  const { status, error, responseBody } = await exchangeOf(sender, to(receiver.url));
  expect({ status, error }).toEqual({ status: 500, error: null });
  const sent = await client.send(endpointId, "a.b");
  await recordAttempt(service.database.db, sent, { status, body: responseBody ?? undefined });
  const answer = await client.get(`/webhooks/${sent.id}`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  return answer;
}

const bodyIn = (answer: Answer): string => answer.body.attempts[0].response_body;

const bytes = (...values: number[]) => Buffer.from(values);

test.each<[string, Buffer, string]>([
  ["NUL", Buffer.from("\0a\0b\0"), "ab"],
  ["bytes that are no UTF-8", bytes(0x61, 0xff, 0xfe, 0xc3, 0x28), "a\ufffd\ufffd\ufffd("],
  ["overlong UTF-8", bytes(0xc0, 0x80, 0xe0, 0x80, 0xaf), "\ufffd".repeat(5)],
  ["surrogates in UTF-8", bytes(0xed, 0xa0, 0x80, 0xed, 0xbf, 0xbf), "\ufffd".repeat(6)],
  ["surrogates as escapes", Buffer.from('"\\ud800"'), '"\\ud800"'],
  ["a code point that is none", bytes(0xf4, 0x90, 0x80, 0x80), "\ufffd".repeat(4)],
  ["control characters", Buffer.from("\x1b[31m\x07\x08\r\n\x7f\u0085"), "\x1b[31m\x07\x08\r\n\x7f\u0085"],
  ["separators of lines", Buffer.from("\u2028\u2029"), "\u2028\u2029"],
  ["HTML", Buffer.from("<script>alert(1)</script>"), "<script>alert(1)</script>"],
  ["JSON", Buffer.from('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'],
  ["SQL", Buffer.from("'); drop table attempts; --"), "'); drop table attempts; --"],
  ["text of Postgres' arrays", Buffer.from('{NULL,"a\\",b}'), '{NULL,"a\\",b}'],
  ["the word NULL", Buffer.from("NULL"), "NULL"],
  ["nothing", Buffer.alloc(0), ""],
])("%s is stored and shown as text", async (_, body, expected) => {
  const answer = await reported(body);
  expect(bodyIn(answer)).toBe(expected);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  expect(answer.text).not.toMatch(/[\u0000-\u001f]/);
});

test("a compressed body is not decompressed, however large it would be", async () => {
  for (const [coding, pack] of [
    ["gzip", Bun.gzipSync],
    ["deflate", Bun.deflateSync],
    ["zstd", Bun.zstdCompressSync],
  ] as const) {
    const packed = Buffer.from(pack(Buffer.alloc(50_000_000, "a")));
    const head = `content-encoding: ${coding}\r\ncontent-length: ${packed.length}\r\n`;
    const text = bodyIn(await reported(packed, head));
    expect(text.length).toBeWithin(1, 1_025);
    expect(text).not.toContain("aaaaaaaa");
  }
});

test("any answer is stored within bounds and well formed", async () => {
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 3_000, size: "max" }),
    fc.string({ unit: "binary", maxLength: 1_500, size: "max" }).map((text) => Buffer.from(text)),
  );
  const head = fc.constantFrom(
    "",
    null,
    "content-type: text/html\r\n",
    "content-type: image/png; charset=x\r\n",
  );
  // At exactly the limit it depends on the head whether half a character is left out or replaced.
  const answers = body.filter(({ length }) => length !== 1_024);
  const check = fc.asyncProperty(answers, head, async (noise, lines) => {
    const received = Buffer.from(noise);
    const text = bodyIn(await reported(received, lines ?? `content-length: ${received.length}\r\n`));
    const expected = new TextDecoder().decode(received.subarray(0, 1_024), {
      stream: received.length >= 1_024,
    });
    expect(text).toBe(expected.replaceAll("\0", ""));
    expect(text.length).toBeLessThanOrEqual(1_024);
    expect(text.isWellFormed()).toBe(true);
  });
  await fc.assert(check, { numRuns: 40 });
});
