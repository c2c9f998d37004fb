import type { ComponentChildren } from "preact";
import type { LiveList } from "./live-list";
import { Problem, Skeleton } from "./parts";
import { partTexts } from "./texts";

type Continued = Pick<LiveList<{ id: string }>, "isBusy" | "more">;

/** Continues a list, or a search that has stopped before its end. */
export function OlderButton({ list }: { list: Continued }) {
  const t = partTexts.value;
  const isBusy = list.isBusy.value;
  return (
    <button type="button" class="btn sm" disabled={isBusy} onClick={() => void list.more()}>
      {isBusy ? t.searching : t.older}
    </button>
  );
}

type GrowingListProps<T extends { id: string }> = {
  list: LiveList<T>;
  /** The height of the grey bars. */
  height?: number;
  /** Shown if the list has no rows. */
  nothing: ComponentChildren;
  /** Words beside the button for older rows. */
  reach?: ComponentChildren;
  /** The rows. */
  children: ComponentChildren;
};

/** Shows a list with its failure, the new rows that wait for the reader, and the way to older ones. */
export function GrowingList<T extends { id: string }>(props: GrowingListProps<T>) {
  const { list, height, nothing, reach, children } = props;
  const { rows, fresh, gap, cursor, error, isLoaded } = list;
  const isEmpty = rows.value.length === 0;
  return (
    <>
      {error.value !== null && <Problem error={error.value} retry={() => void list.look()} />}
      {fresh.value.length > 0 && (
        <button type="button" class="fresh" onClick={() => list.showFresh()}>
          {partTexts.value.newDeliveries(fresh.value.length, gap.value !== null)}
        </button>
      )}
      {!isLoaded.value && error.value === null && <Skeleton rows={12} height={height} />}
      {isLoaded.value && isEmpty && cursor.value === null && nothing}
      {!isEmpty && children}
      {isLoaded.value && cursor.value !== null && (
        <div class="further">
          <OlderButton list={list} />
          {reach}
        </div>
      )}
    </>
  );
}
