import { beforeAll, describe, expect, test } from "bun:test";
import { Hermod } from "../../src/client";
import { SETTING_NAMES, SETTINGS } from "../../src/domain/endpoint-settings";
import { recordAttempt } from "../http/attempts";
import { useService } from "../http/service";
import { type Connection, type Said, type Sitting, say } from "./console";

const TARGET = "https://example.com/hooks";

const service = await useService();
/** A client for an account of its own. */
const client = await service.newClient();
const connection: Connection = { url: client.url, key: client.key };
const hermod = new Hermod(connection);

function run(args: readonly string[], sitting?: Sitting): Promise<Said> {
  return say(args, connection, sitting);
}

/** What a command says with --json of a list that has more. */
const HAS_MORE = /^\{"shown":\d+,"has_more":true\}\n$/;

/** The objects that a command prints with --json. */
async function json(...args: readonly string[]) {
  const { code, out, err } = await run([...args, "--json"]);
  expect({ code, err: err.replace(HAS_MORE, "") }).toEqual({ code: 0, err: "" });
  return out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

async function newEndpoint(): Promise<string> {
  return (await hermod.endpoints.create({ url: TARGET })).id;
}

describe("webhooks list and tail", () => {
  let endpoint: string;
  /** Their ids, the oldest first. */
  let sent: string[];

  beforeAll(async () => {
    endpoint = await newEndpoint();
    sent = [];
    for (const [event, total] of [
      ["order.paid", 7],
      ["order.paid", "订单"],
      ["user.created", true],
    ] as const) {
      const data = { total, "a=b": "c=d" };
      const delivery = await hermod.webhooks.send({ endpoint_id: endpoint, event, data });
      sent.push(delivery.id);
    }
    const [answered = "", unanswered = ""] = sent;
    const { db } = service.database;
    await recordAttempt(db, { id: answered, event: "order.paid" }, { status: 503, verdict: "failed" });
    await recordAttempt(db, { id: unanswered, event: "order.paid" }, { status: 0, error: "timeout" });
  });

  /** The positions of the sent deliveries in the output, the newest first. */
  const CASES: [options: string[], found: number[]][] = [
    [[], [2, 1, 0]],
    [["--oldest-first"], [0, 1, 2]],
    [
      ["--limit", "2"],
      [2, 1],
    ],
    [["--oldest-first", "--limit", "1"], [0]],
    [["--status", "failed"], [0]],
    [
      ["--event", "order.paid"],
      [1, 0],
    ],
    [["--response-status", "5xx"], [0]],
    [["--response-status", "0"], [1]],
    [["--error", "timeout", "--oldest-first"], [1]],
    [["--data", "total=7"], [0]],
    [["--data", "total=订单"], [1]],
    [["--data", "total=true", "--event", "order.paid"], []],
    [["--before", "2020-01-01T00:00:00Z"], []],
    [
      ["--after", "2020-01-01T00:00:00Z", "--status", "pending"],
      [2, 1],
    ],
  ];
  for (const [options, found] of CASES) {
    test(`webhooks list ${options.join(" ")}`, async () => {
      const listed = await json("webhooks", "list", "--endpoint", endpoint, ...options);
      expect(listed.map(({ id }) => sent.indexOf(id))).toEqual(found);
    });
  }

  test("an empty list says so, except with --json", async () => {
    const none = ["webhooks", "list", "--event", "none"];
    expect(await run(none)).toMatchObject({ code: 0, out: "", err: "There is none.\n" });
    expect(await run([...none, "--json"])).toMatchObject({ code: 0, out: "", err: "" });
  });

  test("count", async () => {
    expect(await json("webhooks", "count", "--event", "order.paid", "--status", "failed")).toEqual([
      { total: 1 },
    ]);
  });

  test("an invalid filter is a usage error", async () => {
    const wrong = [["total"], ["=7"], ["a=1", "--data", "a=2"], ["a=1", "--error", "toString"]];
    for (const option of wrong) {
      expect(await run(["webhooks", "list", "--data", ...option])).toMatchObject({ code: 2, out: "" });
    }
  });
});

describe("endpoints", () => {
  test("every setting can be set at creation, and later", async () => {
    const given = [
      "--header",
      "x-a: 1:2",
      "--secret-header",
      "authorization: Bearer t",
      "--metadata",
      "team=a=b",
    ];
    const tuning = ["--no-retry", "--timeout", "5000", "--rate-limit", "9"];
    const words = ["--description", "订单 🎉", "--feed", "--filter", "endpoint.*"];
    const [{ id, ...made }] = await json("endpoints", "create", TARGET, ...given, ...tuning, ...words);
    const shown = { headers: { "x-a": "1:2" }, sensitive_headers: ["authorization"] };
    expect(made).toMatchObject({ ...shown, metadata: { team: "a=b" }, feed: true, description: "订单 🎉" });
    expect(made).toMatchObject({ retry_schedule_ms: [], timeout_ms: 5_000, rate_limit: 9 });
    const removed = ["--no-header", "--no-metadata", "--no-description", "--no-feed"];
    const [changed] = await json("endpoints", "update", id, ...removed, "--retry", "none");
    expect(changed).toMatchObject({ headers: {}, metadata: {}, description: null, feed: false });
    expect(changed).toMatchObject({ retry_schedule_ms: null, timeout_ms: 5_000, event_filter: "endpoint.*" });
    const types = ["--event-type", "a,b", "--event-type", "c.*"];
    expect(await json("endpoints", "update", id, ...types)).toMatchObject([{ event_types: ["a,b", "c.*"] }]);
  });

  test("each setting of the table has its default, and an option that sets it", async () => {
    const [{ id, ...made }] = await json("endpoints", "create", TARGET);
    for (const name of SETTING_NAMES) {
      const { default: first, example, option } = SETTINGS[name];
      expect(made[name]).toEqual(first);
      const [flag = ""] = option.flags.split(" ");
      const [changed] = await json("endpoints", "update", id, flag, ...written(example));
      expect(changed[name]).toEqual(example === false ? true : example);
    }
  });

  test("pause and resume", async () => {
    const id = await newEndpoint();
    expect(await json("endpoints", "pause", id)).toMatchObject([{ is_active: false }]);
    expect(await json("endpoints", "resume", id)).toMatchObject([{ is_active: true }]);
  });

  test("a test event carries the sample, or a given payload byte for byte", async () => {
    const id = await newEndpoint();
    const text = '{"n": 12345678901234567890}';
    const given = [[], [text], ["-"], ["--file", "-"]];
    for (const each of given) {
      const { out } = await run(["endpoints", "test", id, ...each, "--json"], { input: text });
      const { text: sent } = await client.get(`/webhooks/${JSON.parse(out).id}`);
      expect(sent.includes(`"data":${text}`)).toBe(each.length > 0);
    }
  });
});

test("a batch repeated with its key sends only what is missing", async () => {
  const id = await newEndpoint();
  const lines = Array.from({ length: 1_500 }, (_, i) => JSON.stringify({ endpoint_id: id, data: { i } }));
  const send = (count: number) => {
    const input = lines.slice(0, count).join("\n");
    return run(["batch", "--idempotency-key", "imported", "--json"], { input });
  };
  const first = await send(1_000);
  const all = await send(1_500);
  expect(all).toMatchObject({ code: 0, out: expect.stringContaining(first.out) });
  expect((await hermod.endpoints.stats(id)).pending).toBe(1_500);
});

test("a payload keeps its numbers as they were sent", async () => {
  const data = '{"id":12345678901234567890,"price":1.50,"big":[1e400,{"n":-0.0}]}';
  const { out } = await run(["send", data, "--endpoint", await newEndpoint(), "--json"]);
  const { id } = JSON.parse(out);
  expect((await run(["webhooks", "get", id])).out).toContain(`data             ${data}\n`);
  expect((await run(["webhooks", "get", id, "--json"])).out).toContain(`"data":${data}`);
});

test("input may begin with a byte order mark, and must be UTF-8", async () => {
  const id = await newEndpoint();
  const send = (input: string | Uint8Array) => run(["send", "--endpoint", id], { input });
  expect(await send('\ufeff{"a":"订单"}')).toMatchObject({ code: 0, err: "" });
  const torn = new TextEncoder().encode('{"a":"订单"}').filter((_byte, i) => i !== 7);
  expect(await send(torn)).toMatchObject({
    code: 2,
    err: "hermod: Standard input is not text in UTF-8\nTry: hermod send --help\n",
  });
});

describe("event types", () => {
  test("get a schema from an argument or standard input, are listed with it, and lose it", async () => {
    const schema = { type: "object", required: ["订单"] };
    for (const [name, ...given] of [["a/b?"], ["c d", "-"], ["e", JSON.stringify(schema)]] as const) {
      const { code, out } = await run(["event-types", "set-schema", name, ...given, "--json"], {
        input: JSON.stringify(schema, null, 2),
      });
      expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 0, event_type: name, schema });
    }
    expect((await json("event-types", "list")).map(({ event_type }) => event_type)).toContain("c d");
    const refused = await run(["send", "{}", "--event", "a/b?"]);
    expect(refused).toMatchObject({ code: 3, err: expect.stringContaining("订单") });
    await run(["event-types", "delete-schema", "a/b?"]);
    expect(await json("event-types", "get", "a/b?")).toMatchObject([{ schema: null }]);
  });

  test("an invalid schema is a usage error, and one that the service does not accept is refused", async () => {
    const none = await run(["event-types", "set-schema", "a", "{"]);
    expect(none).toMatchObject({ code: 2, err: expect.stringMatching(/^hermod: The schema is not JSON\n/) });
    expect(await run(["event-types", "set-schema", "a"])).toMatchObject({ code: 2 });
    expect(await run(["event-types", "set-schema", "a", '{"type": 1}'])).toMatchObject({ code: 3 });
  });
});

describe("trigger", () => {
  test("sends the example of an event type, with fields of its own, and says what it sent", async () => {
    const endpoint = await newEndpoint();
    await hermod.eventTypes.put("trigger.example", { example: { n: 1, of: { a: "x", b: true } } });
    const fields = ["--data", "of.a=12345678901234567890", "--data", "note=two words"];
    const { code, out, err } = await run(["trigger", "trigger.example", "--endpoint", endpoint, ...fields]);
    expect(code).toBe(0);
    const sent = '{"n":1,"of":{"a":12345678901234567890,"b":true},"note":"two words"}';
    expect(err).toBe(`Sent, by its example: ${sent}\n`);
    const [id = ""] = /wh_\w+/.exec(out) ?? [];
    expect((await run(["webhooks", "get", id, "--json"])).out).toContain(`"data":${sent}`);
  });

  test("makes a payload that fits the schema, or repeats the latest one", async () => {
    const order = { type: "object", required: ["id"], properties: { id: { type: "integer", minimum: 5 } } };
    const properties = { at: { type: "string", format: "date-time" }, order: { $ref: "#/$defs/order" } };
    const schema = { type: "object", required: ["at", "order"], properties, $defs: { order } };
    await hermod.eventTypes.putSchema("trigger.schema", schema);
    const [made] = await json("trigger", "trigger.schema");
    expect(made).toMatchObject({ source: "schema", data: { order: { id: 5 } } });
    await hermod.events.publish({ event: "trigger.kept", data: { kept: 1 } });
    const [repeated] = await json("trigger", "trigger.kept");
    expect(repeated).toMatchObject({ source: "kept payload", data: { kept: 1 } });
    expect(repeated.deliveries.length).toBeGreaterThan(0);
  });

  test("says what to send if no payload is known", async () => {
    const err = "hermod: No payload of trigger.none is known\nTry: hermod send '{}' --event trigger.none\n";
    expect(await run(["trigger", "trigger.none"])).toMatchObject({ code: 2, err });
  });
});

describe("--watch", () => {
  const every = ["--watch", "--every", "1"];

  test("draws a list over itself on a terminal, no longer than that, until it is stopped", async () => {
    for (let n = 1; n <= 7; n++) await newEndpoint();
    const terminal = { columns: 80, rows: 8, isColored: false };
    const framesIn = (out: string) => out.split("\u001b[H").slice(1);
    const isEnough = (said: string) => framesIn(said).length === 2;
    const { code, out, err } = await run(["endpoints", "list", ...every], { terminal, isEnough });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    for (const frame of framesIn(out)) {
      expect(frame).toStartWith("Every 1 s until Ctrl-C, ");
      expect(frame.split("\n")).toHaveLength(terminal.rows);
      expect(frame).toMatch(/… \d+ more lines/);
    }
  });

  test("writes only what has changed without a terminal", async () => {
    const id = await newEndpoint();
    const isEnough = (out: string) => {
      if (out.includes(`"description":"second"`)) return true;
      void hermod.endpoints.update(id, { description: "second" });
      return false;
    };
    const { out } = await run(["endpoints", "get", id, "--json", ...every], { isEnough });
    const shown = out.trim().split("\n");
    expect(shown.map((line) => JSON.parse(line).description)).toEqual([null, "second"]);
  });
});

describe("jobs", () => {
  test("are listed, and a cancelled one is watched to its end", async () => {
    const [{ id }] = await json("erase", "--event", "e", "--no-wait");
    const [{ id: second }] = await json("erase", "--event", "e", "--no-wait");
    expect((await json("jobs", "list")).map((job) => job.id)).toEqual([second, id]);
    expect((await json("jobs", "list", "--limit", "1")).map((job) => job.id)).toEqual([second]);
    const ofTwo = await run(["jobs", "list", "--limit", "1"]);
    expect(ofTwo).toMatchObject({ code: 0, err: "These are the first 1; --limit <n> shows more.\n" });
    expect((await run(["jobs", "list", "--limit", "2"])).err).toBe("");
    const inJson = await run(["jobs", "list", "--limit", "1", "--json"]);
    expect(inJson).toMatchObject({ code: 0, err: '{"shown":1,"has_more":true}\n' });
    expect((await run(["jobs", "list", "--limit", "2", "--json"])).err).toBe("");
    expect(await json("jobs", "cancel", id)).toMatchObject([{ id, status: "cancelled" }]);
    const { code, err } = await run(["jobs", "watch", id]);
    expect(code).toBe(1);
    expect(err).toEndWith(`0 examined, 0 erased, cancelled\nhermod: ${id} was cancelled\n`);
    expect(await run(["jobs", "watch", "job_1"])).toMatchObject({ code: 3 });
  });

  test("an erasure must name what it erases", async () => {
    expect(await run(["erase", "--yes"])).toMatchObject({ code: 2 });
  });
});

describe("a command that can't be undone", () => {
  const DESTRUCTIVE: (() => Promise<string[]>)[] = [
    async () => ["endpoints", "delete", await newEndpoint()],
    async () => ["keys", "delete", (await hermod.keys.create()).id],
    async () => ["webhooks", "erase", (await hermod.endpoints.test(await newEndpoint())).id],
    async () => ["event-types", "delete-schema", (await hermod.eventTypes.putSchema("x", {})).event_type],
    async () => ["erase", "--endpoint", await newEndpoint(), "--no-wait"],
  ];

  test("asks at a terminal, and continues only after a yes", async () => {
    for (const make of DESTRUCTIVE) {
      const args = await make();
      for (const says of ["", "n", "yesterday"]) {
        const { code, out, err, questions } = await run(args, { says });
        expect({ code, out, err }).toEqual({ code: 1, out: "", err: "hermod: Nothing was done\n" });
        expect(questions).toEqual([expect.stringMatching(/^[A-Z].*\? \[y\/N\] $/)]);
      }
      expect(await run(args, { says: "Y" })).toMatchObject({ code: 0, err: "" });
    }
  });

  test("does not ask with --yes, with --json or without a terminal", async () => {
    for (const make of DESTRUCTIVE) {
      for (const flag of [["--yes"], ["--json"]]) {
        const said = await run([...(await make()), ...flag], { says: "n" });
        expect(said).toMatchObject({ code: 0, questions: [] });
      }
      expect(await run(await make())).toMatchObject({ code: 0 });
    }
  });
});

test("a plan is created and changed, and a limit can be removed", async () => {
  const set = (requests: string, webhooks: string) =>
    json("plans", "set", "large", "--requests-per-minute", requests, "--webhooks-per-month", webhooks);
  expect(await set("9", "0")).toEqual([{ name: "large", requests_per_minute: 9, webhooks_per_month: 0 }]);
  expect(await set("none", "8")).toEqual([
    { name: "large", requests_per_minute: null, webhooks_per_month: 8 },
  ]);
  expect((await run(["plans", "list"])).out).toMatch(/^NAME .*(?:\n.*)*\nlarge +- +8\n/);
  expect(await run(["plans", "set", "large", "--webhooks-per-month", "8"])).toMatchObject({ code: 2 });
});

test("columns are aligned in every script", async () => {
  const wide = "订单.*";
  await json("endpoints", "create", TARGET, "--filter", wide);
  const { out } = await run(["endpoints", "list"]);
  const lines = out.split("\n").filter((line) => line.includes("https://"));
  const places = lines.map((line) => Bun.stringWidth(line.slice(0, line.indexOf("https://"))));
  expect(new Set(places).size).toBe(1);
});

/** Writes a setting as the value of its option; a switch has none. */
function written(value: unknown): string[] {
  if (typeof value === "boolean") return [];
  if (value === null) return ["none"];
  const isRecord = typeof value === "object" && !Array.isArray(value);
  return [isRecord ? (Object.entries(value).map((entry) => entry.join("="))[0] ?? "") : String(value)];
}
