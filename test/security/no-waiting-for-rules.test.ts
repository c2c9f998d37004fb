import { expect, test } from "bun:test";
import { median } from "../bench/figures";
import { useService } from "../http/service";
import { slowness } from "../support/slowness";

/** Longest wait of an account for another account's rule, in CPU time of the process. */
const LONGEST_MS = 1_000;
const SENDS = 25;
const LEAST_ATTACKS = 4;
const MOST_ATTACKS = 10;

const numbers = Array.from({ length: 9_000 }, (_, i) => i);
const part = "a".repeat(30_000);
const large = { allOf: Array.from({ length: 480 }, (_, i) => ({ not: { const: i } })) };

/** Returns the CPU time of the process while the victim's send waited. A busy machine does not change it. */
async function send(): Promise<number> {
  const began = process.cpuUsage();
  const data = { amount: 11, kind: "paid" };
  const { status } = await victim.post("/webhooks", { endpoint_id, event: "order.paid", data });
  expect(status).toBe(201);
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1_000;
}

/** Sends one after the other, and returns the time of each. */
async function sends(isEnough: () => boolean = () => true): Promise<number[]> {
  const waits: number[] = [];
  while (waits.length < SENDS || !isEnough()) waits.push(await send());
  return waits;
}

/** An account's attack, once prepared. */
type Attack = () => Promise<unknown>;

async function filtering(filter: string, data: unknown, endpoints = 1): Promise<Attack> {
  const event = `attack.${crypto.randomUUID()}`;
  for (let i = 0; i < endpoints; i++) await attacker.newEndpoint({ filter, event_filter: event });
  return () => attacker.post("/events", { event, data });
}

async function testing(filter: string): Promise<Attack> {
  const { id } = await attacker.newEndpoint();
  return () => attacker.post(`/endpoints/${id}/filter/test`, { filter });
}

async function validating(schema: object, data: unknown): Promise<Attack> {
  const event = `attack.${crypto.randomUUID()}`;
  const { status } = await attacker.put(`/event-types/${event}/schema`, { schema });
  expect(status).toBe(200);
  return () => attacker.post("/events", { event, data });
}

const ATTACKS: Record<string, () => Promise<Attack>> = {
  "open brackets": () => testing("(".repeat(1_000)),
  "open lists": () => testing("[".repeat(4_000)),
  "a filter as long as may be": () => testing(`(${"data.a=='x'||".repeat(120)}true)`),
  "a search for a part that is nearly everywhere": () =>
    filtering("data.h.contains(data.n)", { h: "a".repeat(120_000), n: `${part}b${part}` }),
  "time zones": () =>
    filtering("data.m.all(i, timestamp(data.t).getFullYear('America/New_York') > 0)", {
      m: numbers,
      t: "2024-01-01T00:00:00Z",
    }),
  "numbers as names": () =>
    filtering("data.m.all(i, data.o[i] == 1 || true)", {
      m: numbers,
      o: Object.fromEntries(numbers.map((i) => [`name ${i}`, i])),
    }),
  "long names in errors": () =>
    filtering("data.m.all(i, data.o[data.t] == 1 || true)", { m: numbers, o: {}, t: "a".repeat(100_000) }),
  "many filters that use up their steps": () =>
    filtering("data.m.all(i, data.m.all(j, i + j == i))", { m: numbers.slice(0, 250) }, 20),
  "schemas as large as may be": async () => {
    let i = 0;
    return () => attacker.put(`/event-types/large.${++i % 20}/schema`, { schema: large });
  },
  "a schema with many values for many items": () =>
    validating({ items: { enum: numbers.slice(0, 900).map((i) => `x${i}`) } }, Array(9_000).fill("x899")),
};

const service = await useService();
const [attacker, victim] = [await service.newClient(), await service.newClient()];
const endpoint_id: string = (await victim.newEndpoint({ filter: "data.amount > 10 && data.kind == 'paid'" }))
  .id;
await victim.put("/event-types/order.paid/schema", { schema: { required: ["amount"] } });
await send();
/** The median of the victim's sends while nobody attacks. */
const aloneMs = median(await sends());

test.each(Object.entries(ATTACKS))(
  "one account's rules do not hold up another's sends: %s",
  async (_, prepare) => {
    const attack = await prepare();
    let isOver = false;
    let attacks = 0;
    const attackers = Array.from({ length: 4 }, async () => {
      while (!isOver && attacks < MOST_ATTACKS) {
        await attack();
        attacks++;
      }
    });
    const attacked = await sends(() => attacks >= LEAST_ATTACKS);
    isOver = true;
    await Promise.all(attackers);
    const longestMs = LONGEST_MS * slowness();
    expect(Math.max(...attacked)).toBeLessThan(longestMs);
    expect(median(attacked)).toBeLessThan(Math.max(longestMs / 10, 20 * aloneMs));
  },
);
