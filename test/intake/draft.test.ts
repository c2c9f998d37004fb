import { expect, test } from "bun:test";
import fc from "fast-check";
import { ALL_EVENTS, TEST_EVENT } from "../../src/endpoints/event-filter";
import type { NumberedSend } from "../../src/intake/accept-sends";
import { draftOf } from "../../src/intake/draft";
import { type KnownEndpoint, KnownEndpoints } from "../../src/intake/known-endpoints";
import { type AccountId, type EndpointId, newId } from "../../src/runtime/ids";
import { filterOf } from "../support/filter";

const ACCOUNTS = [newId("acc"), newId("acc")] as const;
const ENDPOINTS = ACCOUNTS.flatMap((accountId) => [1, 2, 3].map(() => ({ id: newId("ep"), accountId })));

function known(accountId: AccountId, changes: Partial<KnownEndpoint> = {}): KnownEndpoint {
  return { accountId, partition: 3, filterRevision: 1, filter: ALL_EVENTS, ...changes };
}

function send(endpoint: { id: EndpointId; accountId: AccountId }, event: string | null): NumberedSend {
  const { id: endpointId, accountId } = endpoint;
  return { id: newId("wh"), accountId, endpointId, event, orderingKey: null, data: "{}", idempotency: null };
}

const anySends = fc.array(
  fc.record({ endpoint: fc.constantFrom(...ENDPOINTS), event: fc.constantFrom(null, "", "a.b", "a.c") }),
  { maxLength: 40 },
);

test("a draft has every send once, numbered in its turn, and counts them all", () => {
  const endpoints = new Map(ENDPOINTS.map(({ id, accountId }) => [id, known(accountId)]));
  fc.assert(
    fc.property(anySends, (chosen) => {
      const sends = chosen.map(({ endpoint, event }) => send(endpoint, event));
      const draft = draftOf(sends, (id) => endpoints.get(id) ?? null);
      if (!draft) throw new Error("nothing kept it from being made");
      expect(draft.sends.map((each) => each.send)).toEqual(sends);
      draft.endpoints.forEach((endpoint, place) => {
        expect(endpoint.place).toBe(place);
        const own = draft.sends.filter((each) => each.endpoint === endpoint);
        expect(own.map(({ nth }) => nth)).toEqual(Array.from({ length: endpoint.count }, (_, i) => i + 1));
        expect(new Set(own.map((each) => each.send.endpointId))).toEqual(new Set([endpoint.id]));
      });
      const endpointIds = draft.endpoints.map(({ id }) => id);
      expect(endpointIds).toEqual([...new Set(sends.map(({ endpointId }) => endpointId))].sort());
      const ids = draft.accounts.map(({ id }) => id);
      expect(ids).toEqual([...new Set(sends.map(({ accountId }) => accountId))].sort());
      for (const { id, count, events } of draft.accounts) {
        const own = sends.filter(({ accountId }) => accountId === id);
        expect(count).toBe(own.length);
        for (const [name, times] of events) {
          expect(own.filter(({ event }) => (event ?? "") === name)).toHaveLength(times);
        }
        expect([...events.values()].reduce((sum, times) => sum + times, 0)).toBe(count);
      }
    }),
  );
});

test("there is no draft with a send of which it is not sure what becomes of it", () => {
  const [endpoint, other] = ENDPOINTS;
  if (!endpoint || !other) throw new Error("two are needed");
  const sure = send(endpoint, "a.b");
  const draft = (unsure: Partial<NumberedSend>, found: KnownEndpoint | null) =>
    draftOf([sure, { ...sure, id: newId("wh"), ...unsure }], (id) =>
      id === endpoint.id ? known(endpoint.accountId) : found,
    );
  const elsewhere = { endpointId: other.id };
  expect(draft(elsewhere, known(other.accountId))).not.toBeNull();
  expect(draft(elsewhere, null)).toBeNull();
  expect(draft(elsewhere, known(ACCOUNTS[1]))).toBeNull();
  const filtered = known(other.accountId, { filter: filterOf("b.*") });
  expect(draft(elsewhere, filtered)).toBeNull();
  expect(draft({ ...elsewhere, event: TEST_EVENT }, filtered)).not.toBeNull();
  expect(draft({ idempotency: { key: "k", fingerprint: new Uint8Array(32) } }, null)).toBeNull();
});

test("an endpoint is known once it was found settled, or alike twice in a row", () => {
  const [account] = ACCOUNTS;
  const endpoints = new KnownEndpoints();
  const id = newId("ep");
  const [first, second] = [known(account), known(account, { filterRevision: 2 })];
  expect(endpoints.get(id)).toBeNull();
  endpoints.learn(id, first, false);
  expect(endpoints.get(id)).toBeNull();
  endpoints.learn(id, first, false);
  expect(endpoints.get(id)).toMatchObject(first);
  endpoints.learn(id, second, false);
  expect(endpoints.get(id)).toBeNull();
  // The revision of a change, beside what was read before it.
  endpoints.learn(id, { ...second, filter: filterOf("a.*") }, false);
  expect(endpoints.get(id)).toBeNull();
  endpoints.learn(id, { ...second, filter: filterOf("a.*") }, false);
  expect(endpoints.get(id)).toMatchObject({ ...second, filter: filterOf("a.*") });
  // What a stranger is told of it.
  endpoints.forgetOf(ACCOUNTS[1], id);
  expect(endpoints.get(id)).not.toBeNull();
  endpoints.forgetOf(account, id);
  expect(endpoints.get(id)).toBeNull();
  for (const forget of [() => endpoints.forget(id), () => endpoints.forgetAll()]) {
    endpoints.learn(id, second, false);
    expect(endpoints.get(id)).toBeNull();
    endpoints.learn(id, second, false);
    expect(endpoints.get(id)).toMatchObject(second);
    forget();
    expect(endpoints.get(id)).toBeNull();
  }
  endpoints.learn(id, first, true);
  expect(endpoints.get(id)).toMatchObject(first);
});
