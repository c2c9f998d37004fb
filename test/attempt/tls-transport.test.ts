import { afterEach, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import type { Handshake } from "../../src/attempt/connections/tls";
import { TlsTransport } from "../../src/attempt/connections/tls";
import { MAX_INPUT_BYTES } from "../../src/attempt/http1/answer-reader";
import { Budget } from "../../src/runtime/budget";
import { until } from "../support/faults/until";
import { Receiver } from "./receiver";

const open: { close(): void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

/** A transport to a receiver. Its handshakes wait until the test runs them. */
async function newTransport(buffers = new Budget(MAX_INPUT_BYTES)) {
  const waiting: Handshake[] = [];
  const others: Socket[] = [];
  const receiver = await Receiver.open({ onConnection: (socket) => others.push(socket) });
  open.push(receiver);
  const handshakes = { run: (handshake: Handshake) => void waiting.push(handshake) };
  const claimant = { account: "an account", speed: "new" } as const;
  const socket = connect({ host: "127.0.0.1", port: receiver.port });
  const transport = new TlsTransport(socket, { claimant, handshakes, buffers });
  const came: string[] = [];
  transport.on("data", (bytes) => came.push(bytes.toString())).on("end", () => came.push("end"));
  transport.on("error", ({ name }) => came.push(name));
  await until(() => others.length === 1);
  const say = async (text: string) => {
    const before = socket.bytesRead;
    others[0]?.write(text);
    await until(() => socket.bytesRead >= before + text.length);
  };
  return { transport, waiting, came, say, socket, other: others[0] };
}

test("bytes that arrive during a handshake wait, all of them, and the end after them", async () => {
  const { transport, waiting, came, say, socket, other } = await newTransport();
  await say("a");
  await say("b");
  other?.end();
  await until(() => socket.destroyed);
  expect([waiting, came]).toEqual([[transport], []]);
  transport.proceed();
  await until(() => came.length === 2);
  expect(came).toEqual(["ab", "end"]);
});

test("bytes that arrive after the handshake wait for nothing", async () => {
  const { transport, waiting, came, say } = await newTransport();
  await say("a");
  transport.open();
  await say("b");
  expect([waiting.length, came]).toEqual([1, ["a", "b"]]);
  transport.proceed();
  expect(came).toEqual(["a", "b"]);
});

test("waiting bytes take memory for as long as they wait", async () => {
  const room = new Budget(3);
  const { transport, say } = await newTransport(room);
  await say("abc");
  expect(room.isFull).toBe(true);
  transport.proceed();
  expect(room.isFull).toBe(false);
  await say("def");
  expect(room.isFull).toBe(true);
  transport.destroy();
  expect(room.isFull).toBe(false);
});

test("without free memory only few bytes may wait", async () => {
  const room = new Budget(1);
  const { came, say, transport } = await newTransport(room);
  await say("a".repeat(20_000));
  transport.proceed();
  const { came: cameThen, say: sayThen } = await newTransport(room);
  room.change(1);
  await sayThen("a".repeat(20_000));
  await until(() => cameThen.length > 0);
  expect([came.length, cameThen]).toEqual([1, ["HandshakeTooLarge"]]);
});
