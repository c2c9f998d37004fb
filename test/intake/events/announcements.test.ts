import { expect, test } from "bun:test";
import { newId } from "../../../src/domain/ids";
import { type Announcement, Announcements } from "../../../src/intake/events/announcements";

function announcement(partition: number): Announcement {
  const hint = {
    id: newId("wh"),
    accountId: newId("acc"),
    endpointId: newId("ep"),
    sequence: 1,
    event: null,
    orderingKey: null,
    eventExternalId: null,
    revision: 1,
    data: null,
  };
  return { partition, hint };
}

test("every delivery is announced in order, whatever is added meanwhile, and few per turn of the event loop", async () => {
  const handedOn: number[] = [];
  const announcements = new Announcements((partition) => handedOn.push(partition));
  const many = Array.from({ length: 300 }, (_, i) => announcement(i));
  announcements.add([]);
  announcements.add(many.slice(0, 1));
  expect(handedOn).toEqual([0]);
  announcements.add(many.slice(1, 200));
  expect(handedOn.length).toBeLessThan(100);
  announcements.add(many.slice(200));
  await announcements.made();
  expect(handedOn).toEqual(Array.from({ length: 300 }, (_, i) => i));
});
