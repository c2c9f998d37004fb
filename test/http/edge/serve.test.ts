import { describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import type { Dependencies } from "../../../src/api/dependencies";
import { type HttpServer, serve } from "../../../src/api/edge/serve";
import { createApp } from "../../../src/resources/app";
import { useService } from "../service";

const hasIpv6 = Object.values(networkInterfaces()).some((each) =>
  each?.some(({ address }) => address === "::1"),
);

const service = await useService();

function start(changes: Partial<Dependencies> = {}, port = 0): HttpServer {
  return serve(createApp({ ...service.dependencies, ...changes }), { host: "127.0.0.1", port });
}

describe("a server that stops", () => {
  test("answers requests under way, and accepts no new ones", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const readiness = () => held.then(() => ({ postgres: true, nats: true, writes: true }));
    const server = start({ readiness });
    const url = `http://127.0.0.1:${server.port}/health`;
    const underWay = fetch(`${url}/ready`);
    await fetch(`${url}/live`);
    const stopped = server.stop();
    expect(fetch(`${url}/live`, { keepalive: false })).rejects.toThrow();
    release();
    expect((await underWay).status).toBe(200);
    await stopped;
  });

  test("does not wait for idle connections", async () => {
    const server = start();
    const socket = connect(server.port, "127.0.0.1");
    await new Promise((resolve) => socket.once("connect", resolve));
    socket.write("GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n");
    await new Promise((resolve) => socket.once("data", resolve));
    // The connection itself would last for longer than this test may.
    await server.stop();
    await server.close();
    socket.destroy();
  });
});

test("a taken port and an unknown host are errors that name them", async () => {
  const server = start();
  expect(() => start({}, server.port)).toThrow(`HOST 127.0.0.1 with PORT ${server.port}`);
  await server.close();
  const app = createApp(service.dependencies);
  expect(() => serve(app, { host: "256.1.1.1", port: 0 })).toThrow("HOST 256.1.1.1 with PORT 0");
});

describe("every address", () => {
  /** Records what an app should listen on, and refuses `::` with an error code. */
  function listener(code: string) {
    const hosts: string[] = [];
    return {
      hosts,
      server: { port: 1, stop: async () => {} },
      listen: ({ hostname }: { hostname: string }) => {
        hosts.push(hostname);
        if (hostname === "::") throw Object.assign(new Error(code), { code });
      },
    };
  }

  test.each(["EAFNOSUPPORT", "EADDRNOTAVAIL"])(
    "is every IPv4 address on a machine without IPv6: %s",
    (code) => {
      const app = listener(code);
      expect(serve(app, { host: "::", port: 0 }).host).toBe("0.0.0.0");
      expect(app.hosts).toEqual(["::", "0.0.0.0"]);
    },
  );

  test("is not listened on in part if the port is taken", () => {
    const app = listener("EADDRINUSE");
    expect(() => serve(app, { host: "::", port: 80 })).toThrow("HOST :: with PORT 80");
    expect(app.hosts).toEqual(["::"]);
  });

  test("includes both families", async () => {
    const server = serve(createApp(service.dependencies), { host: "::", port: 0 });
    const statusAt = async (host: string) =>
      (await fetch(`http://${host}:${server.port}/health/live`)).status;
    expect(await statusAt("127.0.0.1")).toBe(200);
    if (hasIpv6) expect(await statusAt("[::1]")).toBe(200);
    await server.close();
  });
});
