import { expect, test } from "bun:test";
import { newId } from "../../../src/domain/ids";
import { Announcements } from "../../../src/intake/events/announcements";
import type { Hint } from "../../../src/stream/hint";

function hintOf(sequence: number): Hint {
  return {
    id: newId("wh"),
    accountId: newId("acc"),
    endpointId: newId("ep"),
    partition: 1,
    sequence,
    event: null,
    orderingKey: null,
    eventExternalId: null,
    revision: 1,
    data: null,
  };
}

test("every delivery is announced in order, whatever is added meanwhile, and few per turn of the event loop", async () => {
  const handedOn: number[] = [];
  const announcements = new Announcements(({ sequence }) => handedOn.push(sequence));
  const many = Array.from({ length: 300 }, (_, i) => hintOf(i));
  announcements.add([]);
  announcements.add(many.slice(0, 1));
  expect(handedOn).toEqual([0]);
  announcements.add(many.slice(1, 200));
  expect(handedOn.length).toBeLessThan(100);
  announcements.add(many.slice(200));
  await announcements.made();
  expect(handedOn).toEqual(Array.from({ length: 300 }, (_, i) => i));
});
