/**
 * A row of the counters and of the month that the commits of one intake write, so that those of several processes
 * need not wait for each other's. 0 is the row that all of them share: only there can a limit be held exactly.
 */
export type Slot = number & { readonly [chosen]: true };
declare const chosen: unique symbol;

/** Counters below these belong to others (recorder, cancellations, retention, tallies). */
const FIRST_SLOT = 16;
/** What is counted is the sum over all rows, so they are few. Two that choose the same one do wait, no more. */
const SLOTS = 8;

/** Slots for the intakes of one process, different ones; `random` in [0, 1). */
export function chooseSlots(random: number): { sends: Slot; fanOuts: Slot; replays: Slot; feeds: Slot } {
  const first = Math.floor(random * SLOTS);
  return {
    sends: slotAt(first),
    fanOuts: slotAt(first + 1),
    replays: slotAt(first + 2),
    feeds: slotAt(first + 3),
  };
}

function slotAt(n: number): Slot {
  return (FIRST_SLOT + (n % SLOTS)) as Slot;
}
