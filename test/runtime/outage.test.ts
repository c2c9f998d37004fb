import { expect, test } from "bun:test";
import type { Log } from "../../src/runtime/log";
import { Outage } from "../../src/runtime/outage";

test("an outage is reported once, and so is its end, each time", () => {
  const lines: string[] = [];
  const log = {
    debug: () => {},
    warn: (_: unknown, text: string) => lines.push(text),
    info: (_: unknown, text: string) => lines.push(text),
  };
  const outage = new Outage(log as unknown as Log, { begun: "away", over: "back" });
  outage.worked();
  for (let i = 0; i < 2; i++) {
    for (let tries = 0; tries < 3; tries++) outage.failed(new Error("no"));
    for (let times = 0; times < 3; times++) outage.worked();
  }
  expect(lines).toEqual(["away", "back", "away", "back"]);
});
