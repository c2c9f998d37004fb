import { expect, test } from "bun:test";
import type { Log } from "../../src/runtime/log";
import { Outage } from "../../src/runtime/outage";
import { keepingLog } from "../support/keeping-log";

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

test("an outage that begins at the second failure in a row is not logged before", () => {
  const { lines, log } = keepingLog();
  const outage = new Outage(log, { begun: "begun", over: "over" }, 2);
  const levels = () => lines.map(({ level, msg }) => `${level} ${msg}`);
  for (let i = 0; i < 3; i++) {
    outage.failed(new Error("late"));
    outage.worked();
  }
  expect(levels()).toEqual([]);
  for (let i = 0; i < 3; i++) outage.failed(new Error("late"));
  outage.worked();
  expect(levels()).toEqual(["40 begun", "30 over"]);
});
