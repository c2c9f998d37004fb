import { expect, spyOn, test } from "bun:test";
import { RUNNING_JOBS } from "../../src/jobs/jobs";
import { type Client, expectError } from "./client";
import { useService } from "./service";

let client: Client;

const service = await useService();

test("jobs are listed newest first, page by page, only to their account", async () => {
  client = await service.newClient();
  const { id } = await client.newEndpoint();
  const made: string[] = [];
  const onCreated = spyOn(service.dependencies.jobs, "onCreated");
  for (let i = 0; i < 5; i++) {
    const job = await client.expecting(202, client.post(`/endpoints/${id}/replay`, { event: `e${i}` }));
    expect(job.scope).toMatchObject({ endpoint_id: id, event: `e${i}`, status: null, after: null });
    made.unshift(job.id);
    expect(onCreated).toHaveBeenCalledTimes(i + 1);
  }
  onCreated.mockRestore();
  const stranger = await service.newClient();
  expect((await stranger.get("/jobs")).body).toEqual({ data: [], cursor: null });
  expectError(await stranger.get(`/jobs/${made[0]}`), 404, "NOT_FOUND");
  expectError(await stranger.post(`/jobs/${made[0]}/cancel`), 404, "NOT_FOUND");
  expectError(await stranger.post(`/endpoints/${id}/replay`, {}), 404, "NOT_FOUND");
  expectError(await stranger.post("/erasures", { endpoint_id: id }), 400, "BAD_REQUEST", "endpoint_id");
  const listed: string[] = [];
  for (let path: string | null = "/jobs?limit=2"; path; ) {
    const { body } = await client.get(path);
    listed.push(...body.data.map((job: { id: string }) => job.id));
    path = body.cursor && `/jobs?limit=2&cursor=${body.cursor}`;
  }
  expect(listed).toEqual(made);
  // A running job is found, however many newer ones have ended.
  for (const job of made.slice(0, 4)) await client.expecting(200, client.post(`/jobs/${job}/cancel`));
  const running = (await client.get("/jobs?status=running&limit=1")).body;
  expect([running.data.map((job: { id: string }) => job.id), running.cursor]).toEqual([[made[4]], null]);
  expect((await client.get("/jobs?status=cancelled")).body.data).toHaveLength(4);
  expectError(await client.get("/jobs?status=over"), 400, "BAD_REQUEST", "status");
});

test("a job with a key is started once", async () => {
  client = await service.newClient();
  const { id } = await client.newEndpoint();
  const key = { "idempotency-key": "k" };
  const first = await client.post(`/endpoints/${id}/replay`, { status: "failed" }, key);
  const again = await client.post(`/endpoints/${id}/replay`, { status: "failed" }, key);
  expect(again).toMatchObject({ status: 202, text: first.text });
  expectError(await client.post(`/endpoints/${id}/replay`, {}, key), 409, "CONFLICT");
  expect((await client.get("/jobs")).body.data).toHaveLength(1);
});

test("an account has a limited number of running jobs", async () => {
  client = await service.newClient();
  const { id } = await client.newEndpoint();
  const { most } = RUNNING_JOBS;
  const begin = (_: unknown, i: number) =>
    i % 2 === 0 ? client.post(`/endpoints/${id}/replay`, {}) : client.post("/erasures", { event: "a" });
  const answers = await Promise.all(Array.from({ length: most + 5 }, begin));
  const begun = answers.filter(({ status }) => status === 202);
  expect(begun).toHaveLength(most);
  for (const each of answers) if (each.status !== 202) expectError(each, 409, "CONFLICT", "running jobs");
  await client.expecting(200, client.post(`/jobs/${begun[0]?.body.id}/cancel`));
  await client.expecting(202, client.post("/erasures", { event: "a" }));
  expectError(await client.post(`/endpoints/${id}/replay`, {}), 409, "CONFLICT", `${most}`);
});

test("an erasure must name what it erases, and may name a deleted endpoint", async () => {
  client = await service.newClient();
  const { id } = await client.newEndpoint();
  expectError(await client.post("/erasures", {}), 400, "BAD_REQUEST", /event.*required/);
  await client.delete(`/endpoints/${id}`);
  expect((await client.post("/erasures", { endpoint_id: id })).status).toBe(202);
  expectError(await client.post(`/endpoints/${id}/replay`, {}), 404, "NOT_FOUND");
});

test("a range ends now at the latest, and not before it begins", async () => {
  client = await service.newClient();
  const { id } = await client.newEndpoint();
  const replay = (scope: object) => client.post(`/endpoints/${id}/replay`, scope);
  expect((await replay({ after: "1970-01-01T00:00:00Z" })).body.scope.after).toBe("1970-01-01T00:00:00.000Z");
  const { body } = await replay({ after: "2026-01-31", before: "2999-01-01" });
  expect(body.scope.after).toBe("2026-01-31T00:00:00.000Z");
  expect(Math.abs(Date.parse(body.scope.before) - Date.now())).toBeLessThan(5_000);
  expectError(await replay({ after: "2026-02-01", before: "2026-01-31" }), 400, "BAD_REQUEST", "after");
  expectError(await replay({ after: "2999-01-01" }), 400, "BAD_REQUEST", "after");
});
