import { expect, test } from "bun:test";
import { HintBuffer } from "../../src/dispatch/dispatcher";
import { newId } from "../../src/domain/ids";
import { type Hint, MAX_MESSAGE_DATA_BYTES } from "../../src/stream/hint";

const ids = { partition: 1, accountId: newId("acc"), endpointId: newId("ep") };

function hintOf(sequence: number, data = "{}"): Hint {
  return {
    id: newId("wh"),
    ...ids,
    sequence,
    event: null,
    orderingKey: null,
    eventExternalId: null,
    revision: 1,
    data,
  };
}

/** A hint buffer that passes its hints on when the test runs it. */
function heldHints() {
  const reported: Hint[] = [];
  const waiting: (() => void)[] = [];
  const hints = new HintBuffer({
    registry: { announce: (hint) => reported.push(hint) },
    soon: (run) => waiting.push(run),
  });
  return { hints, reported, waiting };
}

test("hints that arrive together are passed on later, once, in the order of their sequences", () => {
  const { hints, reported, waiting } = heldHints();
  for (const sequence of [6, 8, 7, 5]) hints.add(hintOf(sequence));
  expect(reported).toEqual([]);
  expect(waiting).toHaveLength(1);
  waiting.pop()?.();
  expect(reported.map(({ sequence }) => sequence)).toEqual([5, 6, 7, 8]);
  hints.add(hintOf(9));
  waiting.pop()?.();
  expect(reported).toHaveLength(5);
});

test("a payload too large for a message stays in Postgres within a process too", () => {
  const { hints, reported, waiting } = heldHints();
  hints.add(hintOf(1, "x".repeat(MAX_MESSAGE_DATA_BYTES + 1)));
  waiting.pop()?.();
  expect(reported).toMatchObject([{ sequence: 1, data: null }]);
});
