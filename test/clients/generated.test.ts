import { expect, test } from "bun:test";
import { join } from "node:path";
import type { ApiDocument } from "../../clients/document";
import { generated } from "../../clients/generate";
import { JAVA_MODEL } from "../../clients/java";
import { modelOf } from "../../clients/model";
import { Hermod } from "../../src/client";
import document from "../../src/client/openapi.json";

const CLIENTS = join(import.meta.dir, "../../clients");
const model = modelOf(document as unknown as ApiDocument);
const methods = model.resources.flatMap((resource) =>
  resource.methods.map((method) => ({ ...method, resource: resource.name })),
);

const written = generated();

test.each(Object.entries(written))("clients/%s is what `bun run clients` writes", async (path, text) => {
  expect((await Bun.file(join(CLIENTS, path)).text()) === text).toBe(true);
});

test("the folder of the Java types has no other files", async () => {
  const paths = await Array.fromAsync(new Bun.Glob(`${JAVA_MODEL}/*`).scan(CLIENTS));
  expect(paths.filter((path) => !(path in written))).toEqual([]);
});

test("every operation that a key can call has a method of its own in the clients", () => {
  const names = methods.flatMap(({ resource, name, every }) =>
    [name, ...(every ? [every.name] : [])].map((each) => `${resource}.${each}`),
  );
  expect(new Set(names).size).toBe(names.length);
  const left = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([http, { operationId }]) =>
      methods.some((method) => method.path === path && method.http === http) ? [] : [operationId],
    ),
  );
  // Health needs no key, the sessions are a browser's, and the streams are followed by hand.
  expect(left.sort()).toEqual([
    "createSession",
    "deletePortalSession",
    "deleteSession",
    "getPortalSession",
    "getSession",
    "isLive",
    "isReady",
    "openPortalSession",
    "tailJobs",
    "tailWebhooks",
  ]);
});

test.each(methods.map((method) => [`${method.resource}.${method.name}`, method] as const))(
  "the TypeScript client has %s, which calls the same route",
  async (_name, { resource, name, http, path, ids, isByExternalId, every }) => {
    const asked: string[] = [];
    const fetch = async (url: string, { method }: RequestInit) => {
      asked.push(`${method} ${new URL(url).pathname}`);
      return Response.json({ data: [], cursor: null });
    };
    const hermod: object = new Hermod({ url: "http://127.0.0.1", key: "k", fetch });
    const holder = resource === "" ? hermod : (hermod as Record<string, object>)[resource];
    const called = holder as Record<string, (...given: unknown[]) => Promise<unknown>>;
    await called[name]?.(...ids, {});
    if (every) await Array.fromAsync(called[every.name]?.(...ids, {}) as unknown as AsyncIterable<unknown>);
    const target = path.replace(/[{}]/g, "").replace(/id$/, isByExternalId ? "~id" : "id");
    const route = `${http.toUpperCase()} ${target}`;
    expect(asked).toEqual(every ? [route, route] : [route]);
  },
);
