import { expect, test } from "bun:test";
import { ROLES_BY_NAME } from "../../src/domain/role";
import { IdentityProvider } from "../../src/oidc/identity-provider";
import { createApp } from "../../src/resources/app";
import { ROUTES } from "../http/routes";
import { useService } from "../http/service";
import { answerTo } from "../http/wire";
import { startHostileProvider } from "../oidc/hostile-provider";
import { CLIENT_ID, CLIENT_SECRET } from "../oidc/provider";
import { atEnd } from "../support/at-end";

const provider = await startHostileProvider();
const identityProvider = new IdentityProvider({
  issuer: provider.issuer,
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  scopes: "openid",
  roleClaim: "roles",
  roles: ROLES_BY_NAME,
  sessionSeconds: 3_600,
});
const service = await useService({ dependencies: { identityProvider } });
atEnd(() => provider.stop());

/** Every path outside /v1, and some of /v1, where the guard is the same for all. */
function paths(): string[] {
  const all = createApp(service.dependencies).routes.map(({ path }) => path.replace(/:\w+/g, "x"));
  const open = all.filter((path) => !path.startsWith("/v1"));
  expect(open).toContain("/console/oidc/start");
  return [...new Set([...open, ...ROUTES.slice(0, 4).map(({ path }) => `/v1${path}`), "/nothing"])];
}

const COOKIE = `__Host-hermod-oidc=${"a".repeat(43)}.${Buffer.from("/console").toString("base64url")}`;

async function statusOf(lines: readonly string[]): Promise<number> {
  const request = [...lines, `Cookie: ${COOKIE}`, "Connection: close", "", ""].join("\r\n");
  return Number((await answerTo(service.url, request)).split(" ")[1]);
}

const HOSTS = [
  "a b",
  "[",
  "[::1",
  "a:99999",
  "a:b",
  "a/b",
  "a?b",
  "a#b",
  "a@b",
  "a\\b",
  "%",
  "\xe9",
  "a\x7fb",
  "<x>",
  "a|b",
  "256.256.256.256",
];

test("a malformed Host is a 400 at every path, without a key", async () => {
  for (const path of paths()) {
    const answers = await Promise.all(
      HOSTS.map((host) => statusOf([`GET ${path} HTTP/1.1`, `Host: ${host}`])),
    );
    expect({ path, answers }).toEqual({ path, answers: HOSTS.map(() => 400) });
  }
}, 120_000);

const HEADS: readonly (readonly string[])[] = [
  ["HTTP/1.0"],
  ["HTTP/1.1", "Host:"],
  ["HTTP/1.1", "Host: a", "X-Request-Id: \xff"],
  ["HTTP/1.1", "Host: a", "Traceparent: 00-zz"],
  ["HTTP/1.1", "Host: a", "Authorization: \xff"],
  ["HTTP/1.1", "Host: a", "Accept-Encoding: ,;q=x", "If-None-Match: \xff"],
  ["HTTP/1.1", "Host: a", "Content-Length: 1"],
  ["HTTP/1.1", "Host: a", "Cookie: =;;%zz=%zz"],
];
const QUERIES = ["", "?", "?%zz", "?return=%ff", "?return=//[", "?code=a&state=b", "?state=%zz&iss=["];

test("no malformed head or query makes the service fail, without a key", async () => {
  for (const path of paths()) {
    const tries = QUERIES.flatMap((query) =>
      HEADS.map(([version, ...headers]) => [`GET ${path}${query} ${version}`, ...headers]),
    );
    const answers = await Promise.all(tries.map(async (head) => ({ head, status: await statusOf(head) })));
    expect(answers.filter(({ status }) => !(status < 500))).toEqual([]);
  }
}, 120_000);
