import { expect, test } from "bun:test";
import fc from "fast-check";
import { type EndpointView, PLAIN } from "../../src/dispatch/endpoint";
import { Rests } from "../../src/dispatch/rests";
import { newId } from "../../src/runtime/ids";

const anyView: fc.Arbitrary<EndpointView> = fc.record({
  revision: fc.nat(),
  url: fc.webUrl(),
  secrets: fc.array(fc.string(), { minLength: 1, maxLength: 2 }),
  expiringSecrets: fc.oneof(
    fc.constant(PLAIN.expiringSecrets),
    fc.array(fc.record({ secret: fc.string(), until: fc.nat() }), { maxLength: 2 }),
  ),
  headers: fc.option(fc.dictionary(fc.string(), fc.string())),
  failingSince: fc.option(fc.nat()),
  permanentStatuses: fc.oneof(
    fc.constant(PLAIN.permanentStatuses),
    fc.array(fc.integer({ min: 400, max: 499 })),
  ),
  retryScheduleMs: fc.option(fc.array(fc.nat(), { maxLength: 3 })),
  timeoutMs: fc.option(fc.nat()),
  rateLimit: fc.option(fc.nat()),
  ordering: fc.constantFrom("ordered" as const, "by_key" as const, "unordered" as const),
  maxInFlight: fc.integer({ min: 1, max: 100 }),
});

const place = () => ({ partition: 3, endpointId: newId("ep") });

test("an endpoint is taken up again as it was, once", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        anyView,
        anyView.map((view) => ({ ...view, ...PLAIN })),
      ),
      fc.nat(),
      (endpoint, tail) => {
        const rests = new Rests();
        const at = place();
        rests.keep(at, { tail, endpoint });
        expect(rests.take(at)).toEqual({ tail, endpoint });
        expect(rests.take(at)).toBeNull();
      },
    ),
  );
});

test("those of a partition that was dropped are gone, and those of others are not", () => {
  const rests = new Rests();
  const [dropped, other] = [place(), { ...place(), partition: 4 }];
  const rest = { tail: 1, endpoint: { ...PLAIN, revision: 1, url: "http://a", secrets: ["s"] } };
  for (const at of [dropped, other]) rests.keep(at, rest);
  rests.drop(dropped.partition);
  expect([rests.take(dropped), rests.take(other)]).toEqual([null, rest]);
  rests.keep(dropped, rest);
  expect(rests.take(dropped)).toEqual(rest);
});

test("those of 100,000 plain endpoints are kept, and of those with much of their own what is kept together", () => {
  const rests = new Rests();
  const plain = (i: number): EndpointView => ({
    ...PLAIN,
    revision: 1,
    url: `https://receiver.example.com/hooks/${i}`,
    secrets: [`whsec_${"x".repeat(44)}`],
  });
  const places = Array.from({ length: 100_000 }, place);
  for (const [i, at] of places.entries()) rests.keep(at, { tail: i, endpoint: plain(i) });
  const kept = places.filter((at) => rests.take(at) !== null);
  expect(kept).toHaveLength(100_000);
  const headers = { "x-large": "x".repeat(4_096) };
  for (const [i, at] of places.entries()) rests.keep(at, { tail: i, endpoint: { ...plain(i), headers } });
  const large = places.filter((at) => rests.take(at) !== null);
  expect(large.length).toBeGreaterThan(1_000);
  expect(large.length).toBeLessThan(10_000);
});
