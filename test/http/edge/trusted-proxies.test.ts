import { expect, test } from "bun:test";
import { FAILED_SIGN_INS_PER_MINUTE } from "../../../src/api/edge/failure-limit";
import { TrustedProxies } from "../../../src/api/edge/trusted-proxies";
import { readConfig } from "../../../src/service/config";
import { useService } from "../service";

const proxies = new TrustedProxies("10.0.0.0/8, 192.0.2.7, fd00::/8");

test.each([
  ["a client that comes directly, whatever it claims", "203.0.113.9", "198.51.100.1", "203.0.113.9"],
  ["the client of a proxy", "10.1.2.3", "203.0.113.9", "203.0.113.9"],
  ["the client in front of two proxies", "10.1.2.3", "203.0.113.9, 192.0.2.7", "203.0.113.9"],
  ["no address that the client made up", "10.1.2.3", "198.51.100.1, 203.0.113.9", "203.0.113.9"],
  ["a proxy over IPv6, or in the form of IPv6", "::ffff:10.1.2.3", "203.0.113.9, fd00::1", "203.0.113.9"],
  ["a proxy that names nobody", "10.1.2.3", null, "10.1.2.3"],
  ["a proxy that names no address", "10.1.2.3", "unknown", "10.1.2.3"],
])("finds %s", (_, peer, header, client) => {
  expect(proxies.clientOf(peer, header)).toBe(client);
});

test("trusts nobody by default", () => {
  expect(new TrustedProxies(null).clientOf("127.0.0.1", "203.0.113.9")).toBe("127.0.0.1");
});

const config = readConfig({ HERMOD_TRUSTED_PROXIES: "127.0.0.1" });
const { url } = await useService({ dependencies: { config } });

test("a stranger's failed sign-ins behind a trusted proxy keep nobody else from signing in", async () => {
  const signIn = async (client: string) =>
    (await fetch(`${url}/v1/sessions`, { method: "POST", headers: { "x-forwarded-for": client } })).status;
  for (let i = 0; i < FAILED_SIGN_INS_PER_MINUTE; i++) expect(await signIn("203.0.113.9")).toBe(401);
  expect(await signIn("203.0.113.9")).toBe(429);
  expect(await signIn("203.0.113.10")).toBe(401);
});
