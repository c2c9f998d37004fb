import { describe, expect, test } from "bun:test";
import { SignJWT } from "jose";
import type { Page } from "playwright-core";
import { LIVE_STREAMS } from "../../src/api/live/live-streams";
import { keyOf, referenceOfToken } from "../../src/cells/reference";
import type { AccountId } from "../../src/domain/ids";
import { PERMISSIONS } from "../../src/domain/permission";
import { createLog } from "../../src/runtime/log";
import { readConfig } from "../../src/service/config";
import { startRouter } from "../../src/service/router";
import { type Service, startService } from "../../src/service/service";
import { launch, signIn } from "../console/browser";
import { CHROMIUM } from "../console/chromium";
import { Browser } from "../http/browser";
import { type Answer, Client, type Json } from "../http/client";
import { atEnd } from "../support/at-end";
import { until } from "../support/faults/until";
import { freePort } from "../support/free-port";
import { natsClient } from "../support/nats-client";
import { type TestDatabase, testDatabase } from "../support/postgres";
import { serverFolder } from "../support/server-folder";
import { testNatsUrl } from "../support/servers";
import { ADMIN_KEY, configOn } from "../support/service-config";

const JWT_SECRET = "a secret for the JWTs of all cells";

const NAMES = ["eu-1", "us-1"] as const;
type CellName = (typeof NAMES)[number];
const PORTS = { "eu-1": freePort(), "us-1": freePort() };
const urlOf = (cell: CellName) => `http://127.0.0.1:${PORTS[cell]}`;
const ENV = {
  HERMOD_CELLS: NAMES.map((name) => `${name}=${urlOf(name)}`).join(","),
  HERMOD_CELLS_NATS_URL: await testNatsUrl(),
  HERMOD_JWT_SECRET: JWT_SECRET,
};
const log = createLog("silent");

const nats = await natsClient(ENV.HERMOD_CELLS_NATS_URL);
const manager = await nats.jetstreamManager();
const loseBucket = () => manager.streams.delete("KV_hermod-cells").catch(() => false);
await loseBucket();
const bucket = () => nats.jetstream().views.kv("hermod-cells");

/** Reads what the directory says of a key. Does not make the bucket. */
async function entryOf(key: string): Promise<string> {
  const query = { last_by_subj: `$KV.hermod-cells.${hintKeyOf(key)}` };
  return (await manager.streams.getMessage("KV_hermod-cells", query)).string();
}

function hintKeyOf(key: string): string {
  const reference = referenceOfToken(key);
  return reference ? keyOf(reference) : "";
}

const folder = await serverFolder();
const databases = { "eu-1": await testDatabase(), "us-1": await testDatabase() };
const cells = { "eu-1": await startCell("eu-1"), "us-1": await startCell("us-1") };
for (const name of NAMES) {
  atEnd(() => databases[name].drop());
  atEnd(() => cells[name].stop());
}

let losing: Promise<void> | null = null;
function loseUs(): Promise<void> {
  losing ??= cells["us-1"].stop();
  return losing;
}

async function startCell(name: CellName): Promise<Service> {
  const env = { ...ENV, HERMOD_CELL: name, PORT: String(PORTS[name]), HERMOD_DRAIN_TIMEOUT: "1s" };
  return startService(await configOn(databases[name], folder, env), "api", log);
}

/** Starts a router, which remembers nothing yet. */
async function newRouter(): Promise<string> {
  const router = await startRouter(
    readConfig({ ...ENV, PORT: "0", HERMOD_DRAIN_TIMEOUT: "1s" }, "router"),
    log,
  );
  atEnd(() => router.stop());
  const url = `http://127.0.0.1:${router.port}`;
  await until(async () => (await fetch(`${url}/health/ready`)).ok);
  return url;
}

/** Asks again after a 503: on a busy machine a cell may need longer for its answer than others wait. */
class PatientClient extends Client {
  override at(url: string): PatientClient {
    return new PatientClient(url, this.accountId, this.key);
  }

  override async ask(...asked: Parameters<Client["ask"]>): Promise<Answer> {
    return until(async () => {
      const answer = await super.ask(...asked);
      return answer.status === 503 ? null : answer;
    });
  }
}

const router = await newRouter();
const admin = new PatientClient(router, "" as AccountId, ADMIN_KEY);
// Until both cells answer questions: what neither has is nowhere.
await until(async () => (await admin.get("/admin/accounts/~nobody")).status === 404);
const at = (cell: CellName) => ({ "hermod-cell": cell });

/** Makes an account in a cell, and a key of it. The client asks the router. */
async function newAccount(
  cell: CellName,
  name: string = crypto.randomUUID(),
): Promise<Client & { id: string }> {
  const account = await admin.expecting(
    201,
    admin.post("/admin/accounts", { name, external_id: name }, at(cell)),
  );
  const { key } = await admin.expecting(201, admin.post(`/admin/accounts/~${name}/keys`, {}));
  return Object.assign(new PatientClient(router, "" as AccountId, key), { id: account.id as string });
}

/** Makes an administrator's key in the account `default` of a cell. The client asks the router. */
async function newChief(cell: CellName): Promise<PatientClient> {
  const fields = { name: crypto.randomUUID(), permissions: PERMISSIONS };
  const { key } = await admin.expecting(201, admin.post("/keys", fields, at(cell)));
  return new PatientClient(router, "" as AccountId, key);
}

async function endpointsIn({ db }: TestDatabase): Promise<string[]> {
  const rows = await db.run((sql) => sql<{ url: string }[]>`select url from endpoints`);
  return rows.map(({ url }) => url);
}

/** Opens as many live streams as an account may have, and ends them. */
async function openStreams({ url, key }: Client): Promise<void> {
  const ending = new AbortController();
  const headers = { authorization: `Bearer ${key}`, accept: "text/event-stream" };
  const open = () =>
    until(async () => {
      const stream = await fetch(`${url}/v1/webhooks/tail`, { headers, signal: ending.signal });
      return stream.status === 200 && (await stream.body?.getReader().read());
    });
  await Promise.all(Array.from({ length: LIVE_STREAMS.ofAccount }, open));
  ending.abort();
}

/** The page of the console that tests share, at the router's address. Its session is in the cell `us-1`. */
const browser = CHROMIUM === null ? null : await launch();
atEnd(() => browser?.close());
const shared = await browser?.newPage({ baseURL: router });

function pageTest(name: string, work: (page: Page) => Promise<void>): void {
  test.skipIf(shared === undefined)(name, async () => {
    if (shared) await work(shared);
  });
}

const endpointOf = (name: string) => ({ url: `http://127.0.0.1:9/${name}` });
const codeOf = ({ body }: { body: Json }) => body.error?.code;

describe("cells behind a router", () => {
  test("get the requests of their own accounts, whatever names the account", async () => {
    const [eu, us] = [await newAccount("eu-1", "shop-eu"), await newAccount("us-1", "shop-us")];
    await eu.expecting(201, eu.post("/endpoints", endpointOf("key")));
    await us.expecting(201, us.post("/endpoints", endpointOf("other")));
    for (const named of [eu.id, "shop-eu", "~shop-eu"])
      await admin.expecting(201, admin.post("/endpoints", endpointOf(named), { "hermod-account": named }));
    const { url: link } = await admin.expecting(
      201,
      admin.post("/portal-sessions", { capabilities: ["view"] }, { "hermod-account": "shop-us" }),
    );
    for (const { id } of [eu, us]) {
      const link = await admin.expecting(
        201,
        admin.post("/portal-sessions", { account: id, capabilities: ["view"] }),
      );
      expect(link.account_id).toBe(id);
    }
    const unnamed = { capabilities: ["view"] };
    expect((await admin.post("/portal-sessions", unnamed)).status).toBe(400);
    await admin.expecting(201, admin.post("/portal-sessions", unnamed, at("eu-1")));
    const token = new PatientClient(router, us.accountId, link.split("token=")[1]);
    const site = { "sec-fetch-site": "same-origin" };
    const opened = await token.expecting(
      201,
      token.post("/portal-sessions/exchange", { embedded: true }, site),
    );
    expect(opened.account_id).toBe(us.id);
    expect(await endpointsIn(databases["eu-1"])).toEqual(
      ["key", eu.id, "shop-eu", "~shop-eu"].map((name) => endpointOf(name).url),
    );
    expect(await endpointsIn(databases["us-1"])).toEqual([endpointOf("other").url]);
  });

  test("answer 421 with the home of another cell's account, and 401, 400 and 404 for what is nowhere", async () => {
    const us = await newAccount("us-1");
    const eu = urlOf("eu-1");
    const chief = admin.at(eu);
    const elsewhere = [
      await us.at(eu).get("/me"),
      await chief.get("/endpoints", { "hermod-account": us.id }),
      await chief.get(`/admin/accounts/${us.id}`),
      await chief.get(`/admin/deliveries?account=${us.id}`),
      await chief.post("/portal-sessions", { account: us.id, capabilities: ["view"] }),
    ];
    for (const answer of elsewhere) {
      expect({
        status: answer.status,
        code: codeOf(answer),
        home: answer.headers.get("hermod-cell"),
      }).toEqual({
        status: 421,
        code: "MISDIRECTED",
        home: "us-1",
      });
      expect(answer.body.error.message).toContain(urlOf("us-1"));
    }
    const nowhere = [
      await new PatientClient(eu, us.accountId, "a key that nobody has").get("/me"),
      await chief.get("/endpoints", { "hermod-account": "nobody" }),
      await chief.get("/admin/accounts/~nobody"),
    ];
    expect(nowhere.map(({ status }) => status)).toEqual([401, 400, 404]);
  });

  test("find the account of a request beside strangers' requests that no cell can look up", async () => {
    const us = await newAccount("us-1");
    const claims = Buffer.from(JSON.stringify({ account_id: "x".repeat(5_000) })).toString("base64url");
    const odd = new PatientClient(router, us.accountId, `e30.${claims}.e30`);
    const names = ["%00", "%ED%A0%80", "x".repeat(300), "%"];
    for (let round = 0; round < 3; round++) {
      const url = await newRouter();
      const strangers = [
        odd.at(url).get("/me"),
        ...names.map((name) => us.at(url).get("/me", { "hermod-account": name })),
        admin.at(url).get(`/admin/accounts/${"y".repeat(600)}`),
      ];
      await us.expecting(200, us.at(url).get("/me"));
      const answers = await Promise.all(strangers);
      expect(answers.map(({ status }) => status)).toEqual([401, 403, 403, 403, 403, 404]);
    }
  });

  test("answer right by a router whose directory is out of date", async () => {
    const us = await newAccount("us-1");
    await us.expecting(200, us.get("/me"));
    await (await bucket()).put(hintKeyOf(us.key), "eu-1");
    const stale = us.at(await newRouter());
    await stale.expecting(201, stale.post("/endpoints", endpointOf("stale")));
    expect(await endpointsIn(databases["us-1"])).toContain(endpointOf("stale").url);
    await until(async () => (await entryOf(us.key)) === "us-1");
  });

  test("answer right while the bucket of the directory is lost, which fills itself again", async () => {
    const accounts = await Promise.all(NAMES.flatMap((name) => [newAccount(name), newAccount(name)]));
    const url = await newRouter();
    const load = (clients: readonly Client[]) =>
      Promise.all(
        clients.map(async (client, i) => {
          const { status, body } = await client.get("/me");
          expect({ status, account: body.account?.id }).toEqual({ status: 200, account: accounts[i]?.id });
        }),
      );
    await Promise.all([load(accounts), loseBucket(), load(accounts.map((each) => each.at(url)))]);
    await loseBucket();
    const again = await newRouter();
    await load(accounts.map((each) => each.at(again)));
    await until(async () => (await entryOf(accounts[0]?.key ?? "")) === "eu-1");
  });

  test("never have one account twice, however many place it at once", async () => {
    const names = Array.from({ length: 8 }, (_, i) => `placed-${i}`);
    const ways = [urlOf("eu-1"), urlOf("us-1"), router].map((url) => admin.at(url));
    const answers = await Promise.all(
      names.flatMap((name) => ways.map((way) => way.put(`/admin/accounts/~${name}`, { name }))),
    );
    expect(answers.map(({ status }) => status).filter((status) => ![200, 201, 421].includes(status))).toEqual(
      [],
    );
    const placed = await Promise.all(
      Object.values(databases).map(({ db }) =>
        db.run((sql) => sql<{ name: string }[]>`select name from accounts where name like 'placed-%'`),
      ),
    );
    expect(
      placed
        .flat()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(names);
  });

  test("list all accounts in pages, newest first, each once", async () => {
    for (const cell of [...NAMES, ...NAMES]) await newAccount(cell);
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page: Json = await admin.expecting(
        200,
        admin.get(`/admin/accounts?limit=3${cursor && `&cursor=${cursor}`}`),
      );
      seen.push(...page.data.map(({ id }: Json) => id));
      cursor = page.cursor;
    }
    const counts = await Promise.all(
      Object.values(databases).map(({ db }) => db.run((sql) => sql`select from accounts`)),
    );
    expect(seen).toEqual(seen.toSorted().reverse());
    // Both have the account `default`, which is listed once.
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBe(counts.flat().length - 1);
  });

  test("admit an administrator of one cell in all of them", async () => {
    const [eu, us] = [await newAccount("eu-1"), await newAccount("us-1", "shop-of-all")];
    const chief = await newChief("eu-1");
    const of = { "hermod-account": "shop-of-all" };
    await chief.expecting(201, chief.post("/endpoints", endpointOf("by-chief"), of));
    const { key } = await chief.expecting(201, chief.post("/admin/accounts/~shop-of-all/keys", {}));
    const made = new PatientClient(router, us.accountId, key);
    await made.expecting(200, made.get("/me"));
    const { name, key_id } = await chief.expecting(200, chief.get("/me", of));
    const { data } = await chief.expecting(
      200,
      chief.get("/admin/audit?operation=createAccountKey&account=shop-of-all"),
    );
    expect(data[0].actor).toMatchObject({ kind: "key", id: key_id, name });
    const accounts = await chief.expecting(200, chief.get("/admin/accounts"));
    expect(accounts.data.map(({ id }: Json) => id)).toContain(us.id);
    await chief.expecting(200, chief.get("/admin/plans", at("us-1")));
    // An account that is named beside the header's counts, in whichever cell it is.
    const beside = { "hermod-account": eu.id };
    await chief.expecting(200, chief.get(`/admin/accounts/${us.id}`, beside));
    await chief.expecting(200, chief.get(`/admin/endpoints?account=${us.id}`, beside));
    const jwt = await new SignJWT({ account_id: eu.id, permissions: PERMISSIONS })
      .setProtectedHeader({ alg: "HS256" })
      .setExpirationTime("1m")
      .sign(new TextEncoder().encode(JWT_SECRET));
    const issued = new PatientClient(router, us.accountId, jwt);
    await issued.expecting(200, issued.get("/endpoints", of));
    const own = await issued.expecting(200, issued.get("/admin/accounts"));
    expect(own.data).toEqual(accounts.data);
    expect((await issued.post("/admin/accounts/~shop-of-all/keys", {})).status).toBe(403);
    // A key of an account has its rights in its own cell alone.
    expect((await eu.get("/admin/accounts")).status).toBe(403);
    expect((await eu.at(urlOf("us-1")).get("/endpoints", of)).status).toBe(421);
  });

  test("send the administrator of another cell home for what is only there", async () => {
    const us = await newAccount("us-1", "shop-with-chief");
    const chief = (await newChief("eu-1")).at(urlOf("us-1"));
    for (const path of ["/me", "/endpoints"]) expect((await chief.get(path)).status).toBe(421);
    const browser = await Browser.signedIn({ url: urlOf("eu-1"), key: ADMIN_KEY });
    const session = browser.at(urlOf("us-1"));
    const of = { "hermod-account": us.id };
    expect((await session.get("/endpoints", of)).status).toBe(200);
    expect((await session.ask("DELETE", "/sessions", undefined, of)).status).toBe(421);
    const mighty = { permissions: ["admin"] };
    expect((await chief.post("/admin/accounts/~shop-with-chief/keys", mighty)).status).toBe(403);
    expect((await chief.post("/portal-sessions", { capabilities: ["view"] }, of)).status).toBe(403);
  });

  test.each(NAMES)(
    "keep the protection of a session of %s in all of them, and end it in all",
    async (cell) => {
      const accounts = [await newAccount("eu-1"), await newAccount("us-1")];
      const browser = (await Browser.signedIn({ url: urlOf(cell), key: ADMIN_KEY })).at(router);
      const create = (id: string, headers: Record<string, string> = {}) =>
        browser.ask("POST", "/endpoints", endpointOf("by-session"), { "hermod-account": id, ...headers });
      for (const { id } of accounts) {
        expect((await create(id)).status).toBe(201);
        expect((await create(id, { "x-hermod-csrf": "forged" })).status).toBe(403);
        expect((await create(id, { "sec-fetch-site": "cross-site" })).status).toBe(403);
      }
      const copies = accounts.map(() => browser.at(router));
      const ended = await browser.ask("DELETE", "/sessions", undefined, {
        "hermod-account": accounts[1]?.id ?? "",
      });
      expect(ended.status).toBe(200);
      for (const [i, { id }] of accounts.entries()) {
        const late = await copies[i]?.ask("POST", "/endpoints", endpointOf("late"), { "hermod-account": id });
        expect([401, 421]).toContain(late?.status ?? 0);
      }
    },
  );

  test("refuse each change by a key as soon as its own cell has revoked it, and reads within five seconds", async () => {
    const us = await newAccount("us-1");
    const chief = await newChief("eu-1");
    const of = { "hermod-account": us.id };
    await chief.expecting(200, chief.get("/endpoints", of));
    const { key_id } = await chief.expecting(200, chief.get("/me"));
    // The router finds the cell of the key.
    await admin.expecting(200, admin.delete(`/admin/keys/${key_id}`));
    expect((await admin.delete(`/admin/keys/${key_id}`)).status).toBe(404);
    expect((await chief.at(urlOf("us-1")).post("/endpoints", endpointOf("late"), of)).status).toBe(421);
    await until(async () => (await chief.get("/endpoints", of)).status === 401);
  });

  test("add up their figures, and merge their audit logs", async () => {
    await Promise.all([newAccount("eu-1", "audited-eu"), newAccount("us-1", "audited-us")]);
    const { data } = await admin.expecting(200, admin.get("/admin/audit?operation=createAccount"));
    const targets = await Promise.all(
      ["audited-eu", "audited-us"].map(async (name) => (await admin.get(`/admin/accounts/~${name}`)).body.id),
    );
    expect(data.map(({ target }: Json) => target)).toEqual(expect.arrayContaining(targets));
    const range = "from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&step=1h";
    const { points } = await admin.expecting(200, admin.get(`/admin/stats/series?${range}`));
    expect(points).toHaveLength(24);
    const unplaced = await admin.get("/admin/plans");
    expect([unplaced.status, unplaced.body.error.message]).toEqual([
      400,
      "This concerns one cell: name one of eu-1, us-1 by Hermod-Cell",
    ]);
  });

  test("say which cell a feed of all accounts hears of", async () => {
    const feed = { ...endpointOf("feed"), feed: true, feed_accounts: ["*"] };
    const chief = await newChief("eu-1");
    const unplaced = await chief.post("/endpoints", feed);
    expect([unplaced.status, unplaced.body.error.message]).toEqual([
      400,
      "A feed of all accounts reports on one cell: name it by Hermod-Cell, and make a feed in each cell",
    ]);
    for (const cell of NAMES) await admin.expecting(201, admin.post("/endpoints", feed, at(cell)));
    const { data } = await chief.expecting(200, chief.get("/admin/endpoints"));
    expect(data.filter(({ url }: Json) => url === feed.url)).toHaveLength(2);
    const us = await newAccount("us-1");
    const elsewhere = await admin.post("/endpoints", { ...feed, feed_accounts: [us.id] }, at("eu-1"));
    expect([elsewhere.status, elsewhere.headers.get("hermod-cell")]).toEqual([421, "us-1"]);
  });

  test("take bodies of any size as they come, and end a stream with its client", async () => {
    const us = await newAccount("us-1");
    const endpoint = await us.expecting(201, us.post("/endpoints", endpointOf("large")));
    const data = `{"number":12345678901234567890,"text":"${"x".repeat(300_000)}"}`;
    const sent = await us.expecting(
      201,
      us.ask("POST", "/webhooks", `{"endpoint_id":"${endpoint.id}","event":"a.b","data":${data}}`),
    );
    expect((await us.get(`/webhooks/${sent.id}`)).text).toContain(data);
    expect((await us.ask("POST", "/webhooks", "x".repeat(2_000_000))).status).toBe(413);
    for (let round = 0; round < 2; round++) await openStreams(us);
  });

  test("are drained of new accounts, and keep those that they have", async () => {
    const eu = await newAccount("eu-1", "kept");
    await admin.expecting(200, admin.patch("/admin/cells/eu-1", { accepts_accounts: false }));
    const { data } = await admin.expecting(200, admin.get("/admin/cells"));
    expect(data.map(({ name, accepts_accounts }: Json) => [name, accepts_accounts])).toEqual([
      ["eu-1", false],
      ["us-1", true],
    ]);
    const { id } = await admin.expecting(201, admin.post("/admin/accounts", { name: "new" }));
    await admin.at(urlOf("us-1")).expecting(200, admin.at(urlOf("us-1")).get(`/admin/accounts/${id}`));
    expect((await admin.post("/admin/accounts", { name: "new" }, at("eu-1"))).status).toBe(409);
    await admin.expecting(200, admin.put("/admin/accounts/~kept", { name: "renamed" }));
    await eu.expecting(200, eu.get("/me"));
    await admin.expecting(200, admin.patch("/admin/cells/eu-1", { accepts_accounts: true }));
  });

  pageTest("show in the console all that they have, and one of them alone", async (page) => {
    const [eu, us] = [await newAccount("eu-1", "seen-eu"), await newAccount("us-1", "seen-us")];
    const [, inUs] = await Promise.all(
      [eu, us].map((each, i) => each.newEndpoint({ description: `seen-${i}` })),
    );
    const { key } = await newChief("us-1");
    await signIn(page, "/console/all?tab=endpoints", key);
    await page.getByText("seen-0").first().waitFor();
    await page.getByRole("link", { name: "seen-1" }).click();
    await page.getByText(inUs.url).first().waitFor();
    await page.getByRole("link", { name: "System" }).click();
    await page.getByRole("table", { name: "Cells" }).getByRole("button", { name: "us-1" }).click();
    await page.getByRole("table", { name: "Processes" }).waitFor();
    expect(new URL(page.url()).searchParams.get("cell")).toBe("us-1");
    await page.getByRole("link", { name: "All accounts" }).click();
    await page.getByRole("link", { name: "Endpoints", exact: true }).last().click();
    await page.getByText("seen-1").first().waitFor();
    expect(await page.getByText("seen-0").count()).toBe(0);
    await page.getByLabel("Cell").selectOption("All cells");
    await page.getByText("seen-0").first().waitFor();
  });

  test("do not notice that another one is down, whose accounts get 503", async () => {
    const [eu, us] = [await newAccount("eu-1"), await newAccount("us-1")];
    await eu.expecting(200, eu.get("/me"));
    await loseUs();
    const impatient = new Client(router, us.accountId, us.key);
    const away = await impatient.get("/me");
    expect({ status: away.status, wait: away.headers.get("retry-after") }).toEqual({
      status: 503,
      wait: "1",
    });
    await eu.expecting(201, eu.post("/endpoints", endpointOf("beside")));
    const cold = eu.at(await newRouter());
    await cold.expecting(200, cold.get("/me"));
    const { data } = await admin.expecting(200, admin.get("/admin/cells"));
    expect(data.map(({ is_reachable }: Json) => is_reachable)).toEqual([true, false]);
    const whole = await new Client(router, "" as AccountId, ADMIN_KEY).get("/admin/accounts");
    expect([whole.status, whole.body.error.message]).toEqual([
      503,
      "The cell us-1 does not answer; try again shortly",
    ]);
  });

  pageTest("name the one that is down in the console, which shows the others", async (page) => {
    await loseUs();
    await page.goto("/console/all?tab=endpoints");
    await page.getByRole("button", { name: "Sign in again" }).click();
    await page.getByLabel("API key").fill(ADMIN_KEY);
    await page.keyboard.press("Enter");
    await page.getByText("No answer from us-1").waitFor();
    await page.getByText("The cell us-1 does not answer").waitFor();
    await page.getByLabel("Cell").selectOption("eu-1");
    await page.getByText("seen-0").first().waitFor();
  });
});
