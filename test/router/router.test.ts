import { describe, expect, test } from "bun:test";
import { BasePath } from "../../src/api/edge/base-path";
import { SessionCookie } from "../../src/api/session-cookie";
import type { Whereabouts } from "../../src/cells/directory";
import { Metrics } from "../../src/metrics/metrics";
import { RouterMeter } from "../../src/metrics/router-meter";
import { KEPT_BODY_BYTES } from "../../src/router/forwarding";
import { RequestRouter } from "../../src/router/router";
import { systemClock } from "../../src/runtime/clock";
import { createLog } from "../../src/runtime/log";
import { atEnd } from "../support/at-end";
import { freePort } from "../support/free-port";

/** A cell that says what it got, or that another one is the home. */
function cell(answerOf: (body: number, request: Request) => Response): string {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => answerOf((await request.bytes()).length, request),
  });
  atEnd(() => server.stop(true));
  return `http://127.0.0.1:${server.port}`;
}

const here = cell((body, { headers }) => Response.json({ body, headers: Object.fromEntries(headers) }));
const sendingTo = (home: string) =>
  cell(() => new Response("{}", { status: 421, headers: { "hermod-cell": home } }));
const cells = [
  { name: "here", url: here },
  { name: "elsewhere", url: sendingTo("here") },
  { name: "away", url: `http://127.0.0.1:${freePort()}` },
];

function routerTo(
  whereabouts: Whereabouts,
  meter: RouterMeter | null = null,
  others: typeof cells = [],
): RequestRouter {
  const directory = { find: async () => whereabouts, forget: () => {} };
  const [basePath, cookie] = [new BasePath(""), new SessionCookie(true)];
  const isReady = () => true;
  return new RequestRouter({
    cells: [...cells, ...others],
    directory,
    basePath,
    cookie,
    isReady,
    mostWaiting: 10,
    meter,
    clock: systemClock,
    log: createLog("silent"),
  });
}

function requestWith(headers: Record<string, string>, body?: string): Request {
  const method = body === undefined ? "GET" : "POST";
  return new Request("http://hooks.example.com/v1/webhooks", {
    method,
    headers: { authorization: "Bearer key", ...headers },
    ...(body !== undefined && { body }),
  });
}

describe("a router", () => {
  test("adds the client's address, and passes on no header of its connection", async () => {
    const headers = { "x-forwarded-for": "192.0.2.1", connection: "x-hop", "x-hop": "1", "keep-alive": "1" };
    const answer = await routerTo({ kind: "cell", name: "here" }).handle(requestWith(headers), "192.0.2.2");
    const got = JSON.parse(await answer.text()).headers;
    expect(got["x-forwarded-for"]).toBe("192.0.2.1, 192.0.2.2");
    expect([got["x-hop"], got["keep-alive"]]).toEqual([undefined, undefined]);
  });

  test("sends a body again to the home that a cell names, and asks the client to if the body is large", async () => {
    const router = routerTo({ kind: "cell", name: "elsewhere" });
    const send = (bytes: number) => {
      const length = { "content-length": String(bytes) };
      return router.handle(requestWith(length, "x".repeat(bytes)), "192.0.2.2");
    };
    expect(JSON.parse(await (await send(KEPT_BODY_BYTES)).text()).body).toBe(KEPT_BODY_BYTES);
    const large = await send(KEPT_BODY_BYTES + 1);
    expect([large.status, large.headers.get("retry-after")]).toEqual([503, "1"]);
  });

  test("follows an account that has moved more than once, but not in circles", async () => {
    const others = [
      { name: "moved", url: sendingTo("elsewhere") },
      { name: "circling", url: sendingTo("circling") },
    ];
    const ask = async (name: string) => {
      const router = routerTo({ kind: "cell", name }, null, others);
      const { status, headers } = await router.handle(requestWith({}), "192.0.2.2");
      return [status, headers.get("hermod-cell")];
    };
    expect(await ask("moved")).toEqual([200, null]);
    expect(await ask("circling")).toEqual([421, "circling"]);
  });

  test("shows pages of any cell that answers", async () => {
    const router = routerTo({ kind: "nowhere" });
    const page = () => router.handle(new Request("http://hooks.example.com/swagger"), "192.0.2.2");
    const answers = await Promise.all(cells.map(page));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test("sends each step of a sign-in to the same cell, which remembers its codes", async () => {
    const router = routerTo({ kind: "nowhere" });
    const step = () =>
      router.handle(new Request("http://hooks.example.com/console/oidc/callback"), "192.0.2.2");
    const answers = await Promise.all(cells.map(step));
    for (const each of answers) expect(await each.json()).toMatchObject({ body: 0 });
  });

  test("leaves out the account of a header where the request names another one, or all", async () => {
    const headers = { "hermod-account": "acc_1", authorization: "Bearer key" };
    const headerAt = async (path: string, method = "GET") => {
      const request = new Request(`http://hooks.example.com/v1${path}`, { method, headers });
      const answer = await routerTo({ kind: "cell", name: "here" }).handle(request, "192.0.2.2");
      return JSON.parse(await answer.text()).headers["hermod-account"];
    };
    expect(await headerAt("/endpoints")).toBe("acc_1");
    expect(await headerAt("/admin/plans")).toBe("acc_1");
    expect(await headerAt("/portal-sessions", "POST")).toBe("acc_1");
    expect(await headerAt("/admin/accounts/acc_2")).toBeUndefined();
    expect(await headerAt("/admin/deliveries?account=acc_2")).toBeUndefined();
  });

  test("counts each answer of a cell, each cell without one, and its own refusals", async () => {
    const metrics = new Metrics();
    const meter = new RouterMeter(
      metrics,
      cells.map(({ name }) => name),
    );
    const ask = (name: string) =>
      routerTo({ kind: "cell", name }, meter).handle(requestWith({}), "192.0.2.2");
    const answers = await Promise.all(["here", "elsewhere", "away"].map(ask));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 503]);
    const families = await metrics.read();
    const samples = families.flatMap(({ name, samples }) =>
      samples.filter(({ value }) => value > 0).map(({ labels, value }) => ({ name, ...labels, value })),
    );
    expect(samples).toEqual(
      expect.arrayContaining([
        { name: "hermod_http_requests_total", value: 3 },
        { name: "hermod_http_errors_total", status: "503", code: "CELL_UNAVAILABLE", value: 1 },
        { name: "hermod_cell_requests_total", cell: "here", result: "2xx", value: 2 },
        { name: "hermod_cell_requests_total", cell: "elsewhere", result: "misdirected", value: 1 },
        { name: "hermod_cell_requests_total", cell: "away", result: "away", value: 1 },
      ]),
    );
  });

  test("refuses by itself who has no token, or one that no cell knows", async () => {
    const router = routerTo({ kind: "nowhere" });
    const without = new Request("http://hooks.example.com/v1/me");
    const answers = await Promise.all(
      [without, requestWith({})].map((each) => router.handle(each, "192.0.2.2")),
    );
    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
  });
});
