import { describe, expect, test } from "bun:test";
import { DEFAULT_ACCOUNT } from "../../src/accounts/account";
import { ALL_EVENTS } from "../../src/domain/event-filter";
import { type AccountId, type EndpointId, newId } from "../../src/domain/ids";
import { Endpoints, type NewEndpoint } from "../../src/endpoints/endpoint";
import { filterOf } from "../support/filter";
import { useDatabase } from "../support/postgres";

const STRANGER = newId("acc");
const PARTITION = 5;

/** Marks what it seals with its context, so that a test sees both. */
const vault = {
  seal: (text: string, context: string) => `sealed for ${context}: ${text}`,
  open: (sealed: string) => sealed,
};

const database = await useDatabase();
const endpoints = new Endpoints(database.db, () => PARTITION, vault);

function create(options: Partial<NewEndpoint> = {}, account: AccountId = DEFAULT_ACCOUNT) {
  const wanted = { url: "https://example.com/hooks", description: null, eventFilter: ALL_EVENTS, ...options };
  return database.db.transaction((sql) => endpoints.create(sql, account, wanted));
}

async function mailboxOf(id: EndpointId) {
  const [row] = await database.db.run((sql) => sql`select * from mailboxes where endpoint_id = ${id}`);
  return row;
}

describe("a new endpoint", () => {
  test("is active and has a mailbox in its partition", async () => {
    const { endpoint } = await create({ description: "orders", eventFilter: filterOf("order.*") });
    expect(endpoint).toMatchObject({
      accountId: DEFAULT_ACCOUNT,
      url: "https://example.com/hooks",
      description: "orders",
      eventFilter: filterOf("order.*"),
      isActive: true,
    });
    expect(endpoint.createdAt).toBeWithin(Date.now() - 5_000, Date.now() + 5_000);
    expect(await mailboxOf(endpoint.id)).toMatchObject({
      partition: PARTITION,
      revision: 1,
      last_sequence: 0,
    });
    expect(await endpoints.get(DEFAULT_ACCOUNT, endpoint.id)).toEqual(endpoint);
  });

  test("has a secret of 32 random bytes, stored sealed for this endpoint", async () => {
    const { endpoint, signingSecret } = await create();
    expect(signingSecret).toStartWith("whsec_");
    expect(Buffer.from(signingSecret.slice(6), "base64")).toHaveLength(32);
    const [row] = await database.db.run(
      (sql) => sql`select signing_secret from endpoints where id = ${endpoint.id}`,
    );
    expect(row?.signing_secret).toBe(`sealed for ${DEFAULT_ACCOUNT}/${endpoint.id}: ${signingSecret}`);
    expect((await create()).signingSecret).not.toBe(signingSecret);
  });

  test("does not exist if its transaction fails", async () => {
    let id: EndpointId | undefined;
    const failing = database.db.transaction(async (sql) => {
      const wanted = { url: "https://example.com", description: null, eventFilter: ALL_EVENTS };
      id = (await endpoints.create(sql, DEFAULT_ACCOUNT, wanted)).endpoint.id;
      throw new Error("a test");
    });
    await expect(failing).rejects.toThrow("a test");
    expect(await endpoints.get(DEFAULT_ACCOUNT, id ?? newId("ep"))).toBeNull();
  });
});

describe("lists", () => {
  test("are newest first, and contain only the account's endpoints that are not deleted", async () => {
    const account = await newAccount();
    const made: EndpointId[] = [];
    for (let i = 0; i < 5; i++) made.unshift((await create({}, account)).endpoint.id);
    const [deleted] = made.splice(2, 1);
    await endpoints.delete(account, deleted ?? newId("ep"));
    expect((await endpoints.page(account, { limit: 100 })).map((each) => each.id)).toEqual(made);
    const first = await endpoints.page(account, { limit: 3 });
    const second = await endpoints.page(account, { limit: 3, beyond: first.at(-1)?.id });
    expect([first, second].map((page) => page.map((each) => each.id))).toEqual([
      made.slice(0, 3),
      made.slice(3),
    ]);
    expect(await endpoints.page(STRANGER, { limit: 100 })).toEqual([]);
  });
});

describe("an update", () => {
  test("changes the given fields and notifies the dispatchers", async () => {
    const { endpoint } = await create({ description: "old" });
    const changed = await endpoints.update(DEFAULT_ACCOUNT, endpoint.id, {
      url: "https://example.org",
      description: undefined,
      eventFilter: filterOf("invoice.*"),
    });
    expect(changed).toEqual({
      ...endpoint,
      url: "https://example.org",
      eventFilter: filterOf("invoice.*"),
    });
    expect(await mailboxOf(endpoint.id)).toMatchObject({ revision: 2, filter_revision: 2 });
    const cleared = await endpoints.update(DEFAULT_ACCOUNT, endpoint.id, {
      description: null,
      isActive: false,
    });
    expect(cleared).toMatchObject({ description: null, isActive: false });
    expect(await mailboxOf(endpoint.id)).toMatchObject({ revision: 3, filter_revision: 2 });
    expect(await endpoints.get(DEFAULT_ACCOUNT, endpoint.id)).toEqual(cleared);
  });

  test("that changes nothing notifies nobody", async () => {
    const { endpoint } = await create();
    expect(await endpoints.update(DEFAULT_ACCOUNT, endpoint.id, { url: undefined })).toEqual(endpoint);
    expect((await mailboxOf(endpoint.id))?.revision).toBe(1);
  });

  test("resets the failures when it activates, and only then", async () => {
    const { endpoint } = await create();
    const failingSince = async () => {
      const [row] = await database.db.run(
        (sql) => sql`select failing_since is not null as failing from endpoints where id = ${endpoint.id}`,
      );
      return row?.failing;
    };
    await database.db.run((sql) => sql`update endpoints set failing_since = now() where id = ${endpoint.id}`);
    await endpoints.update(DEFAULT_ACCOUNT, endpoint.id, { isActive: true });
    expect(await failingSince()).toBe(true);
    await endpoints.update(DEFAULT_ACCOUNT, endpoint.id, { isActive: false });
    expect(await failingSince()).toBe(true);
    await endpoints.update(DEFAULT_ACCOUNT, endpoint.id, { isActive: true });
    expect(await failingSince()).toBe(false);
  });
});

describe("another account's endpoint", () => {
  test("is a 404", async () => {
    const { endpoint } = await create();
    expect(await endpoints.get(STRANGER, endpoint.id)).toBeNull();
    expect(await endpoints.update(STRANGER, endpoint.id, { url: "https://evil.example" })).toBeNull();
    expect(await endpoints.delete(STRANGER, endpoint.id)).toBe(false);
    expect(await endpoints.get(DEFAULT_ACCOUNT, endpoint.id)).toEqual(endpoint);
    expect((await mailboxOf(endpoint.id))?.revision).toBe(1);
  });
});

async function newAccount(): Promise<AccountId> {
  const id = newId("acc");
  await database.db.run((sql) => sql`insert into accounts (id, name, plan) values (${id}, 'a test', 'free')`);
  return id;
}
