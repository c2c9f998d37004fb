import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { understand } from "../../../src/console/console/understand";
import { queryOf, rangeOf, readFilters } from "../../../src/console/pages/delivery-filters";

const NOW = new Date(2026, 10, 25, 9, 41, 7).getTime();
const iso = (...parts: [number, number, number, number?]) => new Date(...parts).toISOString();

describe("a relative time", () => {
  const rangeAt = (time: string, now = NOW) => rangeOf({ time, after: null, before: null }, now);

  test("becomes times in the browser's zone", () => {
    expect(rangeAt("today")).toEqual({ after: iso(2026, 10, 25) });
    expect(rangeAt("morning")).toEqual({ after: iso(2026, 10, 25, 6), before: iso(2026, 10, 25, 12) });
    expect(rangeAt("1h")).toEqual({ after: new Date(NOW - 3_600_000).toISOString() });
    expect(rangeAt("no such time")).toEqual({});
  });

  test("yesterday is the whole day before, however long that was", () => {
    // In zones that change their clocks one of these days has 23 or 25 hours.
    for (let day = 1; day <= 366; day++) {
      const now = new Date(2026, 0, day, 0, 30).getTime();
      expect(rangeAt("yesterday", now)).toEqual({ after: iso(2026, 0, day - 1), before: iso(2026, 0, day) });
    }
  });
});

test("the URL's filters are sent, and nothing else from the URL is", () => {
  const params = new URLSearchParams(
    "event=a.b&endpoint=ep_1&status=failed&response_status=5xx&ordering_key=k&sequence=7&data.order_id=42&account=acc_1&tab=x",
  );
  expect(JSON.parse(JSON.stringify(queryOf(readFilters(params), NOW)))).toEqual({
    "data.order_id": "42",
    event_type: "a.b",
    endpoint_id: "ep_1",
    status: "failed",
    response_status: "5xx",
    ordering_key: "k",
    sequence: "7",
  });
});

describe("text typed into the palette", () => {
  const known = {
    accounts: [{ id: "acc_k", name: "Kestrel Freight", also: "kestrel" }],
    endpoints: [{ id: "ep_w", name: "Warehouse", also: "https://wms.example.com/kestrel" }],
    types: ["invoice.paid", "order.placed"],
  };
  const first = (text: string) => understand(text, known)[0];

  test("is understood as a filter", () => {
    expect(first("did Kestrel get invoice.paid this morning?")?.query).toMatchObject({
      event: "invoice.paid",
      account: "acc_k",
      time: "morning",
    });
    expect(first("failed order.placed yesterday")?.query).toMatchObject({
      event: "order.placed",
      status: "failed",
      time: "yesterday",
    });
  });

  test("is found by its name or id", () => {
    expect(first("warehouse")?.path).toBe("/console/endpoints/ep_w");
    expect(first("wh_01m88vgxf882j7c0e3vzvfmvk2")?.path).toBe(
      "/console/deliveries/wh_01m88vgxf882j7c0e3vzvfmvk2",
    );
    expect(understand("nothing like it", known)).toEqual([]);
  });

  test("never leads out of the console", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        for (const { path } of understand(text, known)) expect(path).toStartWith("/console");
      }),
    );
  });
});
