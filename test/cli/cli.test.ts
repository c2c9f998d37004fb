import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Hermod } from "../../src/client";
import { publishAddress } from "../../src/service/api-address";
import { makeFolder } from "../embedded/folder";
import { Cluster } from "../support/faults/cluster";
import type { HermodProcess } from "../support/faults/hermod-process";
import { until } from "../support/faults/until";
import { Cli } from "./cli";

const ABSENT = "ep_01k9x3v5q8e7bt2m4n6p8r0s2t";
/** Control characters that a receiver or a payload may contain. */
const HOSTILE = "\u001b[2J\u001b]0;pwned\u0007\u009b31m\u202e";
const CONTROL = /(?!\n)[\p{Cc}\u202e]/u;

let cluster: Cluster;
let service: HermodProcess;
/** Runs in the folder where the service runs. */
let cli: Cli;
let hermod: Hermod;
let key: string;

beforeAll(async () => {
  // Without a configured key the service makes one and keeps it, as for a newcomer.
  cluster = await Cluster.start({ postgres: "shared", env: { HERMOD_ADMIN_KEY: "" } });
  service = await cluster.launch("all", "all");
  const dataDir = join(cluster.folder, "data");
  cli = new Cli({ HERMOD_DATA_DIR: dataDir });
  key = (await readFile(join(dataDir, "admin-key"), "utf8")).trim();
  hermod = new Hermod({ url: service.url, key });
});
afterAll(() => cluster[Symbol.asyncDispose]());

/** Returns the line of a failing command, and the command that it says to try. */
async function failureOf(args: readonly string[], using = cli) {
  const { code, err } = await using.run(args);
  const [, line = "", next = null] = /^(.*)\n(?:Try: (.*)\n)?$/.exec(err) ?? [];
  expect({ err, line }).not.toEqual({ err, line: "" });
  return { code, line, next };
}

describe("the service that a command asks", () => {
  test("is the one that runs in the same folder, with its key", async () => {
    const [[stats], [usage]] = await Promise.all([cli.json(["stats"]), cli.json(["usage"])]);
    expect(stats).toEqual(await hermod.stats());
    expect(usage).toEqual(await hermod.usage());
    expect((await cli.run(["stats"])).out).toMatch(/^total_deliveries +\d+\ndelivered +\d+\n/);
  });

  test("is reached without the proxy if it is on this machine", async () => {
    // Nothing listens there: a request through it fails.
    const proxy = "http://127.0.0.1:9";
    const behind = cli.with({ HTTP_PROXY: proxy, http_proxy: proxy, HTTPS_PROXY: proxy, ALL_PROXY: proxy });
    const { port } = new URL(service.url);
    await behind.json(["stats"]);
    for (const host of ["127.0.0.1", "localhost", "127.1"])
      await behind.with({ HERMOD_URL: `http://${host}:${port}`, HERMOD_KEY: key }).json(["stats"]);
    const elsewhere = behind.with({ HERMOD_URL: "http://hermod.invalid", HERMOD_KEY: key });
    expect((await failureOf(["stats"], elsewhere)).line).toContain("No answer from http://hermod.invalid");
  });

  test("is named with the source of the key if it refuses that key", async () => {
    const elsewhere = cli.with({ HERMOD_ADMIN_KEY: "of-another-installation" });
    // The key that this service has made wins over a key that other installations are started with.
    await elsewhere.json(["stats"]);
    const { origin } = new URL(service.url);
    const { code, line } = await failureOf(["stats"], elsewhere.with({ HERMOD_KEY: "wrong" }));
    expect(code).toBe(3);
    expect(line).toEndWith(` (asked ${origin} with the key from HERMOD_KEY)`);
  });

  test("gets its configured key, not the one that its folder still holds", async () => {
    await using folder = await makeFolder();
    const given = cli.with({ HERMOD_DATA_DIR: folder.dataDir });
    const address = await publishAddress(folder.dataDir, { url: service.url, keyIsKept: false });
    await writeFile(join(folder.dataDir, "admin-key"), "of-an-earlier-start");
    const { origin } = new URL(service.url);
    const { line } = await failureOf(["stats"], given);
    expect(line).toBe(`hermod: No key for ${origin}; give --key or HERMOD_KEY`);
    await given.with({ HERMOD_ADMIN_KEY: key }).json(["stats"]);
    await address.withdraw();
  });

  test("does not get this folder's key if it is another one", async () => {
    const asked: string[] = [];
    await using other = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => {
        asked.push(request.headers.get("authorization") ?? "");
        return Response.json({ total_deliveries: 1 });
      },
    });
    const url = `http://127.0.0.1:${other.port}`;
    const { code, line } = await failureOf(["stats", "--url", url]);
    expect({ code, line }).toEqual({ code: 2, line: `hermod: No key for ${url}; give --key or HERMOD_KEY` });
    expect(asked).toEqual([]);
    const named = cli.with({ HERMOD_URL: url, HERMOD_KEY: "from-env" });
    await Promise.all([named.json(["stats"]), named.json(["--key", "from-flag", "stats"])]);
    expect(asked.toSorted()).toEqual(["Bearer from-env", "Bearer from-flag"]);
  });
});

describe("a failing command", () => {
  const gone = { HERMOD_URL: "http://127.0.0.1:9", HERMOD_KEY: "k", HERMOD_DATA_DIR: "/nonexistent" };
  const CASES: [name: string, args: string[], code: number, line: RegExp][] = [
    ["a refusal", ["endpoints", "create", "ftp://x"], 3, /^hermod: 400 BAD_REQUEST: url must begin/],
    ["nothing there", ["endpoints", "get", ABSENT], 3, /^hermod: 404 NOT_FOUND: /],
    [
      "a wrong key",
      ["stats", "--key", "hmd_no"],
      3,
      /^hermod: 401 UNAUTHORIZED: .* with the key from --key\)$/,
    ],
    ["a key that can't be one", ["stats", "--key", "a\nb"], 2, /^hermod: The key has characters/],
    ["a variable that is not set", ["endpoints", "get", ""], 2, /^hermod: The argument id is empty$/],
    ["another account without a name", ["keys", "create", "--account", ""], 2, /It must not be empty\.$/],
    ["an empty idempotency key", ["send", "{}", "--idempotency-key", ""], 2, /It must not be empty\.$/],
    ["a port that is none", ["listen", "--port", "65536"], 2, /from 0 to 65535\.$/],
    ["an answer that is none", ["listen", "--answer", "600"], 2, /from 200 to 599\.$/],
    ["an unknown command", ["tial"], 2, /^hermod: unknown command 'tial' \(Did you mean tail\?\)$/],
    ["an unknown option", ["stats", "--nope"], 2, /^hermod: unknown option '--nope'$/],
    ["hostile arguments", [HOSTILE], 2, /^hermod: unknown command '\\u001b\[2J/],
    ["a bad choice", ["webhooks", "list", "--status", "x"], 2, /must be one of pending, /],
    ["no payload", ["send", "--event", "a"], 2, /not JSON$/],
    ["a payload that is none", ["send", "[1"], 2, /not JSON$/],
    ["a file that is not text", ["send", "--file", "/usr/bin/env"], 2, / is not text in UTF-8$/],
    ["a file that is not there", ["send", "--file", "/nonexistent"], 1, /ENOENT/],
  ];
  test("says in a line why, and in another what to try, and exits with a code", async () => {
    const failures = await Promise.all(CASES.map(([, args]) => failureOf(args)));
    for (const [i, [name, , code, line]] of CASES.entries()) {
      expect({ name, code: failures[i]?.code }).toEqual({ name, code });
      expect(failures[i]?.line).toMatch(line);
      expect(failures[i]?.line).not.toMatch(CONTROL);
    }
    const tried = Object.fromEntries(CASES.map(([name], i) => [name, failures[i]?.next]));
    expect(tried).toMatchObject({
      "a refusal": "hermod endpoints create --help",
      "nothing there": "hermod endpoints list",
      "a bad choice": "hermod webhooks list --help",
      "an unknown command": "hermod --help",
      "a file that is not there": null,
    });
  });

  test("prints JSON with --json, even for wrong arguments", async () => {
    const [refused, misused] = await Promise.all([
      failureOf(["endpoints", "get", ABSENT, "--json"]),
      failureOf(["--json", "tial"]),
    ]);
    const message = "There is no such endpoint";
    expect(JSON.parse(refused.line)).toEqual({
      error: {
        code: "NOT_FOUND",
        status: 404,
        message,
        request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        try: "hermod endpoints list",
      },
    });
    expect(JSON.parse(misused.line)).toMatchObject({ error: { code: null, status: null } });
  });

  test("names the port that it can't listen on", async () => {
    const { hostname, port } = new URL(service.url);
    const { code, line } = await failureOf(["listen", "--port", port]);
    expect(code).toBe(1);
    expect(line).toStartWith(`hermod: Can't listen on ${hostname}, port ${port}: `);
  });

  test.skipIf(!existsSync("/dev/full"))(
    "fails if its output can't be written, even while following",
    async () => {
      const { id } = await hermod.endpoints.create({ url: "http://127.0.0.1:1/", event_filter: "full" });
      await hermod.webhooks.send({ endpoint_id: id, event: "full", data: {} });
      const full = await Promise.all([
        cli.writing(["usage"], "/dev/full"),
        cli.writing(["tail", "--from", "start"], "/dev/full"),
      ]);
      for (const { code, err } of full) {
        expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/^hermod: ENOSPC.*\n$/) });
      }
    },
  );

  test("exits with 4 if the service can't be reached", async () => {
    const { code, line, next } = await failureOf(["stats"], cli.with(gone));
    expect(code).toBe(4);
    expect(line).toStartWith("hermod: No answer from http://127.0.0.1:9: ");
    expect(next).toBe("curl http://127.0.0.1:9/health/live");
  });
});

describe("a command", () => {
  test("creates, lists, changes and deletes accounts, keys and endpoints", async () => {
    const [account] = await cli.json(["accounts", "create", "Shop", "--plan", "pro"]);
    const permissions = ["--permission", "endpoints:write", "--permission", "endpoints:read"];
    const [key] = await cli.json([
      "keys",
      "create",
      "--account",
      account.id,
      "--name",
      "till",
      ...permissions,
    ]);
    expect(key.permissions).toEqual(["endpoints:write", "endpoints:read"]);
    const shop = cli.with({ HERMOD_URL: service.url, HERMOD_KEY: key.key });
    const headers = ["--header", "x-shop: north: 1", "--header", "x-b:2"];
    const [made] = await shop.json([
      "endpoints",
      "create",
      "http://127.0.0.1:1/",
      "--filter",
      "a.*",
      ...headers,
    ]);
    expect(made).toMatchObject({ event_filter: "a.*", headers: { "x-shop": "north: 1", "x-b": "2" } });
    const [[changed], [rotated]] = await Promise.all([
      shop.json([
        "endpoints",
        "update",
        made.id,
        "--no-active",
        "--rate-limit",
        "5",
        "--retry",
        "1000,2000",
        "--ordering",
        "unordered",
      ]),
      shop.json(["endpoints", "rotate-secret", made.id, "--overlap", "0"]),
    ]);
    const kept = { event_filter: "a.*", headers: made.headers, timeout_ms: null };
    const tuning = { rate_limit: 5, retry_schedule_ms: [1_000, 2_000], ordering: "unordered" };
    expect(changed).toMatchObject({ is_active: false, ...kept, ...tuning });
    expect(rotated.signing_secret).not.toBe(made.signing_secret);
    const none = ["--retry", "none", "--timeout", "none", "--rate-limit", "none"];
    const [untuned] = await shop.json(["endpoints", "update", made.id, ...none]);
    expect(untuned).toMatchObject({ rate_limit: null, retry_schedule_ms: null, timeout_ms: null });
    const [lists, refused, keys, accounts] = await Promise.all([
      shop.run(["endpoints", "list"]),
      failureOf(["stats"], shop),
      cli.json(["keys", "list", "--account", account.id]),
      cli.run(["accounts", "list"]),
    ]);
    expect(lists.out.split("\n").slice(1, 2)).toEqual([
      `${made.id}  paused    a.*                   ${made.url}`,
    ]);
    expect(refused).toMatchObject({ code: 3, line: expect.stringContaining("403 FORBIDDEN") });
    expect(keys.map(({ name }) => name)).toEqual(["till"]);
    expect(accounts.out).toContain("Shop");
    expect(await shop.json(["endpoints", "delete", made.id])).toEqual([{ deleted: true }]);
    expect(await cli.json(["keys", "delete", key.id, "--any-account"])).toEqual([{ deleted: true }]);
  });

  test("follows, listens, verifies and shows payloads byte for byte, and deletes its endpoint at the end", async () => {
    await using listening = cli.start(["listen", "--json", "--filter", "user.*"]);
    await using tailing = cli.start(["tail", "--json", "--from", "start", "--event", "user.created"]);
    const [{ endpoint_id, url }] = await listening.objects(1);
    const text = '{"n": 12345678901234567890}';
    const sends = [
      // One after the other, so that they arrive in this order.
      await cli.run(["send", text, "--event", "user.created", "--endpoint", endpoint_id]),
      await cli.run(["send", "--event", "user.created", "--json"], `{"text":${JSON.stringify(HOSTILE)}}\n`),
    ];
    expect(sends.map(({ code }) => code)).toEqual([0, 0]);
    await listening.objects(3);
    const forged = await fetch(url, { method: "POST", body: "{}", headers: { "webhook-id": "wh_1" } });
    expect(forged.status).toBe(401);
    const [, first, second, refused] = await listening.objects(4);
    expect(first).toMatchObject({ verified: true, event: "user.created", sequence: 1, attempt: 1 });
    expect(listening.output).toContain(`"data":${text}}`);
    expect(second).toMatchObject({ sequence: 2, data: { text: HOSTILE } });
    expect(refused).toEqual({ verified: false, error: "Missing required headers" });
    expect((await tailing.objects(2)).map(({ id }) => id)).toEqual([first.id, second.id]);
    const [listened, tailed] = await Promise.all([listening.interrupt(), tailing.interrupt()]);
    expect([listened.code, tailed.code]).toEqual([0, 0]);
    expect(listened.out).not.toMatch(CONTROL);
    expect((await failureOf(["endpoints", "get", endpoint_id])).code).toBe(3);
  });

  test("that listens ends in order if a signal comes twice at once, and at once if the second comes later", async () => {
    const answers = Promise.withResolvers<void>();
    const target = new URL(service.url);
    // Deletes slowly, so that the second signal comes meanwhile.
    await using slow = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(request) {
        if (request.method === "DELETE") await answers.promise;
        return fetch(new URL(new URL(request.url).pathname, target), request);
      },
    });
    const through = cli.with({ HERMOD_URL: slow.url.origin, HERMOD_KEY: key });
    await using patient = through.start(["listen", "--json"]);
    await using stuck = through.start(["listen", "--json"]);
    const [[{ endpoint_id }]] = await Promise.all([patient.objects(1), stuck.objects(1)]);
    const ending = patient.interrupt(5);
    const { code } = await stuck.interrupt(700);
    expect(code).toBe(130);
    answers.resolve();
    expect(await ending).toMatchObject({ code: 0 });
    expect((await failureOf(["endpoints", "get", endpoint_id])).code).toBe(3);
  });

  test("that follows continues where it was after the service was down", async () => {
    const target = new URL(service.url);
    const pass = (request: Request) => {
      const { pathname, search } = new URL(request.url);
      return fetch(new URL(pathname + search, target), request);
    };
    const front = (port: number) => Bun.serve({ port, hostname: "127.0.0.1", fetch: pass });
    const before = front(0);
    const { port = 0 } = before;
    const { id: endpoint_id } = await hermod.endpoints.create({
      url: "https://example.com/",
      event_filter: "away",
    });
    const send = async () => (await hermod.webhooks.send({ endpoint_id, event: "away", data: {} })).id;
    const first = await send();
    const options = ["--url", before.url.origin, "--from", "start", "--event", "away"];
    await using tailing = cli.with({ HERMOD_KEY: key }).start(["tail", ...options]);
    await until(() => tailing.output.includes(first));
    await before.stop(true);
    const meanwhile = await send();
    await until(() => tailing.errors.includes("can't be reached"));
    await using _after = front(port);
    await until(() => tailing.output.includes(meanwhile));
    const { code, err, out } = await tailing.interrupt();
    const notes = "Hermod can't be reached. The command continues once it is back.\nHermod is back.\n";
    expect([code, err]).toEqual([0, notes]);
    expect(out.split(first)).toHaveLength(2);
  });

  test("that reads an endpoint goes on after the service was killed, and repeats nothing", async () => {
    const { id } = await hermod.endpoints.create({ delivery: "pull", event_filter: "read" });
    const send = () => hermod.webhooks.send({ endpoint_id: id, event: "read", data: {} });
    for (let n = 1; n <= 2; n++) await send();
    await using reading = cli
      .with({ HERMOD_URL: service.url, HERMOD_KEY: key })
      .start(["receive", id, "--ack", "--follow"]);
    await reading.objects(2);
    await until(async () => (await hermod.endpoints.stats(id)).pending === 0);
    await service.kill();
    await until(() => reading.errors.includes("can't be reached"));
    await service.start();
    await send();
    const read = await reading.objects(3);
    expect(read.map(({ sequence, attempt }) => [sequence, attempt])).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
    ]);
    expect((await reading.interrupt()).code).toBe(0);
  });

  test("shows a terminal only text from receivers and payloads", async () => {
    await using receiver = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(HOSTILE) });
    const { id } = await hermod.endpoints.create({ url: receiver.url.href, event_filter: "bad" });
    const sent = await hermod.webhooks.send({ endpoint_id: id, event: "bad", data: { [HOSTILE]: HOSTILE } });
    await until(async () => (await hermod.webhooks.get(sent.id)).status === "delivered");
    const { out } = await cli.run(["webhooks", "get", sent.id]);
    expect(out).toContain("pwned");
    expect(out).not.toMatch(CONTROL);
  });

  test("sends a batch in several requests, and shows the refused items", async () => {
    const { id } = await hermod.endpoints.create({ url: "http://127.0.0.1:1/", event_filter: "batch" });
    await hermod.endpoints.update(id, { is_active: false });
    const lines = Array.from({ length: 1_200 }, (_, i) =>
      JSON.stringify({ endpoint_id: i === 1_100 ? ABSENT : id, event: "batch", data: { i } }),
    );
    const { code, out, err } = await cli.run(["batch", "--json"], `${lines.join("\n")}\n\n`);
    expect({ code, error: JSON.parse(err).error.message }).toEqual({
      code: 3,
      error: "1 of 1200 were refused",
    });
    const results = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(results.map(({ line }) => line)).toEqual(lines.map((_, i) => i + 1));
    expect(results.filter(({ status }) => status !== 201)).toMatchObject([{ line: 1_101, status: 400 }]);
    const listed = await cli.json(["webhooks", "list", "--endpoint", id, "--limit", "150"]);
    expect(listed.map((each) => each.id)).toEqual(
      results
        .map(({ webhook }) => webhook?.id)
        .filter(Boolean)
        .toReversed()
        .slice(0, 150),
    );
  });

  test("gives a slow reader everything, and ends when its reader has enough", async () => {
    const { id } = await hermod.endpoints.create({ url: "http://127.0.0.1:1/", event_filter: "much" });
    await hermod.endpoints.update(id, { is_active: false });
    const webhook = { endpoint_id: id, event: "much", data: {} };
    await hermod.webhooks.sendMany(Array.from({ length: 600 }, () => webhook));
    const list = ["webhooks", "list", "--endpoint", id, "--limit", "1000", "--json"];
    const [all, some] = await Promise.all([
      cli.piped(list, "(sleep 0.5; wc -l)"),
      cli.piped(["tail", "--from", "start"], "head -n 2"),
    ]);
    expect(Number(all)).toBe(600);
    expect(some).toStartWith("CREATED ");
  });

  test("waits for the reader of a long list instead of buffering it", async () => {
    let pages = 0;
    await using endless = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => {
        const data = Array.from({ length: 100 }, () => ({ id: "x".repeat(1_000) }));
        return Response.json({ data, cursor: String(++pages) });
      },
    });
    const url = endless.url.href;
    const reading = ["webhooks", "list", "--limit", "1000000", "--json", "--url", url, "--key", "k"];
    expect(await cli.piped(reading, "(sleep 1; head -c 1)")).toBe("{");
    expect(pages).toBeLessThan(20);
  });

  test("that listens deletes its endpoint even if its output is no longer read", async () => {
    let isOver = false;
    const listened = cli.piped(["listen", "--filter", "enough", "--json"], "head -n 1").finally(() => {
      isOver = true;
    });
    // It notices that nobody reads when it writes.
    await until(async () => {
      await hermod.events.publish({ event: "enough", data: {} });
      return isOver;
    });
    const first = JSON.parse(await listened);
    expect(first).toMatchObject({ listening: true });
    expect((await failureOf(["endpoints", "get", first.endpoint_id])).code).toBe(3);
  });

  test("shows a replay up to its end", async () => {
    await using receiver = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("ok") });
    const { id } = await hermod.endpoints.create({ url: receiver.url.href, event_filter: "again" });
    await hermod.webhooks.sendMany(
      Array.from({ length: 20 }, (_, i) => ({ endpoint_id: id, event: "again", data: { i } })),
    );
    await until(
      async () => (await hermod.webhooks.list({ endpoint_id: id, status: "pending" })).data.length === 0,
    );
    const { code, err } = await cli.run(["replay", id, "--status", "delivered"]);
    expect({ code, last: err.trim().split("\n").at(-1) }).toEqual({
      code: 0,
      last: `[${"#".repeat(30)}] 100 %  20/20 examined, 20 sent again, completed`,
    });
  });
});

test("no longer finds a service that has ended", async () => {
  await service.terminate();
  expect(existsSync(join(cluster.folder, "data/api.json"))).toBe(false);
  const { code, line } = await failureOf(["stats"]);
  expect({ code, line }).toEqual({
    code: 2,
    line: "hermod: No Hermod runs from this folder; give --url or HERMOD_URL, or log in",
  });
});
