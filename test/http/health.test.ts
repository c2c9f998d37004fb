import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { fromText } from "../../src/domain/ids";
import { type AttemptResult, recordAttempt } from "./attempts";
import { type Client, expectError, type Json } from "./client";
import { startTestService, type TestService } from "./service";

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

async function attempt(client: Client, endpoint: Json, result: AttemptResult): Promise<void> {
  await recordAttempt(service.database.db, await client.send(endpoint.id, "a.b"), result);
}

const healthOf = async (client: Client, endpoint: Json): Promise<Json> =>
  (await client.expecting(200, client.get(`/endpoints/${endpoint.id}`))).health;

const FAILURE: AttemptResult = { status: 0, error: "timeout", errorDetail: "no_response", health: "failing" };

describe("the health of an endpoint", () => {
  test("follows its attempts: what failed last, since when, and when it recovered", async () => {
    const client = await service.newClient();
    const endpoint = await client.newEndpoint();
    const healthy = {
      state: "healthy",
      since: null,
      reason: null,
      last_success_at: null,
      last_failure: null,
    };
    expect(endpoint.health).toEqual(healthy);
    await attempt(client, endpoint, FAILURE);
    const failing = await healthOf(client, endpoint);
    expect(failing).toMatchObject({
      state: "failing",
      reason: "timeout",
      last_failure: { status: 0, error: "timeout", error_detail: "no_response" },
    });
    expect(Date.parse(failing.since)).toBeGreaterThan(Date.now() - 60_000);
    await attempt(client, endpoint, { status: 503, health: "still_failing" });
    const still = await healthOf(client, endpoint);
    expect(still).toMatchObject({ since: failing.since, reason: "status", last_failure: { status: 503 } });
    await attempt(client, endpoint, { status: 200, health: "recovered" });
    const recovered = await healthOf(client, endpoint);
    expect(recovered).toMatchObject({
      ...healthy,
      last_success_at: expect.any(String),
      last_failure: { status: 503 },
    });
  });

  test("tells what Hermod set inactive from what the account paused", async () => {
    const client = await service.newClient();
    const endpoint = await client.newEndpoint();
    const setActive = (is_active: boolean) =>
      client.expecting(200, client.patch(`/endpoints/${endpoint.id}`, { is_active }));
    const paused = await setActive(false);
    expect(paused.health).toMatchObject({ state: "paused", since: expect.any(String), reason: null });
    expect((await setActive(false)).health).toEqual(paused.health);
    expect((await setActive(true)).health).toMatchObject({ state: "healthy", since: null });
    await attempt(client, endpoint, { status: 403, health: "unwanted" });
    expect(await client.expecting(200, client.get(`/endpoints/${endpoint.id}`))).toMatchObject({
      is_active: false,
      health: { state: "disabled", since: expect.any(String), reason: "unwanted" },
    });
    // A pause of the account's own: the reason is Hermod's no more.
    expect((await setActive(false)).health).toMatchObject({ state: "paused" });
    expect((await setActive(true)).health).toMatchObject({ state: "healthy" });
    expect((await client.newEndpoint({ is_active: false })).health).toMatchObject({ state: "paused" });
  });

  test("forgets what failed before an activation", async () => {
    const client = await service.newClient();
    const endpoint = await client.newEndpoint();
    const fail = () => attempt(client, endpoint, { status: 500, verdict: "failed", health: "failing" });
    await fail();
    for (const is_active of [false, true]) await client.patch(`/endpoints/${endpoint.id}`, { is_active });
    await attempt(client, endpoint, FAILURE);
    await service.database.db.run(
      (sql) => sql`
        update endpoints set failing_since = now() - interval '30 days' where id = ${fromText("ep", endpoint.id)}`,
    );
    await fail();
    expect(await healthOf(client, endpoint)).toMatchObject({ state: "failing" });
    await fail();
    expect(await healthOf(client, endpoint)).toMatchObject({ state: "disabled", reason: "failing" });
  });

  test("is in lists, which it narrows", async () => {
    const client = await service.newClient();
    const [failing, blocked, healthy] = [
      await client.newEndpoint(),
      await client.newEndpoint(),
      await client.newEndpoint(),
    ];
    const paused = await client.newEndpoint({ is_active: false });
    await attempt(client, failing, FAILURE);
    await attempt(client, blocked, { status: 0, error: "blocked_address", health: "failing" });
    const idsOf = async (query: string) => {
      const body = await client.expecting(200, client.get(`/endpoints?${query}`));
      return (Array.isArray(body) ? body : body.data).map(({ id }: Json) => id);
    };
    expect(await idsOf("health=failing")).toEqual([failing.id]);
    expect(await idsOf("health=blocked&limit=10")).toEqual([blocked.id]);
    expect(await idsOf("health=healthy")).toEqual([healthy.id]);
    expect(await idsOf("health=paused")).toEqual([paused.id]);
    expect(await idsOf("health=disabled")).toEqual([]);
    expectError(await client.get("/endpoints?health=ill"), 400, "BAD_REQUEST", "health must be one of");
  });
});
