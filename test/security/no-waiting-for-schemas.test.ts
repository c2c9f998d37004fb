import { expect, test } from "bun:test";
import { useService } from "../http/service";

// As large as a schema may be: some tens of milliseconds to compile.
const LARGE = { allOf: Array.from({ length: 480 }, (_, i) => ({ not: { const: i } })) };

const service = await useService();
const [attacker, victim] = [await service.newClient(), await service.newClient()];

test("one account's schemas do not delay another account's requests", async () => {
  const { id: endpoint_id } = await victim.newEndpoint();
  const send = async () => {
    const began = performance.now();
    const { status } = await victim.post("/webhooks", { endpoint_id, data: {} });
    expect(status).toBe(201);
    return performance.now() - began;
  };
  for (let i = 0; i < 20; i++) await send();
  const began = performance.now();
  let isDone = false;
  const attack = Promise.all(
    Array.from({ length: 10 }, (_, i) => attacker.put(`/event-types/type.${i}/schema`, { schema: LARGE })),
  ).finally(() => {
    isDone = true;
  });
  const waits: number[] = [];
  while (!isDone) waits.push(await send());
  const statuses = (await attack).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200]));
  // In the request thread, each of ten would wait for a whole schema.
  expect(waits.toSorted((a, b) => a - b)[Math.floor(waits.length / 2)]).toBeLessThan(
    (performance.now() - began) / 10,
  );
});
