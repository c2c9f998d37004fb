import { expect, test } from "bun:test";
import fc from "fast-check";
import { eventText, heartbeatText } from "../../src/api/live/event-text";
import { EventParser, liveEvents } from "../../src/client/live-events";

const events = fc.array(
  fc.oneof(
    fc.record({
      name: fc.constantFrom("delivery", "update"),
      // U+2028 ends a line for some, but not in a stream.
      json: fc.oneof(fc.json(), fc.constant('"a\u2028b"')),
      id: fc.option(fc.stringMatching(/^[\w-]+$/), { nil: undefined }),
    }),
    fc.constant(null),
  ),
);

test("events are read the same however the stream is cut", () => {
  fc.assert(
    fc.property(events, fc.array(fc.nat({ max: 40 })), fc.boolean(), (written, cuts, isCrLf) => {
      const lines = written.map((each) => (each === null ? heartbeatText("h") : eventText(each))).join("");
      const text = isCrLf ? lines.replaceAll("\n", "\r\n") : lines;
      const parser = new EventParser("first");
      const read = [];
      let at = 0;
      for (const length of [...cuts, text.length]) {
        read.push(...parser.push(text.slice(at, at + length)));
        at += length;
      }
      let id = "first";
      const expected = written.map((each) => {
        id = each === null ? "h" : (each.id ?? id);
        return each === null ? { name: "", data: "", id } : { name: each.name, data: each.json, id };
      });
      expect(read).toEqual(expected);
    }),
  );
});

test("following continues after the last event, and gives up only after several tries without an event", async () => {
  const asked: (string | null)[] = [];
  const bodies = [
    `${heartbeatText("a")}${eventText({ name: "n", json: "1", id: "b" })}event: n\nda`,
    "",
    heartbeatText("c"),
  ];
  const open = async (lastEventId: string | null) => {
    asked.push(lastEventId);
    return new Response(bodies.shift() ?? "");
  };
  const got = [];
  const following = async () => {
    for await (const { data } of liveEvents({ open, maxRetries: 2 })) got.push(data);
  };
  expect(following()).rejects.toThrow("The stream ended");
  await following().catch(() => {});
  expect(asked.slice(0, 3)).toEqual([null, "b", "b"]);
});
