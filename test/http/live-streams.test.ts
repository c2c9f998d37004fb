import { expect, test } from "bun:test";
import { MODELLED } from "../../src/api/json/json-text";
import { RequestBody } from "../../src/api/json/request-body";
import { eventText } from "../../src/api/live/event-text";
import { HEARTBEAT_SECONDS, type LiveSource, LiveStreams } from "../../src/api/live/live-streams";
import { createLog } from "../../src/runtime/log";
import { ManualClock } from "../accounts/manual-clock";
import { principalOf } from "./principal";

const allowance = { allowed: true, limit: 60, remaining: 3, resetSeconds: 7, retryAfterSeconds: 0 };

/** A stream that sends what the test gives it, on a clock of its own. */
function streaming() {
  const clock = new ManualClock();
  const streams = new LiveStreams({ clock, log: createLog("silent") });
  const said: string[] = [];
  const state = { isAllowed: true, looks: 0 };
  const source: LiveSource = {
    next: async () => {
      state.looks++;
      return { text: said.splice(0).join(""), more: false };
    },
    position: "here",
  };
  const call = {
    principal: principalOf(),
    allowance,
    body: new RequestBody(new Uint8Array(), MODELLED),
    hops: 0,
    isStillAllowed: async () => state.isAllowed,
  };
  const response = streams.answer(call, new Request("http://x/"), source);
  const reader = response.body?.getReader();
  const read = async () => new TextDecoder().decode((await reader?.read())?.value);
  return { clock, said, state, response, read, streams };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a stream begins with its position, and sends something every 15 seconds", async () => {
  const { clock, read, response } = streaming();
  expect(response.headers.get("ratelimit-remaining")).toBe("3");
  expect(await read()).toBe("retry: 2000\n: \nid: here\n\n");
  const next = read();
  let hasSpoken = false;
  next.then(() => {
    hasSpoken = true;
  });
  for (let tenths = 0; tenths < 10 * HEARTBEAT_SECONDS - 1; tenths++) {
    await settled();
    clock.pass(100);
  }
  await settled();
  expect(hasSpoken).toBe(false);
  while (!hasSpoken) {
    clock.pass(1_000);
    await settled();
  }
  expect(await next).toBe(": \nid: here\n\n");
});

test("a stream polls twice a second", async () => {
  const { clock, read, state, said } = streaming();
  await read();
  const next = read();
  await settled();
  expect(state.looks).toBe(1);
  said.push(eventText({ name: "a", json: "{}" }));
  clock.pass(499);
  await settled();
  expect(state.looks).toBe(1);
  clock.pass(1);
  expect(await next).toBe("event: a\ndata: {}\n\n");
  expect(state.looks).toBe(2);
});

test("a stream whose credential no longer works ends at its next poll", async () => {
  const { clock, read, state, said } = streaming();
  await read();
  const next = read();
  said.push("secret");
  state.isAllowed = false;
  await settled();
  clock.pass(500);
  expect(await next).toBe("");
  expect(state.looks).toBe(1);
});

test("a stream ends with the streams of its process, after which none begins", async () => {
  const { read, streams } = streaming();
  await read();
  streams.close();
  expect(await read()).toBe("");
});
