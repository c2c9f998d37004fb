import { expect, test } from "bun:test";
import { createAddressPolicy } from "../../src/attempt/targets/address";
import { addressCheck } from "../../src/attempt/targets/address-check";
import { TargetResolver } from "../../src/attempt/targets/resolver";
import type { Lookup } from "../../src/attempt/targets/system-lookup";
import { checkEndpointUrl } from "../../src/feeds/endpoint-url";
import { FOUND_PROBLEMS_PER_MINUTE } from "../../src/resources/endpoints/address-check";
import { systemClock } from "../../src/runtime/clock";
import { expectError } from "./client";
import { newPortalSession } from "./portal-session";
import { useService } from "./service";

const policy = createAddressPolicy({ production: true, allowPrivateNetworks: null });
const ADDRESSES: Readonly<Record<string, string>> = { "fine.test": "8.8.8.8", "inside.test": "10.0.0.1" };

const lookup: Lookup = async (name) => {
  const address = ADDRESSES[name];
  if (address === undefined) throw Object.assign(new Error(name), { code: "ENOTFOUND" });
  return [{ address, family: 4 }];
};

const service = await useService({
  dependencies: {
    checkUrl: (text) => checkEndpointUrl(text, policy, { requireHttps: true, mail: null }),
    checkAddress: addressCheck(
      new TargetResolver({ policy, clock: systemClock, requireHttps: true, lookup }),
    ),
  },
});
const client = await service.newClient();
const check = (url: string) => client.post("/endpoints/check-url", { url });

test.each([
  ["https://FINE.test:443/a#b", "https://fine.test/a", null, null],
  ["https://8.8.8.8/", "https://8.8.8.8/", null, null],
  ["https://gone.test/a", "https://gone.test/a", "dns", "no address"],
  ["https://inside.test/a", "https://inside.test/a", "blocked_address", "private"],
  ["https://10.0.0.1/", null, "invalid_url", "private"],
  ["http://fine.test/", null, "invalid_url", "https://"],
  ["https://", null, "invalid_url", "https://"],
])("a check of %s says where it leads, and its problem", async (given, url, error, message) => {
  const { status, body } = await check(given);
  expect(status).toBe(200);
  expect(body).toEqual({ url, error, message: message === null ? null : expect.stringContaining(message) });
});

test("a check stores nothing, and an endpoint with the checked URL is taken or refused alike", async () => {
  for (const url of ["https://fine.test/", "https://gone.test/", "https://10.0.0.1/"]) {
    const { body } = await check(url);
    const made = await client.post("/endpoints", { url });
    expect(made.status).toBe(body.url === null ? 400 : 201);
    if (body.url !== null) expect(made.body.url).toBe(body.url);
  }
});

test("an account finds a limited number of problems a minute, and others still check", async () => {
  const eager = await service.newClient();
  const ask = () => eager.post("/endpoints/check-url", { url: "https://gone.test/" });
  for (let i = 0; i < FOUND_PROBLEMS_PER_MINUTE; i++) await eager.expecting(200, ask());
  expectError(await ask(), 429, "RATE_LIMIT_EXCEEDED", "try again in");
  expect((await check("https://fine.test/")).status).toBe(200);
});

test("a portal session checks a URL if it may manage endpoints", async () => {
  const askAs = async (capabilities: string[]) => {
    const headers = await newPortalSession(service, client, { capabilities });
    const body = JSON.stringify({ url: "https://fine.test/" });
    return (await fetch(`${service.url}/v1/endpoints/check-url`, { method: "POST", headers, body })).status;
  };
  expect(await askAs(["view", "manage_endpoints"])).toBe(200);
  expect(await askAs(["view"])).toBe(403);
});
