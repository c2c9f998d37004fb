import { describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { recordAttempt } from "./attempts";
import type { Json } from "./client";
import { useService } from "./service";

setDefaultTimeout(120_000);

const EVENTS = ["invoice.paid", "order.created", "user.deleted"];
const WALKS = 12;

const service = await useService();
const client = await service.newClient();
const stranger = await service.newClient();
const endpoints = await Promise.all([client.newEndpoint(), client.newEndpoint()]);
const strangers = await stranger.newEndpoint();
for (let i = 0; i < 40; i++) await arrive(i);

/** Creates a delivery of ours and another account's. Every third is delivered at once. */
async function arrive(i: number): Promise<void> {
  const event = EVENTS[i % EVENTS.length] ?? "other";
  const sent = await client.send(endpoints[i % 2].id, event, { i });
  await stranger.send(strangers.id, event, { i });
  if (i % 3 === 0) await recordAttempt(service.database.db, sent, { status: 200 });
}

const list = (path: string): Promise<Json> => client.expecting(200, client.get(path));

/** Deliveries that existed at the start and match the filter, without the status, which may change meanwhile. */
async function existing(filter: Filter): Promise<string[]> {
  const page = await list("/webhooks?limit=100&after=2020-01-01T00:00:00Z");
  const ids: string[] = [];
  for (
    let cursor = page;
    ;
    cursor = await list(`/webhooks?limit=100&after=2020-01-01T00:00:00Z&cursor=${cursor.cursor}`)
  ) {
    ids.push(...cursor.data.filter((item: Json) => fits(item, filter)).map((item: Json) => item.id));
    if (cursor.cursor === null) return ids;
  }
}

type Filter = { event: string | null; endpoint: number | null };

function fits(item: Json, { event, endpoint }: Filter): boolean {
  return (
    (event === null || item.event === event) &&
    (endpoint === null || item.endpoint_id === endpoints[endpoint].id)
  );
}

const anyFilter = fc.record({
  event: fc.option(fc.constantFrom(...EVENTS)),
  endpoint: fc.option(fc.constantFrom(0, 1)),
});
const anySize = fc.integer({ min: 1, max: 17 });

function queryOf({ event, endpoint }: Filter): string {
  const parts = [
    ...(event === null ? [] : [`event_type=${event}`]),
    ...(endpoint === null ? [] : [`endpoint_id=${endpoints[endpoint].id}`]),
  ];
  return parts.map((part) => `&${part}`).join("");
}

let arrivals = 1_000;

/** Reads page after page, with a delivery arriving between any two. */
async function walk(
  first: string,
  next: (page: Json) => string | null,
  items: (page: Json) => Json[],
): Promise<string[]> {
  const ids: string[] = [];
  for (let path: string | null = first; path !== null; ) {
    const page = await list(path);
    ids.push(...items(page).map((item) => item.id));
    await arrive(arrivals++);
    path = next(page);
  }
  return ids;
}

describe("while deliveries keep arriving, a walk returns each that existed at the start", () => {
  test("exactly once, by cursor", async () => {
    await fc.assert(
      fc.asyncProperty(anyFilter, anySize, async (filter, size) => {
        const there = await existing(filter);
        const path = `/webhooks?limit=${size}${queryOf(filter)}`;
        const next = (page: Json) => (page.cursor === null ? null : `${path}&cursor=${page.cursor}`);
        const walked = await walk(path, next, (page) => page.data);
        expect(walked.filter((id) => there.includes(id))).toEqual(there);
      }),
      { numRuns: WALKS },
    );
  });

  test("exactly once, by iterator, with those that arrived meanwhile", async () => {
    await fc.assert(
      fc.asyncProperty(anyFilter, anySize, async (filter, size) => {
        const there = await existing(filter);
        const path = (iterator: string) =>
          `/webhooks?limit=${size + 3}&iterator=${iterator}${queryOf(filter)}`;
        const left = new Set(there);
        const next = (page: Json) => {
          for (const { id } of page.data) left.delete(id);
          // Transactions that began before, in other tests' databases, hold an iterator back.
          return page.cursor === null && left.size === 0 ? null : path(page.iterator);
        };
        const walked = await walk(path("start"), next, (page) => page.data);
        expect(new Set(walked).size).toBe(walked.length);
        expect(walked.filter((id) => there.includes(id))).toHaveLength(there.length);
      }),
      { numRuns: WALKS },
    );
  });

  // A new delivery moves all others by one position, so a numbered page may repeat a delivery of the previous page. A walk
  // in pages of one would never end, and one in pages of two or three doubles the list.
  test("at least once, by page number", async () => {
    const severalAPage = fc.integer({ min: 4, max: 17 });
    await fc.assert(
      fc.asyncProperty(fc.option(fc.constantFrom(...EVENTS)), severalAPage, async (event, size) => {
        const there = await existing({ event, endpoint: null });
        const path = (page: number) =>
          `/webhooks?per_page=${size}&page=${page}${event === null ? "" : `&event=${event}`}`;
        const next = (page: Json) => (page.deliveries.length < size ? null : path(page.page + 1));
        const walked = new Set(await walk(path(1), next, (page) => page.deliveries));
        expect(there.filter((id) => !walked.has(id))).toEqual([]);
      }),
      { numRuns: 5 },
    );
  });
});

test("no walk returns another account's delivery", async () => {
  const mine = new Set(await existing({ event: null, endpoint: null }));
  const theirs = await stranger.expecting(200, stranger.get("/webhooks?limit=100"));
  expect(theirs.data.length).toBeGreaterThan(0);
  for (const { id } of theirs.data) expect(mine.has(id)).toBe(false);
});
