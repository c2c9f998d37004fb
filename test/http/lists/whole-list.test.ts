import { expect, spyOn, test } from "bun:test";
import { answerWhole, DATA, WHOLE_PAGE, type WholeList } from "../../../src/api/lists/whole-list";
import { DatabaseUnavailable } from "../../../src/db/database";
import { Endpoints } from "../../../src/endpoints/endpoint";
import type { Json } from "../client";
import { useService } from "../service";

const UNLIMITED = { allowed: true, limit: null, remaining: null, resetSeconds: 0, retryAfterSeconds: 0 };
const MANY = 2 * WHOLE_PAGE + 10;

const service = await useService();
const client = await service.newClient();
await service.database.db.run(
  (sql) => sql`
    with made as (
      select gen_random_uuid() as id from generate_series(1, ${MANY}::integer)
    ),
    keys as (
      insert into api_keys (id, account_id, hash, permissions)
      select id, ${client.accountId}, id::text::bytea, '{}' from made
    )
    insert into endpoints (id, account_id, url, signing_secret)
    select id, ${client.accountId}, 'https://example.com', 'sealed' from made`,
);

/** The numbers from 1, and how many were read. */
function numbers(count: number): WholeList<number, number> & { pages: number } {
  return {
    pages: 0,
    keyOf: (n) => n,
    async read({ limit, beyond: after = 0 }) {
      this.pages++;
      return Array.from({ length: Math.min(limit, count - after) }, (_, i) => after + 1 + i);
    },
    view: (n) => ({ n }),
  };
}

test.each([0, 1, WHOLE_PAGE - 1, WHOLE_PAGE, WHOLE_PAGE + 1, 3 * WHOLE_PAGE])(
  "a list of %p is complete, and JSON",
  async (count) => {
    const wanted = Array.from({ length: count }, (_, i) => ({ n: i + 1 }));
    expect(await (await answerWhole(UNLIMITED, numbers(count))).json()).toEqual(wanted);
    expect(await (await answerWhole(UNLIMITED, numbers(count), DATA)).json()).toEqual({ data: wanted });
  },
);

test("the list is read no further than its reader has taken", async () => {
  const list = numbers(100 * WHOLE_PAGE);
  const { body } = await answerWhole(UNLIMITED, list);
  const reader = body?.getReader();
  await reader?.read();
  await reader?.read();
  await Bun.sleep(5);
  expect(list.pages).toBeLessThanOrEqual(3);
  await reader?.cancel();
});

test.each([
  ["/endpoints", (body: Json) => body, "ep"],
  ["/keys", (body: Json) => body.data, "key"],
] as const)("an account's %s are all listed, newest first, once each", async (path, itemsOf) => {
  const items: Json[] = itemsOf(await client.expecting(200, client.get(path)));
  const ids = items.map(({ id }) => id);
  expect(ids.length).toBeGreaterThanOrEqual(MANY);
  expect(ids).toEqual([...new Set(ids)].sort().reverse());
});

test("a list that fails midway is not a complete answer", async () => {
  const page = Endpoints.prototype.page;
  const broken = spyOn(Endpoints.prototype, "page").mockImplementation(function (this: Endpoints, id, query) {
    return query.beyond ? Promise.reject(new DatabaseUnavailable("gone")) : page.call(this, id, query);
  });
  await expect(client.get("/endpoints")).rejects.toThrow();
  broken.mockRestore();
  await client.expecting(200, client.get("/endpoints"));
});
