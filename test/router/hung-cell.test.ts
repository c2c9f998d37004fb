import { beforeEach, describe, expect, test } from "bun:test";
import { BasePath } from "../../src/api/edge/base-path";
import { SessionCookie } from "../../src/api/session-cookie";
import { HEAD_SECONDS, KEPT_BODY_BYTES } from "../../src/router/forwarding";
import { ENTRY_SECONDS } from "../../src/router/placing";
import { RequestRouter } from "../../src/router/router";
import { ManualClock } from "../accounts/manual-clock";
import { atEnd } from "../support/at-end";
import { until } from "../support/faults/until";
import { keepingLog } from "../support/keeping-log";

const ENTRY = { name: "beside", accepts_accounts: true, accounts: 1_000 };
let hanging = Promise.withResolvers<void>();
const beside = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json({ data: [ENTRY] }) });
const hung = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async () => {
    await hanging.promise;
    return Response.json({ data: [{ ...ENTRY, name: "hung", accounts: 0 }] });
  },
});
const addresses = Object.entries({ beside, hung }).map(([name, { port }]) => ({
  name,
  url: `http://127.0.0.1:${port}`,
}));
for (const server of [beside, hung]) atEnd(() => server.stop(true));

/** Most requests that wait for a cell. */
const MOST = 2;
let clock: ManualClock;
let kept: ReturnType<typeof keepingLog>;
let router: RequestRouter;
beforeEach(() => {
  hanging = Promise.withResolvers();
  clock = new ManualClock();
  kept = keepingLog();
  const directory = { find: async () => ({ kind: "nowhere" }) as const, forget: () => {} };
  const [basePath, cookie] = [new BasePath(""), new SessionCookie(true)];
  const options = { isReady: () => true, mostWaiting: MOST, meter: null, clock, log: kept.log };
  router = new RequestRouter({ cells: addresses, directory, basePath, cookie, ...options });
});

/** Asks the router for what a cell has; with `body` of that length. */
function ask(cell: string, body: RequestInit = {}): Promise<Response> {
  const headers = { authorization: "Bearer key", "hermod-cell": cell, ...body.headers };
  const request = new Request("http://hooks.example.com/v1/webhooks", { ...body, headers });
  return router.handle(request, "192.0.2.2");
}

const waiting = (requests: number) => until(() => hung.pendingRequests === requests);

describe("while a cell hangs, a router", () => {
  test("lets a part of its requests wait for it, refuses further ones at once, and serves other cells", async () => {
    const first = Array.from({ length: MOST }, () => ask("hung"));
    await waiting(MOST);
    const refused = await ask("hung");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect((await ask("beside")).status).toBe(200);
    hanging.resolve();
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await ask("hung")).status).toBe(200);
    expect(kept.lines).toEqual([]);
  });

  test("places an account in another one soon, though the one that hangs is emptier", async () => {
    const headers = { authorization: "Bearer key", "content-length": "2" };
    const making = { method: "POST", headers, body: "{}" };
    const made = router.handle(
      new Request("http://hooks.example.com/v1/admin/accounts", making),
      "192.0.2.2",
    );
    await waiting(1);
    // The other cell has answered, too.
    await until(() => clock.pending === 1);
    clock.pass(ENTRY_SECONDS * 1_000);
    expect(await (await made).json()).toEqual({ data: [ENTRY] });
  });

  test("logs the outage once, but not for a client that is slow with its body", async () => {
    const slow = new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(1)) });
    const length = String(KEPT_BODY_BYTES + 1);
    const sent = ask("hung", { method: "POST", headers: { "content-length": length }, body: slow });
    await waiting(1);
    clock.pass(HEAD_SECONDS * 1_000);
    expect((await sent).status).toBe(503);
    expect(kept.lines).toEqual([]);
    const asked = [ask("hung"), ask("hung")];
    await waiting(2);
    clock.pass(HEAD_SECONDS * 1_000);
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([503, 503]);
    expect(kept.lines.map(({ msg }) => msg)).toEqual([
      "a cell does not answer: its accounts get 503, others are not affected",
    ]);
  });
});
