import { signal } from "@preact/signals";

const query = matchMedia("(max-width: 760px)");

/** Whether the screen is narrow, such as a phone's: rows then have two lines. */
export const isNarrow = signal(query.matches);

query.addEventListener("change", ({ matches }) => {
  isNarrow.value = matches;
});
