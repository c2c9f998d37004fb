import { expect, test } from "bun:test";
import { ReceiverSpeeds } from "../../src/attempt/admission";

test("an endpoint is as fast as its last exchange, and one that recovers is fast again", () => {
  const speeds = new ReceiverSpeeds();
  const after = (durationMs: number, error: "timeout" | "connection_refused" | null = null) => {
    speeds.note("ep", { durationMs, error });
    return speeds.of("ep", true);
  };
  expect(after(20)).toBe("prompt");
  expect(after(1_500)).toBe("slow");
  expect(after(20)).toBe("prompt");
  expect(after(300, "timeout")).toBe("slow");
  expect(after(3, "connection_refused")).toBe("prompt");
});

test("an unknown endpoint is new, or slow if its last attempt failed, as after a restart in an outage", () => {
  const speeds = new ReceiverSpeeds();
  expect([speeds.of("ep", false), speeds.of("ep", true)]).toEqual(["new", "slow"]);
});
