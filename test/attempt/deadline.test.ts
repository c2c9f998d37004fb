import { expect, test } from "bun:test";
import { Deadline } from "../../src/attempt/deadline";

test("stops the work once", () => {
  const deadline = new Deadline();
  let stops = 0;
  deadline.onPassed(() => void stops++);
  expect(deadline.hasPassed).toBe(false);
  deadline.expire();
  deadline.expire();
  expect([deadline.hasPassed, stops]).toEqual([true, 1]);
});

test("stops only the current work, and at once if it was aborted before", () => {
  const deadline = new Deadline();
  const stopped: string[] = [];
  deadline.onPassed(() => void stopped.push("before"));
  deadline.onPassed(() => void stopped.push("now"));
  deadline.expire();
  deadline.onPassed(() => void stopped.push("late"));
  expect(stopped).toEqual(["now", "late"]);
});

test("ends a race at once, even if it was aborted before", async () => {
  const deadline = new Deadline();
  expect(await deadline.race(Promise.resolve(1))).toBe(1);
  const race = deadline.race(new Promise(() => {}));
  deadline.expire();
  await expect(race).rejects.toThrow();
  await expect(deadline.race(new Promise(() => {}))).rejects.toThrow();
});
