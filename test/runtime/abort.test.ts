import { expect, test } from "bun:test";
import { getEventListeners } from "node:events";
import { unlessAborted } from "../../src/runtime/abort";

const never = new Promise<never>(() => {});

test("settles as the work does, and then leaves no listener on the signal", async () => {
  const { signal } = new AbortController();
  expect(await unlessAborted(Promise.resolve(1), signal)).toBe(1);
  await expect(unlessAborted(Promise.reject(new Error("the work's")), signal)).rejects.toThrow("the work's");
  expect(getEventListeners(signal, "abort")).toEqual([]);
  expect(await unlessAborted(Promise.resolve(1), undefined)).toBe(1);
});

test("rejects at once if the signal aborts, or has aborted", async () => {
  const control = new AbortController();
  const waiting = unlessAborted(never, control.signal);
  control.abort(new Error("asked to"));
  await expect(waiting).rejects.toThrow("asked to");
  await expect(unlessAborted(never, control.signal)).rejects.toThrow("asked to");
});
