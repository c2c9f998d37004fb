import { describe, expect, test } from "bun:test";
import { BasePath } from "../../src/api/edge/base-path";
import { SessionCookie } from "../../src/api/session-cookie";
import { KEPT_BODY_BYTES } from "../../src/router/forwarding";
import { RequestRouter } from "../../src/router/router";
import { systemClock } from "../../src/runtime/clock";
import { answerTo, socketTo } from "../http/wire";
import { atEnd } from "../support/at-end";
import { until } from "../support/faults/until";
import { keepingLog } from "../support/keeping-log";

/** The requests that the cell got. */
const got: string[] = [];
const cell = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async ({ method, url, headers, body }) => {
    got.push(`${method} ${url.slice(url.indexOf("/", 7))} ${headers.get("hermod-account")}`);
    for await (const _ of body ?? []);
    return new Response("{}");
  },
});
atEnd(() => cell.stop(true));

const { lines, log } = keepingLog();
const cells = [{ name: "here", url: `http://127.0.0.1:${cell.port}` }];
const directory = { find: async () => ({ kind: "cell", name: "here" }) as const, forget: () => {} };
const [basePath, cookie, clock] = [new BasePath(""), new SessionCookie(true), systemClock];
const options = { isReady: () => true, mostWaiting: 10, meter: null, clock, log };
const router = new RequestRouter({ cells, directory, basePath, cookie, ...options });
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request) => router.handle(request, "192.0.2.2"),
});
atEnd(() => server.stop(true));

const HEAD = "Host: hooks.example.com\r\nAuthorization: Bearer key\r\n";

async function statusOf(line: string, headers = ""): Promise<number> {
  const request = `${line} HTTP/1.1\r\n${HEAD}${headers}Connection: close\r\n\r\n`;
  return Number((await answerTo(server.url.href, request)).split(" ")[1]);
}

describe("a router", () => {
  test("asks a cell for the path that the client asked for, whatever is in it", async () => {
    const paths = ["/v1/a#b", "/v1/a?b=c#d", "/v1//a//", "/v1/%2e%2e%2Fa", "/v1/~a%2Fb"];
    for (const path of paths) expect(await statusOf(`GET ${path}`)).toBe(200);
    const asked = ["/v1/a%23b", "/v1/a?b=c%23d", "/v1//a//", "/v1/%2e%2e%2Fa", "/v1/~a%2Fb"];
    expect(got.splice(0)).toEqual(asked.map((path) => `GET ${path} null`));
  });

  test("refuses by itself what it can't pass on unchanged", async () => {
    const refused = [
      await statusOf("CONNECT a:1"),
      await statusOf("CONNECT a/v1/me"),
      await statusOf("TRACE /v1/me"),
      await statusOf("GET //v1/me"),
      await statusOf("GET /v1/me", "Content-Length: 1\r\n"),
      await statusOf("GET /v1/me", "Transfer-Encoding: chunked\r\n"),
    ];
    expect(refused).toEqual([405, 405, 405, 404, 400, 400]);
    expect([got.splice(0), lines]).toEqual([[], []]);
  });

  test("judges a request by the headers that it passes on", async () => {
    const headers =
      "Hermod-Cell: nowhere\r\nHermod-Account: a\r\nConnection: hermod-cell,  HERMOD-ACCOUNT ,close\r\n";
    const request = `GET /v1/me HTTP/1.1\r\n${HEAD}${headers}\r\n`;
    expect(await answerTo(server.url.href, request)).toStartWith("HTTP/1.1 200");
    expect(got.splice(0)).toEqual(["GET /v1/me null"]);
  });

  test.each([100, KEPT_BODY_BYTES * 2])(
    "takes a client that leaves within a body of %d bytes for no fault of its own or of the cell",
    async (bytes) => {
      const client = socketTo(server.url.href);
      client.write(`POST /v1/webhooks HTTP/1.1\r\n${HEAD}Content-Length: ${bytes}\r\n\r\n{`);
      await until(() => server.pendingRequests === 1);
      client.end();
      await until(() => server.pendingRequests === 0 && cell.pendingRequests === 0);
      expect(lines).toEqual([]);
      got.length = 0;
    },
  );
});
