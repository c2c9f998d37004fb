import { expect, test } from "bun:test";
import { nearest } from "../../../src/runtime/text/nearest";

const FIELDS = ["url", "description", "event_filter", "is_active", "timeout_ms", "expires_at", "after"];

test.each([
  ["ulr", "url"],
  ["URL", "url"],
  ["desciption", "description"],
  ["filter", "event_filter"],
  ["eventFilter", "event_filter"],
  ["event-filter", "event_filter"],
  ["isActive", "is_active"],
  ["active", "is_active"],
  ["timeout", "timeout_ms"],
  ["expires_in", "expires_at"],
  ["afterwards", "after"],
  ["atfer", "after"],
])("%s is close to %s", (name, meant) => {
  expect(nearest(name, FIELDS)).toBe(meant);
});

test.each(["x", "", "ml", "colour", "__proto__", `${"x".repeat(60)}_url_x`])(
  "%s is close to no name",
  (name) => {
    expect(nearest(name, FIELDS)).toBeNull();
  },
);

test("of two names the closer one is returned", () => {
  expect(nearest("events", ["event_types", "event"])).toBe("event");
});
