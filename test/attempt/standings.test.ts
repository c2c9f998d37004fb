import { expect, test } from "bun:test";
import { Standings } from "../../src/attempt/standings";

test("an endpoint is as its last exchange was, and one that recovers is prompt again", () => {
  const standings = new Standings();
  const after = (durationMs: number, error: "timeout" | "connection_refused" | null = null) => {
    standings.note("ep", { durationMs, error });
    return standings.of("ep", true);
  };
  expect(after(20)).toBe("prompt");
  expect(after(1_500)).toBe("slow");
  expect(after(20)).toBe("prompt");
  expect(after(300, "timeout")).toBe("slow");
  expect(after(3, "connection_refused")).toBe("prompt");
});

test("one that is not known is new, or slow when its last attempt failed: as after a start in an outage", () => {
  const standings = new Standings();
  expect([standings.of("ep", false), standings.of("ep", true)]).toEqual(["new", "slow"]);
});
