import { describe, expect, test } from "bun:test";
import { MAX_WEIGHT } from "../../src/dispatch/actor";
import { Backlog } from "../../src/dispatch/backlog/backlog";
import { secretsAt } from "../../src/dispatch/endpoint";
import { type EndpointId, fromText } from "../../src/domain/ids";
import { longestWait } from "../../src/domain/retry-policy";
import { Budget } from "../../src/runtime/budget";
import { FIRST_PAGE } from "../support/first-page";
import { expectError, type Json } from "./client";
import { useService } from "./service";

const DAY_MS = 86_400_000;

/** The endpoints of which dispatchers were notified. */
const announced: EndpointId[] = [];

const service = await useService();
const { endpoints, vault } = service.dependencies;
const notifyChange = endpoints.notifyChange.bind(endpoints);
endpoints.notifyChange = (id) => {
  announced.push(id);
  notifyChange(id);
};
const openSecret = vault.open.bind(vault) as (sealed: string, context: string) => string;
const { db } = service.database;
const backlog = new Backlog({
  db,
  openSecret,
  memory: new Budget(MAX_WEIGHT),
  longestWaitMs: longestWait([]),
});
const client = await service.newClient();

const rotate = (id: string, body?: object): Promise<Json> =>
  client.expecting(201, client.ask("POST", `/endpoints/${id}/rotate-secret`, body));

function idOf(text: string): EndpointId {
  const id = fromText("ep", text);
  if (id === null) throw new Error(`${text} is no endpoint's id`);
  return id;
}

/** Reads the endpoint as a dispatcher does. */
async function viewOf(id: string) {
  const [row] = await service.database.db.run(
    (sql) => sql<{ partition: number }[]>`select partition from mailboxes where endpoint_id = ${idOf(id)}`,
  );
  const queue = { partition: row?.partition ?? -1, endpointId: idOf(id) };
  const { endpoint } = await backlog.read(queue, FIRST_PAGE);
  if (!endpoint) throw new Error("the endpoint is gone");
  return endpoint;
}

const secretsIn = async (ms: number, id: string) => secretsAt(await viewOf(id), Date.now() + ms);

async function rowOf(id: string): Promise<Json> {
  const [row] = await service.database.db.run((sql) => sql`select * from endpoints where id = ${idOf(id)}`);
  return row;
}

describe("a secret supplied by the caller", () => {
  const given = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString("base64")}`;

  test("signs from the first delivery on", async () => {
    const secret = given(24);
    const { id, signing_secret: shown } = await client.newEndpoint({ signing_secret: secret });
    expect(shown).toBe(secret);
    expect(await secretsIn(0, id)).toEqual([secret]);
    expect((await rowOf(id)).signing_secret).not.toContain(secret);
  });

  test("replaces the one before at a rotation, which signs too", async () => {
    const { id, signing_secret: old } = await client.newEndpoint();
    const secret = given(64);
    expect(await rotate(id, { signing_secret: secret, overlap: 60 })).toMatchObject({
      signing_secret: secret,
    });
    expect(await secretsIn(0, id)).toEqual([secret, old]);
  });

  for (const [what, secret] of [
    ["too short", given(23)],
    ["too long", given(65)],
    ["without its prefix", given(32).slice(6)],
    ["without its padding", given(32).replace(/=+$/, "")],
    ["no base64", `whsec_${"*".repeat(44)}`],
    ["empty", ""],
  ] as const) {
    test(`is refused when it is ${what}`, async () => {
      const url = "http://127.0.0.1:9/";
      const made = await client.ask("POST", "/endpoints", { url, signing_secret: secret });
      expectError(made, 400, "BAD_REQUEST", /signing_secret/);
      const { id, signing_secret: old } = await client.newEndpoint();
      const rotated = await client.ask("POST", `/endpoints/${id}/rotate-secret`, { signing_secret: secret });
      expectError(rotated, 400, "BAD_REQUEST", /signing_secret/);
      expect(await secretsIn(0, id)).toEqual([old]);
    });
  }
});

describe("a rotated secret", () => {
  test("is shown once, and the one before it also signs for a day", async () => {
    const { signing_secret: old, ...endpoint } = await client.newEndpoint();
    const { signing_secret: fresh, previous_secret_expires_at, ...shown } = await rotate(endpoint.id);
    expect(shown).toEqual(endpoint);
    expect(fresh).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(fresh).not.toBe(old);
    const until = Date.parse(previous_secret_expires_at);
    expect(until - Date.now()).toBeWithin(DAY_MS - 10_000, DAY_MS + 1_000);
    expect(await secretsIn(0, endpoint.id)).toEqual([fresh, old]);
    expect(secretsAt(await viewOf(endpoint.id), until - 1)).toEqual([fresh, old]);
    expect(secretsAt(await viewOf(endpoint.id), until)).toEqual([fresh]);
    const { text } = await client.get(`/endpoints/${endpoint.id}`);
    expect([old, fresh].filter((each) => text.includes(each))).toEqual([]);
  });

  test("without overlap signs alone at once", async () => {
    const { id } = await client.newEndpoint();
    const { signing_secret, previous_secret_expires_at } = await rotate(id, { overlap: 0 });
    expect(previous_secret_expires_at).toBeNull();
    expect(await secretsIn(0, id)).toEqual([signing_secret]);
  });

  test("overlaps with the last two at most, the newest first", async () => {
    const made = [await client.newEndpoint()];
    const [{ id }] = made;
    for (let i = 0; i < 3; i++) made.unshift(await rotate(id, { overlap: 600 }));
    const secrets = made.map(({ signing_secret }) => signing_secret);
    expect(await secretsIn(0, id)).toEqual(secrets.slice(0, 3));
  });

  test("expires no later than those after it", async () => {
    const first = await client.newEndpoint();
    const second = await rotate(first.id, { overlap: 86_400 });
    const third = await rotate(first.id, { overlap: 60 });
    expect(await secretsIn(0, first.id)).toEqual(
      [third, second, first].map(({ signing_secret }) => signing_secret),
    );
    expect(await secretsIn(60_000, first.id)).toEqual([third.signing_secret]);
    const fourth = await rotate(first.id, { overlap: 0 });
    expect(await secretsIn(0, first.id)).toEqual([fourth.signing_secret]);
  });

  test("reaches the dispatchers at once, and by the revision", async () => {
    const { id } = await client.newEndpoint();
    const { revision } = await viewOf(id);
    await rotate(id);
    expect((await viewOf(id)).revision).toBe(revision + 1);
    expect(announced).toContain(idOf(id));
  });

  test("is sealed for its endpoint, like those before it", async () => {
    const old = await client.newEndpoint();
    const fresh = await rotate(old.id);
    const { signing_secret, earlier_secrets } = await rowOf(old.id);
    const { vault } = service.dependencies;
    const context = `${client.accountId}/${idOf(old.id)}`;
    expect(await vault.open(signing_secret, context)).toBe(fresh.signing_secret);
    expect(earlier_secrets).toHaveLength(1);
    expect(await vault.open(earlier_secrets[0].sealed, context)).toBe(old.signing_secret);
  });

  test("is not lost to one created at the same time", async () => {
    for (let i = 0; i < 10; i++) {
      const first = await client.newEndpoint();
      const others = await Promise.all([rotate(first.id), rotate(first.id)]);
      const made = [first, ...others].map(({ signing_secret }) => signing_secret);
      expect((await secretsIn(0, first.id)).toSorted()).toEqual(made.toSorted());
    }
  });

  test("is deleted from the database once its overlap is over", async () => {
    const [kept, gone, partly] = [
      await client.newEndpoint(),
      await client.newEndpoint(),
      await client.newEndpoint(),
    ];
    for (const { id } of [kept, gone, partly, partly]) await rotate(id);
    const age = (id: string, path: string[]) =>
      service.database.db.run(
        (sql) => sql`
          update endpoints set earlier_secrets = jsonb_set(earlier_secrets, ${`{${path.join(",")}}`}::text::text[], '1000')
          where id = ${idOf(id)}`,
      );
    await age(gone.id, ["0", "until"]);
    await age(partly.id, ["1", "until"]);
    await service.dependencies.endpoints.removeExpiredSecrets();
    const left = async ({ id }: Json) => (await rowOf(id)).earlier_secrets?.length ?? null;
    expect([await left(kept), await left(gone), await left(partly)]).toEqual([1, null, 1]);
  });

  test("is deleted with its endpoint", async () => {
    const { id } = await client.newEndpoint({ headers: { "x-a": "b" }, sensitive_headers: ["x-a"] });
    await rotate(id);
    await client.expecting(200, client.delete(`/endpoints/${id}`));
    expect(await rowOf(id)).toMatchObject({ signing_secret: "", earlier_secrets: null, headers: null });
    expectError(await client.ask("POST", `/endpoints/${id}/rotate-secret`), 404, "NOT_FOUND");
  });

  test("needs no body, and accepts an empty one", async () => {
    const { id } = await client.newEndpoint();
    for (const body of [undefined, "", {}]) {
      const answer = await client.ask("POST", `/endpoints/${id}/rotate-secret`, body);
      expect(answer.status).toBe(201);
    }
    const answer = await fetch(`${service.url}/v1/endpoints/${id}/rotate-secret`, {
      method: "POST",
      headers: { authorization: `Bearer ${client.key}` },
    });
    expect(answer.status).toBe(201);
  });
});

describe("headers", () => {
  test("are shown, except secret values, and reach the dispatchers", async () => {
    const headers = { "X-Shop": "north 1", Authorization: "Bearer t0k3n" };
    const made = await client.newEndpoint({ headers, sensitive_headers: ["AUTHORIZATION"] });
    expect(made).toMatchObject({ headers: { "x-shop": "north 1" }, sensitive_headers: ["authorization"] });
    for (const path of ["/endpoints", "/endpoints?limit=100", `/endpoints/${made.id}`]) {
      const { text } = await client.get(path);
      expect(text).toContain('"headers":{"x-shop":"north 1"},"sensitive_headers":["authorization"]');
      expect(text).not.toContain("t0k3n");
    }
    expect((await viewOf(made.id)).headers).toEqual({ "x-shop": "north 1", authorization: "Bearer t0k3n" });
    expect(JSON.stringify((await rowOf(made.id)).headers)).not.toContain("t0k3n");
  });

  test("are replaced as a whole, and removed by null or {}", async () => {
    const { id, headers } = await client.newEndpoint();
    expect(headers).toEqual({});
    const change = async (fields: object) =>
      (await client.expecting(200, client.patch(`/endpoints/${id}`, fields))).headers;
    expect(await change({ headers: { "x-a": "1", "x-b": "2" }, sensitive_headers: [] })).toEqual({
      "x-a": "1",
      "x-b": "2",
    });
    expect(await change({ description: "d" })).toEqual({ "x-a": "1", "x-b": "2" });
    expect(await change({ headers: { "x-c": "3" } })).toEqual({ "x-c": "3" });
    expect(await change({ headers: {} })).toEqual({});
    await change({ headers: { "x-c": "3" } });
    const { revision } = await viewOf(id);
    expect(await change({ headers: null })).toEqual({});
    expect(await viewOf(id)).toMatchObject({ headers: null, revision: revision + 1 });
  });

  test("are sensitive by their names in the same request", async () => {
    const { id } = await client.newEndpoint({ headers: { "x-a": "1" }, sensitive_headers: ["x-a"] });
    const change = (fields: object) => client.patch(`/endpoints/${id}`, fields);
    const refused: [fields: object, message: string][] = [
      [{ sensitive_headers: [] }, "sensitive_headers needs headers: give both in the same request"],
      [
        { headers: { "x-b": "2" }, sensitive_headers: ["x-a"] },
        "sensitive_headers has x-a, which is not in headers",
      ],
      [{ headers: {}, sensitive_headers: ["\\n"] }, "sensitive_headers has"],
    ];
    for (const [fields, message] of refused) expectError(await change(fields), 400, "BAD_REQUEST", message);
    expect((await client.get(`/endpoints/${id}`)).body).toMatchObject({
      headers: {},
      sensitive_headers: ["x-a"],
    });
    const create = { url: "https://example.com", sensitive_headers: ["x-a"] };
    expectError(await client.post("/endpoints", create), 400, "BAD_REQUEST", "give both");
  });

  test("that are sensitive survive a change that does not know of them", async () => {
    const sensitive = { headers: { "x-a": "1", "x-b": "2" }, sensitive_headers: ["x-b"] };
    const { id } = await client.newEndpoint(sensitive);
    const change = (fields: object) => client.patch(`/endpoints/${id}`, fields);
    const shown = (await client.get(`/endpoints/${id}`)).body.headers;
    // As a client does that reads, adds one and writes; and a client that writes the masked value back.
    for (const headers of [{ ...shown, "x-c": "3" }, { "x-b": "4" }]) {
      expectError(
        await change({ headers }),
        400,
        "BAD_REQUEST",
        /^headers replaces all headers, the sensitive x-b too: /,
      );
    }
    expect((await viewOf(id)).headers).toEqual(sensitive.headers);
    const given = { headers: { "x-b": "5", "x-c": "3" }, sensitive_headers: ["x-b"] };
    expect((await change(given)).body).toMatchObject({ headers: { "x-c": "3" }, sensitive_headers: ["x-b"] });
    const open = await change({ headers: { "x-b": "6" }, sensitive_headers: [] });
    expect(open.body).toMatchObject({ headers: { "x-b": "6" }, sensitive_headers: [] });
    expect((await change({ headers: { "x-c": "7" } })).body).toMatchObject({ headers: { "x-c": "7" } });
    await change(sensitive);
    expect((await change({ headers: {} })).body).toMatchObject({ headers: {}, sensitive_headers: [] });
  });

  test("may be as many and as long as documented", async () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`x-${i}`, "v"]));
    const long = { ["x".repeat(128)]: "v".repeat(4_096), "x-b": "v".repeat(6_144 - 4_096 - 128 - 3) };
    const odd = { "!#$%&'*+-.^_`|~0aZ": "a \"b\" 'c' {d} \\ ~", constructor: "x", toString: "y" };
    for (const headers of [many, long, odd]) {
      const { id } = await client.newEndpoint({ headers });
      const lower = Object.fromEntries(
        Object.entries<string>(headers).map(([name, value]) => [name.toLowerCase(), value]),
      );
      expect((await viewOf(id)).headers).toEqual(lower);
    }
  });
});
