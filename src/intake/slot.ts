/**
 * Names the row of an account's month that the commits of one intake add to, so that the commits of several processes never
 * wait for each other. All intakes share row 0: only there can a limit be held exactly.
 */
export type Slot = number & { readonly [chosen]: true };
declare const chosen: unique symbol;

/** Two intakes that choose the same one wait for each other, no more. */
const SLOTS = { first: 16, count: 8 };

/** Slots for the intakes of one process, different ones; `random` in [0, 1). */
export function chooseSlots(random: number): { sends: Slot; fanOuts: Slot; replays: Slot; feeds: Slot } {
  const first = Math.floor(random * SLOTS.count);
  return {
    sends: slotAt(first),
    fanOuts: slotAt(first + 1),
    replays: slotAt(first + 2),
    feeds: slotAt(first + 3),
  };
}

function slotAt(n: number): Slot {
  return (SLOTS.first + (n % SLOTS.count)) as Slot;
}
