import { expect, test } from "bun:test";
import fc from "fast-check";
import { type EndpointView, PLAIN } from "../../src/dispatch/endpoint";
import { DormantActors } from "../../src/dispatch/registry";
import { newId } from "../../src/domain/ids";
import { BODY_FORMATS } from "../../src/domain/tuning";

const anyView: fc.Arbitrary<EndpointView> = fc
  .record({
    revision: fc.nat(),
    url: fc.webUrl(),
    secrets: fc.array(fc.string(), { minLength: 1, maxLength: 2 }),
    expiringSecrets: fc.oneof(
      fc.constant(PLAIN.expiringSecrets),
      fc.array(fc.record({ secret: fc.string(), until: fc.nat() }), { maxLength: 2 }),
    ),
    secretHeaders: fc.oneof(fc.constant(PLAIN.secretHeaders), fc.array(fc.string(), { maxLength: 2 })),
    headers: fc.option(fc.dictionary(fc.string(), fc.string())),
    failingSince: fc.option(fc.nat()),
    probes: fc.boolean(),
    retryScheduleMs: fc.option(fc.array(fc.nat(), { maxLength: 3 })),
    format: fc.constantFrom(...BODY_FORMATS),
    rateLimit: fc.option(fc.nat()),
    maxInFlight: fc.integer({ min: 1, max: 100 }),
  })
  .map((view) => ({ ...PLAIN, ...view }));

const place = () => ({ partition: 3, endpointId: newId("ep") });

test("an endpoint's state is restored as it was, once", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        anyView,
        anyView.map((view) => ({ ...view, ...PLAIN })),
      ),
      fc.nat(),
      (endpoint, tail) => {
        const dormant = new DormantActors();
        const at = place();
        dormant.keep(at, { tail, endpoint });
        expect(dormant.revive(at)).toEqual({ tail, endpoint });
        expect(dormant.revive(at)).toBeNull();
      },
    ),
  );
});

test("the states of a dropped partition are gone, and those of others are not", () => {
  const dormant = new DormantActors();
  const [dropped, other] = [place(), { ...place(), partition: 4 }];
  const rest = { tail: 1, endpoint: { ...PLAIN, revision: 1, url: "http://a", secrets: ["s"] } };
  for (const at of [dropped, other]) dormant.keep(at, rest);
  dormant.forgetPartition(dropped.partition);
  expect([dormant.revive(dropped), dormant.revive(other)]).toEqual([null, rest]);
  dormant.keep(dropped, rest);
  expect(dormant.revive(dropped)).toEqual(rest);
});

test("100,000 states of plain endpoints are kept; larger ones are bounded by their total size", () => {
  const dormant = new DormantActors();
  const plain = (i: number): EndpointView => ({
    ...PLAIN,
    revision: 1,
    url: `https://receiver.example.com/hooks/${i}`,
    secrets: [`whsec_${"x".repeat(44)}`],
  });
  const places = Array.from({ length: 100_000 }, place);
  for (const [i, at] of places.entries()) dormant.keep(at, { tail: i, endpoint: plain(i) });
  const kept = places.filter((at) => dormant.revive(at) !== null);
  expect(kept).toHaveLength(100_000);
  const headers = { "x-large": "x".repeat(4_096) };
  for (const [i, at] of places.entries()) dormant.keep(at, { tail: i, endpoint: { ...plain(i), headers } });
  const large = places.filter((at) => dormant.revive(at) !== null);
  expect(large.length).toBeGreaterThan(1_000);
  expect(large.length).toBeLessThan(20_000);
});
