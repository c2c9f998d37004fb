import { expect, test } from "bun:test";
import fc from "fast-check";
import { matches } from "../../src/domain/event-filter";
import { type AccountId, type EndpointId, newId } from "../../src/domain/ids";
import { TEST_EVENT } from "../../src/domain/test-event";
import { planCommit } from "../../src/intake/commit-plan";
import type { NewDelivery } from "../../src/intake/new-delivery";
import { addressOf, type CachedEndpoint } from "../../src/intake/sends/endpoint-cache";
import { filterOf } from "../support/filter";

const ACCOUNTS = [newId("acc"), newId("acc")] as const;
const ENDPOINTS = ACCOUNTS.flatMap((accountId) =>
  ["*", "a.*", "a.b"].map((pattern) => ({ id: newId("ep"), accountId, filter: filterOf(pattern) })),
);
const CACHED = new Map<EndpointId, CachedEndpoint>(
  ENDPOINTS.map(({ id, accountId, filter }) => [
    id,
    { accountId, partition: 3, filterRevision: 1, filter, isFeed: false },
  ]),
);

function cached(id: EndpointId): CachedEndpoint {
  const found = CACHED.get(id);
  if (!found) throw new Error("no endpoint");
  return found;
}

function send(endpoint: { id: EndpointId; accountId: AccountId }, event: string | null): NewDelivery {
  const { id: endpointId, accountId } = endpoint;
  return { id: newId("wh"), accountId, endpointId, event, orderingKey: null, data: "{}", idempotency: null };
}

const anySends = fc.array(
  fc.record({
    endpoint: fc.constantFrom(...ENDPOINTS),
    event: fc.constantFrom(null, "", "a.b", "a.c", TEST_EVENT),
  }),
  { maxLength: 40 },
);

test("a plan has every send once, numbered in order if its endpoint wants it, and counts them all", () => {
  fc.assert(
    fc.property(anySends, (chosen) => {
      const sends = chosen.map(({ endpoint, event }) => send(endpoint, event));
      const addressed = sends.flatMap((each) => {
        const address = addressOf(each, cached(each.endpointId));
        return address.kind === "refused" ? [] : [[each, address] as const];
      });
      const plan = planCommit(new Map(addressed));
      expect(plan.deliveries.map(({ item }) => item)).toEqual(sends);
      for (const { item, endpoint, nth } of plan.deliveries) {
        expect(nth > 0).toBe(matches(cached(endpoint.id).filter, item.event));
      }
      plan.endpoints.forEach((endpoint, index) => {
        expect(endpoint.index).toBe(index);
        const own = plan.deliveries.filter((each) => each.endpoint === endpoint && each.nth > 0);
        expect(own.map(({ nth }) => nth)).toEqual(Array.from({ length: endpoint.count }, (_, i) => i + 1));
        expect(own.every(({ item }) => "endpointId" in item && item.endpointId === endpoint.id)).toBe(true);
      });
      const endpointIds = plan.endpoints.map(({ id }) => id);
      expect(endpointIds).toEqual([...new Set(sends.map(({ endpointId }) => endpointId))].sort());
      const ids = plan.accounts.map(({ id }) => id);
      expect(ids).toEqual([...new Set(sends.map(({ accountId }) => accountId))].sort());
      for (const { id, count, events } of plan.accounts) {
        const own = plan.deliveries.filter(({ item }) => item.accountId === id);
        expect(count).toBe(own.length);
        for (const [name, { accepted, cancelled }] of events) {
          const ofEvent = own.filter((each) => (each.item.event ?? "") === name);
          expect(ofEvent).toHaveLength(accepted);
          expect(ofEvent.filter(({ nth }) => nth === 0)).toHaveLength(cancelled);
        }
      }
    }),
  );
});
