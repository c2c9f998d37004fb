import type { BucketAccess } from "../../src/cold/store";
import { atEnd } from "../support/at-end";

/** A server with as much of S3 as the store uses: objects are put, got and deleted. */
export function smallBucket(): { objects: ReadonlyMap<string, Uint8Array>; access: BucketAccess } {
  const objects = new Map<string, Uint8Array>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (!request.headers.has("authorization")) return new Response(null, { status: 403 });
      if (request.method === "PUT") objects.set(pathname, await request.bytes());
      if (request.method === "DELETE") objects.delete(pathname);
      const object = objects.get(pathname);
      if (request.method === "GET" && object) return new Response(object);
      return new Response(null, { status: request.method === "GET" ? 404 : 200 });
    },
  });
  atEnd(() => server.stop(true));
  const endpoint = `http://127.0.0.1:${server.port}`;
  return { objects, access: { endpoint, accessKeyId: "an id", secretAccessKey: "a secret" } };
}
