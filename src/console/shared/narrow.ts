import { signal } from "@preact/signals";

const query = matchMedia("(max-width: 760px)");

/** True on a narrow screen, such as a phone's. Rows then have two lines. */
export const isNarrow = signal(query.matches);

query.addEventListener("change", ({ matches }) => {
  isNarrow.value = matches;
});
