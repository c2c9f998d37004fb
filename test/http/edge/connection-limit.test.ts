import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type ClientConnection, PROGRESS } from "../../../src/api/edge/client-sockets";
import { boundsOf, connectionsToEnd } from "../../../src/api/edge/connection-limit";

const { silent, asking, answered } = PROGRESS;
let fd = 0;

function connection(source: string, progress: ClientConnection["progress"], silentMs = 0): ClientConnection {
  return { fd: fd++, source, progress, silentMs };
}

const many = (count: number, source: string, progress: ClientConnection["progress"]) =>
  Array.from({ length: count }, (_, i) => connection(source, progress, i));

describe("connections beyond the bounds", () => {
  test("are none within the bounds", () => {
    const all = [...many(5, "a", silent), ...many(5, "b", answered)];
    expect(connectionsToEnd(all, { inAll: 10, perSource: 5 })).toEqual([]);
  });

  test("of one source are ended without affecting another's", () => {
    const [flood, other] = [many(100, "a", answered), many(3, "b", silent)];
    const excess = connectionsToEnd([...flood, ...other], { inAll: 1_000, perSource: 10 });
    expect(excess).toHaveLength(90);
    expect(excess.filter(({ source }) => source === "b")).toEqual([]);
  });

  test("of all are taken from the sources that have most", () => {
    const all = [...many(8, "a", answered), ...many(6, "b", answered), ...many(2, "c", silent)];
    const excess = connectionsToEnd(all, { inAll: 10, perSource: 8 });
    const left = Map.groupBy(
      all.filter((each) => !excess.includes(each)),
      ({ source }) => source,
    );
    expect([...left].map(([source, each]) => [source, each.length])).toEqual([
      ["a", 4],
      ["b", 4],
      ["c", 2],
    ]);
  });

  test("are those without a byte, then those without an answer, then those silent for longest", () => {
    const kept = [connection("a", answered, 10), connection("a", answered, 50_000)];
    const order = [
      connection("a", answered, 60_000),
      connection("a", asking, 1),
      connection("a", asking, 5_000),
      connection("a", silent, 1),
    ];
    expect(connectionsToEnd([...order, ...kept], { inAll: 100, perSource: 2 })).toEqual(order);
  });

  test("leave as many as the bounds permit, whatever there is", () => {
    const any = fc.record({
      source: fc.constantFrom("a", "b", "c", "d"),
      progress: fc.constantFrom(silent, asking, answered),
      silentMs: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 60 }), fc.integer({ min: 1, max: 40 }), (drawn, inAll) => {
        const bounds = boundsOf(inAll);
        const all = drawn.map((each, i) => ({ fd: i, ...each }));
        const excess = new Set(connectionsToEnd(all, bounds));
        const left = all.filter((each) => !excess.has(each));
        const sizes = [...Map.groupBy(all, ({ source }) => source).values()].map(({ length }) => length);
        const allowed = sizes.reduce((sum, size) => sum + Math.min(size, bounds.perSource), 0);
        expect(left).toHaveLength(Math.min(inAll, allowed));
        for (const group of Map.groupBy(left, ({ source }) => source).values())
          expect(group.length).toBeLessThanOrEqual(bounds.perSource);
      }),
    );
  });
});
