import { expect, test } from "bun:test";
import { type Post, postBytes } from "../../src/attempt/webhook-request";

const post: Post = {
  path: "/hook?a=b",
  host: "hook.test:8080",
  userAgent: "hermod/test",
  headers: { "webhook-id": "wh_1" },
  body: '{"é":1}',
};

test("a request has its head and its body, measured in bytes", () => {
  expect(postBytes(post).bytes.toString()).toBe(
    "POST /hook?a=b HTTP/1.1\r\nhost: hook.test:8080\r\nuser-agent: hermod/test\r\naccept: */*\r\n" +
      'webhook-id: wh_1\r\ncontent-length: 8\r\n\r\n{"é":1}',
  );
});

test("an endpoint's own accept header replaces ours", () => {
  const text = postBytes({ ...post, headers: { accept: "text/plain" } }).bytes.toString();
  expect(text.match(/accept: .*/g)).toEqual(["accept: text/plain"]);
});

test.each(["a\r\nx: y", "a\nb", "a\rb", "a\0b"])("no header value starts a second header: %j", (value) => {
  expect(() => postBytes({ ...post, headers: { "webhook-event": value } })).toThrow();
  expect(() => postBytes({ ...post, headers: { [value]: "x" } })).toThrow();
});
