import { expect, test } from "bun:test";
import { useService } from "../http/service";
import { answerTo } from "../http/wire";

const service = await useService();
const client = await service.newClient();

function ask(path: string, ...headers: string[]): Promise<string> {
  const lines = [
    `GET ${path} HTTP/1.1`,
    ...headers,
    `Authorization: Bearer ${client.key}`,
    "Connection: close",
  ];
  return answerTo(service.url, `${lines.join("\r\n")}\r\n\r\n`);
}

const PATHS = ["/v1/endpoints", "/v1/nothing", "/health/live", "/swagger/json", "/nothing"];
const PAIRS: [string, string][] = [
  ["Host: a", "Host: b"],
  ["Host: a", "Host: a"],
  ["Host: a", "hOST: b"],
  ["Host: a", "Host:"],
  ["Host:", "Host: a"],
  ["Host:", "Host:"],
];

test.each(PAIRS)("a request with two Host headers is a 400: %s, %s", async (first, second) => {
  for (const path of PATHS) {
    for (const between of [[], ["X-Between: 1"]]) {
      const answer = await ask(path, first, ...between, second);
      expect(answer).toStartWith("HTTP/1.1 400 ");
      expect(answer).toEndWith(
        '{"error":{"code":"BAD_REQUEST","message":"The request has more than one Host header"}}',
      );
    }
  }
});

test("a request with one Host header is served, whatever name it has", async () => {
  for (const host of ["a", "a,b", "[::1]:80", ""]) {
    expect(await ask("/v1/endpoints", `Host: ${host}`)).toStartWith("HTTP/1.1 200 ");
  }
});
