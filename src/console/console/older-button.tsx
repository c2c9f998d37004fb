import type { Signal } from "@preact/signals";

type Continued = { isBusy: Signal<boolean>; more(): Promise<void> };

/** Continues a list, or a search that has stopped before its end. */
export function OlderButton({ list }: { list: Continued }) {
  const isBusy = list.isBusy.value;
  return (
    <button type="button" class="btn sm" disabled={isBusy} onClick={() => void list.more()}>
      {isBusy ? "Searching…" : "Show older"}
    </button>
  );
}
