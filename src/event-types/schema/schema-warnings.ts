import { shownName } from "../../runtime/text/plain-text";

/** Most warnings about one schema. */
export const MAX_WARNINGS = 20;
/** Most characters of a place that a warning names. */
const MAX_PLACE_LENGTH = 160;

type Places = { first: string; count: number; hint: () => string };

/** Collects warnings about a schema. Names each kind of part once, with its first place and the number of its places. */
export class SchemaWarnings {
  private readonly found = new Map<string, Places>();

  /** The message follows the word `schema`, the hint the places. The path is a JSON pointer; empty for the root. */
  add(message: string, path: string, hint = () => ""): void {
    const known = this.found.get(message);
    if (known) known.count++;
    else this.found.set(message, { first: path, count: 1, hint });
  }

  list(): string[] {
    const all = [...this.found];
    const shown = all.length <= MAX_WARNINGS ? all : all.slice(0, MAX_WARNINGS - 1);
    const texts = shown.map(
      ([message, places]) => `schema ${message}, ${shownPlaces(places)}${places.hint()}`,
    );
    const more = all.length - shown.length;
    return more === 0 ? texts : [...texts, `schema has ${more} other kinds of parts that are not checked`];
  }
}

function shownPlaces({ first, count }: Places): string {
  const place = first === "" ? "its root" : shownName(first, MAX_PLACE_LENGTH);
  if (count === 1) return `at ${place}`;
  return `at ${place} and ${count - 1} other ${count === 2 ? "place" : "places"}`;
}
