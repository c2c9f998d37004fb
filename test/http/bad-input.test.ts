import { describe, expect, test } from "bun:test";
import { expectError } from "./client";
import { ABSENT, nameOf, ROUTES } from "./routes";
import { useService } from "./service";

const service = await useService();
const client = await service.newClient();
const endpointId: string = (await client.newEndpoint()).id;
const keyId: string = (await client.expecting(201, client.post("/keys", {}))).id;
const accountId: string = (await client.expecting(201, client.post("/admin/accounts", { name: "a" }))).id;

/** JSON texts that are not strings. */
const NO_STRINGS = ["1", "true", "null", "[]", '["x"]', "{}", "1e999", "-0"];
/** The same for creates, where null counts as absent. */
const isGiven = (json: string) => json !== "null";
const NO_GIVEN_STRINGS = NO_STRINGS.filter(isGiven);
/** JSON texts of strings that no field accepts. */
const NO_TEXTS = [
  '"a\\u0000b"',
  '"\\u0000"',
  '"a\\nb"',
  '"\\u001b[31m"',
  '"\\u007f"',
  '"\\u0085"',
  '"\\ud800"',
  '"\\udc00x"',
];
const EMPTY = '""';
const tooLong = (length: number) => JSON.stringify("x".repeat(length + 1));
const NO_BOOLEANS = ["1", "0", '"true"', "null", "[]", "{}"];
const NO_BATCHES = ["1", "true", "null", "{}", '"x"', "[]", `[${"1,".repeat(1_000)}1]`];
const NO_DATES = [EMPTY, '"soon"', '"2026-02-30"', '"2026-01-01T24:30"', '"1924992000000"'];
const NO_LIMITS = ['"5"', "true", "[]", "{}", "1.5", "-1", "1e999", "9007199254740993", '""'];

/** JSON texts of headers that can't be sent. */
const NO_HEADERS = [
  ...[...NO_STRINGS, ...NO_TEXTS, EMPTY, tooLong(4_096)].map((value) => `{"x-a":${value}}`),
  '{"x-a":{"value":"b","secret":true}}',
  ...['" a"', '"a "', '"a\\r\\nx-b: c"', '"a\\tb"', '"é"', '"😀"'].map((value) => `{"x-a":${value}}`),
  ...["", "a b", "a:b", "a\\r\\nb", "a\\u0000", "é", "a/b", "(a)", '\\"a\\"', "a,b", "x".repeat(129)].map(
    (name) => `{"${name}":"v"}`,
  ),
  ...["host", "Host", "HOST", "content-length", "Content-Type", "content-encoding", "accept-encoding"]
    .concat(["transfer-encoding", "Connection", "keep-alive", "TE", "trailer", "upgrade", "http2-settings"])
    .concat(["expect", "user-agent", "proxy-authorization", "Proxy-Connection", "proxy-x", "webhook-id"])
    .concat(["Webhook-Signature", "webhook-timestamp", "webhook-x", "__proto__"])
    .map((name) => `{"${name}":"v"}`),
  '{"x-a":"b","X-A":"c"}',
  JSON.stringify(Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`x-${i}`, "v"]))),
  JSON.stringify({ "x-a": "v".repeat(3_100), "x-b": "v".repeat(3_100) }),
];
const NO_OBJECTS = ["1", "true", "null", "[]", '["x"]', '"{}"', '""'];
const NO_METADATA = [
  '{"a":1}',
  '{"a":null}',
  '{"a":{"b":"c"}}',
  '{"a":"\\u0000"}',
  '{"a":"\\ud800"}',
  '{"a\\nb":"c"}',
  '{"":"a"}',
  '{"a\\u2028":1}',
  JSON.stringify({ a: "x".repeat(513) }),
  JSON.stringify({ ["x".repeat(65)]: "a" }),
  JSON.stringify(Object.fromEntries(Array.from({ length: 51 }, (_, i) => [i, ""]))),
];
const NO_SCHEDULES = [
  "1",
  "true",
  '"1s"',
  "{}",
  "[null]",
  '["1s"]',
  "[99]",
  "[1000.5]",
  "[-1]",
  "[86400001]",
  "[1e999]",
  JSON.stringify(Array(21).fill(1_000)),
  JSON.stringify(Array(8).fill(86_400_000)),
];

type Place = { name: string; method: string; path: () => string; others?: () => Record<string, unknown> };
const sends: Omit<Place, "name"> = {
  method: "POST",
  path: () => "/webhooks",
  others: () => ({ endpoint_id: endpointId, data: {} }),
};
const publishes: Omit<Place, "name"> = {
  method: "POST",
  path: () => "/events",
  others: () => ({ event: "a", data: {} }),
};
const replays: Omit<Place, "name"> = { method: "POST", path: () => `/endpoints/${endpointId}/replay` };
const erases: Omit<Place, "name"> = { method: "POST", path: () => "/erasures" };
const creates: Omit<Place, "name"> = {
  method: "POST",
  path: () => "/endpoints",
  others: () => ({ url: "https://example.com" }),
};
const updates: Omit<Place, "name"> = { method: "PATCH", path: () => `/endpoints/${endpointId}` };
const rotates: Omit<Place, "name"> = {
  method: "POST",
  path: () => `/endpoints/${endpointId}/rotate-secret`,
};
const makesKeys: Omit<Place, "name"> = { method: "POST", path: () => "/keys" };
const makesAccounts: Omit<Place, "name"> = {
  method: "POST",
  path: () => "/admin/accounts",
  others: () => ({ name: "x" }),
};
const puts: Omit<Place, "name"> = {
  method: "PUT",
  path: () => "/admin/plans/some",
  others: () => ({ requests_per_minute: null, webhooks_per_month: null }),
};

const BODIES: [Place, string[]][] = [
  [{ ...sends, name: "endpoint_id" }, [...NO_STRINGS, ...NO_TEXTS, EMPTY, tooLong(1_000)]],
  [
    { ...sends, name: "event" },
    [...NO_GIVEN_STRINGS, ...NO_TEXTS, EMPTY, tooLong(256), JSON.stringify("😀".repeat(257))],
  ],
  [{ ...publishes, name: "event" }, [...NO_GIVEN_STRINGS, ...NO_TEXTS, EMPTY, tooLong(256)]],
  [{ method: "POST", path: () => "/webhooks/batch", name: "webhooks" }, NO_BATCHES],
  [{ method: "POST", path: () => "/events/batch", name: "events" }, NO_BATCHES],
  [{ ...replays, name: "after" }, [...NO_STRINGS, ...NO_TEXTS, ...NO_DATES]],
  [{ ...replays, name: "before" }, [...NO_STRINGS, ...NO_TEXTS, ...NO_DATES]],
  [{ ...replays, name: "event" }, [...NO_STRINGS, ...NO_TEXTS, EMPTY, tooLong(256)]],
  [{ ...replays, name: "status" }, [...NO_STRINGS, ...NO_TEXTS, EMPTY, '"pending"', '"done"']],
  [{ ...erases, name: "after" }, [...NO_STRINGS, ...NO_TEXTS, ...NO_DATES]],
  [{ ...erases, name: "event" }, [...NO_STRINGS, ...NO_TEXTS, EMPTY, tooLong(256)]],
  [
    { ...erases, name: "endpoint_id" },
    [...NO_STRINGS, ...NO_TEXTS, EMPTY, '"ep_1"', JSON.stringify(ABSENT.delivery)],
  ],
  [{ ...erases, name: "endpoint_id" }, [JSON.stringify(ABSENT.endpoint)]],
  [{ ...creates, name: "url" }, [...NO_STRINGS, ...NO_TEXTS, EMPTY, tooLong(2_048)]],
  [
    { ...creates, name: "url" },
    [
      "example.com",
      "ftp://example.com",
      "file:///etc/passwd",
      "javascript:alert(1)",
      "//example.com",
      "https://",
    ]
      .concat(["https://user:pass@example.com", "http://[::1", "https://exa mple.com", "http://:80"])
      .map((url) => JSON.stringify(url)),
  ],
  [{ ...creates, name: "description" }, [...NO_GIVEN_STRINGS, ...NO_TEXTS, tooLong(1_024)]],
  [{ ...creates, name: "event_filter" }, [...NO_GIVEN_STRINGS, ...NO_TEXTS, EMPTY, tooLong(256)]],
  [{ ...creates, name: "event_filter" }, ['"*.created"', '"a.*.b"', '"**"', '".*"', '"a*"', '"a.**"']],
  [{ ...updates, name: "url" }, [...NO_STRINGS, ...NO_TEXTS, EMPTY, '"nope"', tooLong(2_048)]],
  [
    { ...updates, name: "description" },
    [...NO_STRINGS.filter((each) => each !== "null"), ...NO_TEXTS, tooLong(1_024)],
  ],
  [{ ...updates, name: "event_filter" }, [...NO_STRINGS, ...NO_TEXTS, EMPTY, '"a*"']],
  ...[creates, updates].map((place): [Place, string[]] => [
    { ...place, name: "event_types" },
    [
      "1",
      '"a"',
      "{}",
      "[]",
      "[1]",
      "[null]",
      '[""]',
      '["a*"]',
      '["a|b"]',
      JSON.stringify(Array(101).fill("a")),
    ],
  ]),
  [{ ...updates, name: "format" }, ["1", "true", '"Slack"', "null"]],
  [{ ...updates, name: "traceparent" }, ["1", '"true"', "null"]],
  [
    { ...updates, name: "content_type" },
    [
      "1",
      '"text/plain"',
      '"application/xml"',
      '"application/json; a=b"',
      '"application/a\\r\\nb+json"',
      '"application/+json"',
    ],
  ],
  [{ ...updates, name: "metadata" }, ["null"]],
  [{ ...updates, name: "ordering" }, ["null"]],
  [{ ...updates, name: "max_in_flight" }, ["null"]],
  [{ ...updates, name: "event_types" }, ["null"]],
  [{ ...updates, name: "is_active" }, NO_BOOLEANS],
  [{ ...updates, name: "feed" }, NO_BOOLEANS],
  [{ ...creates, name: "feed" }, NO_BOOLEANS.filter(isGiven)],
  [{ ...creates, name: "is_active" }, NO_BOOLEANS.filter(isGiven)],
  [{ ...rotates, name: "overlap" }, [...NO_LIMITS, "604801", '"1h"']],
  [{ ...creates, name: "headers" }, ["1", "true", "[]", '["x"]', '"x: y"']],
  [{ ...updates, name: "headers" }, ["1", "true", "[]", '["x"]', '"x: y"']],
  [{ ...updates, name: "sensitive_headers" }, ["1", "{}", '"x-a"', "[1]", "[null]", '["x-a"]', "null"]],
  [{ ...creates, name: "sensitive_headers" }, ["1", "{}", '"x-a"', "[1]", "[null]", '["x-a"]']],
  [{ ...updates, name: "headers" }, NO_HEADERS],
  [{ ...creates, name: "headers" }, NO_HEADERS.slice(0, 20)],
  ...[creates, updates].flatMap((place): [Place, string[]][] => [
    [{ ...place, name: "metadata" }, [...NO_OBJECTS.filter(isGiven), ...NO_METADATA]],
    [{ ...place, name: "retry_schedule_ms" }, NO_SCHEDULES],
    [{ ...place, name: "ordering" }, [...NO_GIVEN_STRINGS, EMPTY, '"ORDERED"', '"none"']],
    [{ ...place, name: "max_in_flight" }, [...NO_LIMITS, "0", "101"]],
    [
      { ...place, name: "rate_limit" },
      [...NO_LIMITS.filter((each) => each !== "1.5"), "0", "0.009", "1000.5"],
    ],
    [{ ...place, name: "timeout_ms" }, [...NO_LIMITS, "0", "99", "60001"]],
  ]),
  [{ ...makesKeys, name: "name" }, [...NO_GIVEN_STRINGS, ...NO_TEXTS, EMPTY, tooLong(256)]],
  [
    { ...makesKeys, name: "permissions" },
    ["1", "true", "null", "{}", "[]", '"admin"', "[1]", "[null]", '["root"]', '["admin "]', '[["admin"]]'],
  ],
  [
    { ...makesKeys, name: "expires_at" },
    [
      ...NO_GIVEN_STRINGS,
      ...NO_TEXTS,
      EMPTY,
      '"soon"',
      '"2020-01-01T00:00:00Z"',
      '"2099-02-30"',
      "1924992000000",
    ],
  ],
  [
    { ...makesKeys, name: "permissions", path: () => `/admin/accounts/${accountId}/keys` },
    ["[]", '["root"]'],
  ],
  [{ method: "PATCH", path: () => `/keys/${keyId}`, name: "is_active" }, NO_BOOLEANS],
  [{ ...makesAccounts, name: "name" }, [...NO_STRINGS, ...NO_TEXTS, EMPTY, tooLong(256)]],
  [{ ...makesAccounts, name: "plan" }, [...NO_GIVEN_STRINGS, ...NO_TEXTS, EMPTY, '"none such"', tooLong(64)]],
  [{ method: "PATCH", path: () => `/admin/accounts/${accountId}`, name: "plan" }, [...NO_STRINGS, '"none"']],
  [{ ...puts, name: "requests_per_minute" }, [...NO_LIMITS, "0", "2147483648"]],
  [{ ...puts, name: "webhooks_per_month" }, NO_LIMITS],
];

describe("in a body", () => {
  const rows = BODIES.flatMap(([place, values]) =>
    values.map((value) => [place.method, place.name, value.slice(0, 40), place, value] as const),
  );

  test.each(rows)("%s with %s as %s is a 400 that names it", async (method, name, _, place, value) => {
    const others = Object.entries(place.others?.() ?? {}).filter(([other]) => other !== name);
    const fields = others.map(([other, each]) => `${JSON.stringify(other)}:${JSON.stringify(each)}`);
    const body = `{${[...fields, `${JSON.stringify(name)}:${value}`].join(",")}}`;
    expectError(await client.ask(method, place.path(), body), 400, "BAD_REQUEST", name);
  });

  test("every field that an operation needs is missed by its name", async () => {
    let fields = 0;
    for (const { method, template, path, spec } of ROUTES) {
      const { required = [] } = spec.body?.schema ?? {};
      for (const name of required) {
        const { [name]: _, ...others } = Object(spec.body?.example);
        const { status, body } = await client.ask(method, path, others);
        const message = body.error?.message;
        const expected = { status: 400, message: expect.stringContaining(`${name} is required`) };
        expect({ method, template, status, message }).toEqual({ method, template, ...expected });
        fields++;
      }
    }
    expect(fields).toBeGreaterThan(10);
  });
});

describe("in a query", () => {
  const NO_COUNTS = ["0", "-1", "1.5", "1e3", "abc", "0x1", "true", "%00", "%20", "[]", "1,2", "%EF%BC%91"];
  const NO_STATUSES = ["PENDING", "done", "pending,failed", "%00", "null", "1"];
  const NO_EVENTS = ["a%00", "a%0A", "%7f", "%ff", "%zz", "x".repeat(257)];
  const NO_MOMENTS = ["now", "2026", "1700000000", "2026-99-01", "2026-01-01T24:30", "%00", "-1"];
  const NO_TOKENS = [
    "x",
    "%00",
    "AAAA",
    "null",
    "1",
    "MXAgbm9wZQ",
    "x".repeat(7_000),
    ABSENT.endpoint.slice(3),
  ];

  const QUERIES: [string, string, string[]][] = [
    ["/webhooks", "page", NO_COUNTS],
    ["/webhooks", "per_page", NO_COUNTS],
    ["/webhooks", "limit", NO_COUNTS],
    ["/webhooks", "status", NO_STATUSES],
    ["/webhooks", "event", NO_EVENTS],
    ["/webhooks", "event_type", NO_EVENTS],
    ["/webhooks", "endpoint_id", ["1", "%00", "ep_", ABSENT.delivery, ABSENT.endpoint.toUpperCase()]],
    ["/webhooks", "after", NO_MOMENTS],
    ["/webhooks", "before", NO_MOMENTS],
    ["/webhooks", "cursor", NO_TOKENS],
    ["/webhooks", "iterator", [...NO_TOKENS, "START", "end"]],
    ["/jobs", "limit", NO_COUNTS],
    ["/jobs", "cursor", NO_TOKENS],
    [
      "/webhooks",
      "response_status",
      ["5XX", "6xx", "0xx", "50x", "99", "1000", "-1", "200-299", "503,500", "%00"],
    ],
    ["/webhooks", "error", ["aborted", "Timeout", "timeout,dns", "none", "%00", "503"]],
    ["/webhooks", "ordering_key", ["a%00", "a%0A", "%ff", "x".repeat(257)]],
    ["/webhooks", "sequence", NO_COUNTS],
    ["/webhooks", "data.order_id", ["a%00", "a%0A", "%7f", "%ff", "%zz"]],
    ["/webhooks", "data.", ["1"]],
    ["/endpoints", "limit", NO_COUNTS],
    ["/endpoints", "cursor", NO_TOKENS],
    ["/admin/accounts", "limit", NO_COUNTS],
    ["/admin/accounts", "cursor", NO_TOKENS],
    ["/event-types", "limit", NO_COUNTS],
    ["/event-types", "cursor", [...NO_TOKENS, "MXQgYQ%3D", "MXQgYQ!", "MXQg"]],
  ];
  const rows = QUERIES.flatMap(([path, name, values]) =>
    [...values, "", "1&{name}=1"].map((value) => [path, name, value.replace("{name}", name)] as const),
  );

  test.each(rows)("%s?%s=%s is a 400 that names it", async (path, name, value) => {
    expectError(await client.get(`${path}?${name}=${value}`), 400, "BAD_REQUEST", name);
  });

  test("permanent_statuses with the same status twice is a 400 that says so", async () => {
    const answer = await client.patch(`/endpoints/${endpointId}`, { permanent_statuses: [400, 400] });
    expectError(answer, 400, "BAD_REQUEST", /^permanent_statuses must be .*, no two the same/);
  });

  test("many in one request without an order or envelopes is a 400 that says so, whichever setting comes last", async () => {
    const path = `/endpoints/${endpointId}`;
    const sentence = /^batch_size above 1 goes with format envelope/;
    expectError(await client.patch(path, { batch_size: 2 }), 400, "BAD_REQUEST", sentence);
    expect((await client.patch(path, { batch_size: 2, format: "envelope" })).status).toBe(200);
    for (const change of [{ ordering: "unordered" }, { format: "payload" }])
      expectError(await client.patch(path, change), 400, "BAD_REQUEST", sentence);
    expect((await client.patch(path, { batch_size: 1, format: "payload" })).status).toBe(200);
  });

  test.each(["/webhooks", "/webhooks/summary", "/events", "/activity", "/admin/audit", "/admin/deliveries"])(
    "%s refuses a range that ends before it begins",
    async (path) => {
      const range = "after=2026-02-01&before=2026-01-01";
      expectError(
        await service.admin.get(`${path}?${range}`),
        400,
        "BAD_REQUEST",
        "after must be earlier than before",
      );
      expect((await service.admin.get(`${path}?after=2026-01-01&before=2026-02-01`)).status).toBe(200);
    },
  );

  const PAGE_FORM = ["page=1", "per_page=1", "event=a"];
  const CURSOR_FORM = [
    "limit=1",
    "iterator=start",
    "event_type=a",
    `endpoint_id=${ABSENT.endpoint}`,
    "after=2026-01-01",
    "before=2026-01-01",
    "response_status=5xx",
    "error=timeout",
    "ordering_key=a",
    "sequence=1",
    "data.order_id=42",
  ];
  const mixtures = PAGE_FORM.flatMap((page) => CURSOR_FORM.map((cursor) => [page, cursor] as const));

  test.each([
    ["event=a&limit=1", "event and limit", "event_type instead of event"],
    ["page=2&after=2026-01-01", "page and after", "cursor instead of page"],
    ["limit=5&per_page=5", "per_page and limit", "limit instead of per_page"],
    [
      "data.id=1&page=1&per_page=9&event=a",
      "page and data.id",
      "cursor instead of page, limit instead of per_page, event_type instead of event",
    ],
  ])("%s gets the name to use instead", async (query, mixed, instead) => {
    const message = `${mixed} belong to two forms of this list and can't be mixed; use ${instead}`;
    expectError(await client.get(`/webhooks?${query}`), 400, "BAD_REQUEST", new RegExp(`^${message}$`));
  });

  test.each(mixtures)("%s and %s can't be mixed", async (page, cursor) => {
    expectError(await client.get(`/webhooks?${page}&${cursor}`), 400, "BAD_REQUEST", /mixed/);
    expectError(await client.get(`/webhooks?status=failed&${cursor}&${page}`), 400, "BAD_REQUEST", /mixed/);
  });
});

describe("a search in payloads", () => {
  test("names a few fields at most, each once", async () => {
    const fields = [1, 2, 3, 4, 5].map((n) => `data.f${n}=${n}`).join("&");
    expect((await client.get(`/webhooks?${fields}`)).status).toBe(200);
    expectError(await client.get(`/webhooks?${fields}&data.f6=6`), 400, "BAD_REQUEST", "data.");
    expectError(await client.get("/webhooks?data.a=1&data.%61=2"), 400, "BAD_REQUEST", "data.a");
  });
});

describe("an Idempotency-Key", () => {
  const KEYS = ["", "x".repeat(256), "é", "a\tb"];
  const rows = ROUTES.filter(({ method, spec }) => spec.takesKey ?? method === "POST").flatMap((route) =>
    KEYS.map((key) => [nameOf(route), key, route] as const),
  );

  test.each(rows)("of %s can't be %j", async (_, key, { method, path, spec }) => {
    const answer = await client.ask(method, path, spec.body?.example, { "idempotency-key": key });
    expectError(answer, 400, "BAD_REQUEST", "Idempotency-Key");
  });
});

test("a wrong item of an array is answered with what it should be", async () => {
  const answer = await client.patch(`/endpoints/${endpointId}`, { retry_schedule_ms: [99] });
  expectError(answer, 400, "BAD_REQUEST");
  expect(answer.body.error.message).toBe(
    "retry_schedule_ms must be an array of 0 to 20 items, each a whole number from 100 to 86400000, or null",
  );
});

test.each([
  "data.%00=1",
  "data.a%00b=1",
  "%64ata.%00=1",
  "data.%00=1&limit=1",
  "data.%00=1&iterator=start",
  "data.%ff=1",
])("a list is not narrowed by the field of no name: %s", async (query) => {
  expectError(await client.get(`/webhooks?${query}`), 400, "BAD_REQUEST");
});

test("a wrong name is repeated as it was written", async () => {
  const answer = await client.patch(`/endpoints/${endpointId}`, { metadata: { "a/b~c": 1 } });
  expectError(answer, 400, "BAD_REQUEST", "metadata.a/b~c must be a string");
});
