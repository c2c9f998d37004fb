import { describe, expect, test } from "bun:test";
import { fromText, toText } from "../../src/domain/ids";
import { findBlocked } from "../../src/endpoints/blocked";
import { viewOfHealth } from "../../src/resources/endpoints/health";
import { type AttemptResult, recordAttempt } from "./attempts";
import { type Client, expectError, type Json } from "./client";
import { useService } from "./service";

const service = await useService();

async function attempt(client: Client, endpoint: Json, result: AttemptResult): Promise<void> {
  await recordAttempt(service.database.db, await client.send(endpoint.id, "a.b"), result);
}

const healthOf = async (client: Client, endpoint: Json): Promise<Json> =>
  (await client.expecting(200, client.get(`/endpoints/${endpoint.id}`))).health;

const FAILURE: AttemptResult = { status: 0, error: "timeout", errorDetail: "no_response", health: "failing" };

describe("the health of an endpoint", () => {
  test("follows its attempts: the last failure, since when, and the recovery", async () => {
    const client = await service.newClient();
    const endpoint = await client.newEndpoint();
    const healthy = {
      state: "healthy",
      since: null,
      failing_since: null,
      blocked_by: null,
      reason: null,
      last_success_at: null,
      last_read_at: null,
      last_failure: null,
      filter_errors: null,
    };
    expect(endpoint.health).toEqual({ ...healthy, pending: 0, oldest_pending_at: null, complete_up_to: 0 });
    await attempt(client, endpoint, FAILURE);
    const failing = await healthOf(client, endpoint);
    expect(failing).toMatchObject({
      state: "failing",
      reason: "timeout",
      last_failure: { status: 0, error: "timeout", error_detail: "no_response" },
    });
    expect(Date.parse(failing.since)).toBeGreaterThan(Date.now() - 60_000);
    expect(failing.failing_since).toBe(failing.since);
    expect(failing.last_failure.at >= failing.since).toBeTrue();
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

  test("has the last request of a receiver that reads", async () => {
    const client = await service.newClient();
    const { id } = await client.newEndpoint({ delivery: "pull", url: undefined });
    expect(await healthOf(client, { id })).toMatchObject({ last_read_at: null, pending: 0 });
    await client.send(id);
    const before = Date.now();
    await client.expecting(200, client.post(`/endpoints/${id}/receive`, {}));
    const { last_read_at, pending } = await healthOf(client, { id });
    expect(Math.abs(Date.parse(last_read_at) - before)).toBeLessThan(60_000);
    expect(pending).toBe(1);
  });

  test("never shows the last failure before the first, which ends when it is recorded", () => {
    const since = Date.parse("2026-01-31T18:00:19.000Z");
    const { last_failure } = viewOfHealth({
      state: "failing",
      inactiveSince: null,
      disabledReason: null,
      failingSince: since,
      blockedSince: null,
      blockedBy: null,
      lastSuccessAt: null,
      lastReadAt: null,
      lastFailure: { at: since - 1_000, status: 500, error: null, errorDetail: null },
      filterErrors: null,
      backlog: { pending: 0, oldest: null, completeUpTo: 0 },
    });
    expect(last_failure?.at).toBe(new Date(since).toISOString());
  });

  test("distinguishes endpoints that Hermod disabled from those that the account paused", async () => {
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
    // A pause by the account: the reason is no longer Hermod's.
    expect((await setActive(false)).health).toMatchObject({ state: "paused" });
    expect((await setActive(true)).health).toMatchObject({ state: "healthy" });
    expect((await client.newEndpoint({ is_active: false })).health).toMatchObject({ state: "paused" });
  });

  test("drops failures from before an activation", async () => {
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

  test("is in lists, and filters them", async () => {
    const client = await service.newClient();
    const [failing, blocked, healthy] = [
      await client.newEndpoint(),
      await client.newEndpoint(),
      await client.newEndpoint(),
    ];
    const paused = await client.newEndpoint({ is_active: false });
    await attempt(client, blocked, { status: 0, error: "blocked_address", health: "failing" });
    await findBlocked(service.database.db, 0);
    await attempt(client, failing, FAILURE);
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

  test("counts pending deliveries, and since when, in lists as well", async () => {
    const client = await service.newClient();
    const [busy, idle] = [await client.newEndpoint(), await client.newEndpoint()];
    const [first] = [await client.send(busy.id), await client.send(busy.id)];
    const waiting = { pending: 2, oldest_pending_at: first.created_at, complete_up_to: 0 };
    expect(await healthOf(client, busy)).toMatchObject(waiting);
    const list: Json[] = await client.expecting(200, client.get("/endpoints"));
    expect(list.map(({ id, health }) => [id, health.pending])).toEqual([
      [idle.id, 0],
      [busy.id, 2],
    ]);
    await recordAttempt(service.database.db, first, { status: 200 });
    expect(await healthOf(client, busy)).toMatchObject({ pending: 1, complete_up_to: 1 });
    const last = await client.send(idle.id, "a.b");
    await recordAttempt(service.database.db, last, { status: 200 });
    expect(await healthOf(client, idle)).toMatchObject({ pending: 0, complete_up_to: 1 });
  });

  test("is one of several filters of a list: external ids, metadata and texts", async () => {
    const client = await service.newClient();
    const orders = await client.newEndpoint({
      url: "https://Kestrel.example.com/a",
      external_id: "orders-1",
      metadata: { team: "payments", "a.b": "50% [x]", said: '"Ah\\oh" Älso' },
    });
    const users = await client.newEndpoint({ description: "Größe of USERS", metadata: { team: "growth" } });
    await (await service.newClient()).newEndpoint({ description: "users", external_id: "orders-1" });
    const idsOf = async (query: string) => {
      const body = await client.expecting(200, client.get(`/endpoints?${query}`));
      return (Array.isArray(body) ? body : body.data).map(({ id }: Json) => id);
    };
    const found: [string, string[]][] = [
      ["external_id=orders-1", [orders.id]],
      ["external_id=orders", []],
      ["metadata.team=payments", [orders.id]],
      ["metadata.team=growth&limit=5", [users.id]],
      ["metadata.a.b=50%25%20%5Bx%5D&metadata.team=payments", [orders.id]],
      ["metadata.a.b=50%25%20%5Bx%5D&metadata.team=growth", []],
      ["metadata.none=payments", []],
      ["q=kestrel", [orders.id]],
      ["q=users", [users.id]],
      ["q=gr%C3%96%C3%9Fe", [users.id]],
      ["q=ORDERS", [orders.id]],
      ["q=%5Bx", [orders.id]],
      [`q=${encodeURIComponent('"aH\\OH" äl')}`, [orders.id]],
      ["q=team", []],
      ["q=payments%22", []],
      ["q=_", []],
      ["q=example.com&health=healthy", [users.id, orders.id]],
      ["q=example.com&health=paused", []],
    ];
    for (const [query, ids] of found) expect([query, await idsOf(query)]).toEqual([query, ids]);
    // Administrators see all accounts' endpoints, with their accounts.
    const everywhere = async (query: string): Promise<[string, string][]> => {
      const page = await service.admin.expecting(200, service.admin.get(`/admin/endpoints?${query}`));
      return page.data.map(({ id, account_id }: Json) => [id, account_id]);
    };
    const accountText = toText("acc", client.accountId);
    expect(await everywhere("metadata.team=payments")).toEqual([[orders.id, accountText]]);
    expect((await everywhere("external_id=orders-1")).map(([id]) => id)).toContain(orders.id);
    expect(await everywhere("external_id=orders-1")).toHaveLength(2);
    expect(await everywhere(`external_id=orders-1&account=${accountText}`)).toEqual([
      [orders.id, accountText],
    ]);
    expectError(await service.admin.get("/admin/endpoints?account=me"), 400, "BAD_REQUEST");
    const entries = Array.from({ length: 6 }, (_, n) => `metadata.k${n}=v`).join("&");
    for (const query of ["q=", `q=${"a".repeat(257)}`, "metadata.=a", entries, "name=a"]) {
      expectError(await client.get(`/endpoints?${query}`), 400, "BAD_REQUEST");
    }
  });
});
