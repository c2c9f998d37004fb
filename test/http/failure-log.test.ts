import { expect, test } from "bun:test";
import pino from "pino";
import { toApiError } from "../../src/api/failure";
import { FailureLog } from "../../src/api/failure-log";
import { QueueFull } from "../../src/runtime/queues/batcher";

function failureLog() {
  const lines: unknown[] = [];
  const state = { now: 0 };
  const log = pino({ base: null, timestamp: false }, { write: (line) => lines.push(JSON.parse(line)) });
  return { failures: new FailureLog({ log, clock: { monotonic: () => state.now } }), lines, state };
}

const REQUEST = new Request("http://localhost/v1/webhooks");

test("a storm of requests that fail is logged once a second, with the count of those omitted", () => {
  const { failures, lines, state } = failureLog();
  const fail = (times: number) => {
    for (let i = 0; i < times; i++)
      expect(toApiError(new TypeError(`fault ${i}`), REQUEST, failures).status).toBe(500);
  };
  fail(1_000);
  state.now = 1_000;
  fail(5);
  expect(lines).toMatchObject([
    { level: 50, error: "fault 0", stack: expect.stringContaining("fault 0") },
    { level: 50, error: "fault 0", omitted: 999 },
  ]);
});

test("a storm of answers 503 hides no answer 500", () => {
  const { failures, lines } = failureLog();
  for (let i = 0; i < 10; i++) toApiError(new QueueFull(), REQUEST, failures);
  toApiError(new TypeError("fault"), REQUEST, failures);
  expect(lines).toMatchObject([{ level: 40 }, { level: 50 }]);
});
