import { afterAll, describe, expect, test } from "bun:test";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { AUTHORITY, CERTIFICATE, KEY } from "../attempt/certificates";
import { createSender, exchangeOf, to } from "../attempt/sending";
import { SlowRelay } from "../attempt/slow-relay";
import { until } from "../support/faults/until";

const open: { close(): void }[] = [];
afterAll(() => {
  for (const each of open) each.close();
});

function opened<T extends { close(): void }>(each: T): T {
  open.push(each);
  return each;
}

/** A receiver's next step after its early answer. */
type Then = "stay" | "half-close" | "chatter" | "stop" | "reset";

const OK = "HTTP/1.1 200 OK\r\n";
const EARLY: readonly [how: string, answer: string, then: Then][] = [
  ["keeps the connection", `${OK}content-length: 2\r\n\r\nok`, "stay"],
  ["says that it closes", `${OK}content-length: 2\r\nconnection: close\r\n\r\nok`, "stay"],
  ["closes its own side", `${OK}content-length: 2\r\nconnection: close\r\n\r\nok`, "half-close"],
  ["speaks HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\nok", "half-close"],
  ["says more than is read", `${OK}content-length: 200000\r\n\r\n${"o".repeat(200_000)}`, "stay"],
  ["says more than is read, bit by bit", `${OK}\r\n${"o".repeat(1_024)}`, "chatter"],
  ["breaks its body off", `${OK}content-length: 50000\r\n\r\nok`, "half-close"],
  ["goes on after its answer", `${OK}content-length: 2\r\n\r\nok`, "chatter"],
];

function afterwards(socket: Socket, then: Then): void {
  if (then === "half-close") socket.end();
  if (then === "stop") socket.pause();
  if (then === "reset") socket.resetAndDestroy();
  if (then !== "chatter") return;
  const timer = setInterval(() => socket.write("more"), 30);
  socket.on("close", () => clearInterval(timer));
}

/** Answers at the first bytes, and counts the rest of the request. */
async function hasty(answer: string, then: Then, isSecure: boolean) {
  const arrived: number[] = [];
  const serve = (socket: Socket) => {
    const n = arrived.push(0) - 1;
    let bodyAt = -1;
    let text = "";
    let all = 0;
    socket.on("error", () => {});
    socket.on("data", (bytes: Buffer) => {
      all += bytes.length;
      if (bodyAt < 0) {
        text += bytes.toString("latin1");
        bodyAt = text.indexOf("\r\n\r\n") + 4;
        if (bodyAt < 4) bodyAt = -1;
        else socket.write(answer, () => afterwards(socket, then));
      }
      if (bodyAt >= 0) arrived[n] = all - bodyAt;
    });
    socket.on("end", () => socket.end());
  };
  const options = { allowHalfOpen: true, key: KEY, cert: CERTIFICATE };
  const server: Server = isSecure ? createTlsServer(options, serve) : createServer(options, serve);
  opened(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return { arrived, port: typeof address === "object" && address ? address.port : 0 };
}

function sender(timeoutMs: number) {
  const lookup = async () => [{ address: "127.0.0.1", family: 4 } as const];
  return opened(createSender({ lookup, timeoutMs, tls: { certificateAuthorities: AUTHORITY } }));
}

const urlOf = (scheme: string, port: number) => `${scheme}://hook.test:${port}/`;

// Links and timeouts take the time of these tests, so they run at once.
describe.concurrent("a receiver that answers 2xx before it has read the body still gets all of it, over a slow link", () => {
  for (const scheme of ["http", "https"]) {
    test.each(EARLY)(`by ${scheme}, and %s`, async (_how, answer, then) => {
      const { arrived, port } = await hasty(answer, then, scheme === "https");
      const relay = opened(await SlowRelay.open(port));
      const sending = sender(20_000);
      const sizes = [200_000, 500_000, 1_000_000];
      const sent = sizes.map((size) =>
        exchangeOf(sending, { ...to(urlOf(scheme, relay.port)), body: "x".repeat(size) }),
      );
      for (const exchange of await Promise.all(sent)) expect(exchange).toMatchObject({ acknowledged: true });
      await until(() => arrived.reduce((a, b) => a + b, 0) === 1_700_000);
      expect(arrived.toSorted((a, b) => a - b)).toEqual(sizes);
    });
  }
});

describe.concurrent("a 2xx does not count while part of the request is unwritten", () => {
  // More than kernels buffer.
  const body = "x".repeat(10_000_000);

  test.each([
    ["http", "stop", "timeout"],
    ["https", "stop", "timeout"],
    ["http", "reset", "connection_reset"],
    ["https", "reset", "connection_reset"],
  ] as const)("%s, and the receiver's next step is to %s", async (scheme, then, error) => {
    const { port } = await hasty(`${OK}content-length: 2\r\n\r\nok`, then, scheme === "https");
    const exchange = await exchangeOf(sender(3_000), { ...to(urlOf(scheme, port)), body });
    expect(exchange).toMatchObject({ status: 200, acknowledged: false, error });
    expect(exchange.errorDetail).toBe("request_not_taken");
  });
});
