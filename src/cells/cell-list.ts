/** A cell and the address at which routers, and senders that know their cell, reach it. */
export type CellAddress = Readonly<{ name: string; url: string }>;

/** Most cells of an installation. A question goes to all of them. */
export const MOST_CELLS = 100;
/** Names are parts of NATS subjects and of header values. */
const NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** Parses cells, such as `eu-1=https://eu-1.example.com,us-1=https://us-1.example.com`. Throws for an invalid text. */
export function parseCells(text: string): readonly CellAddress[] {
  const cells = text.split(",").map((each) => cellIn(each.trim()));
  if (cells.length > MOST_CELLS) throw new Error(`more than ${MOST_CELLS} cells`);
  const names = cells.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw new Error(`the cell ${twice} is listed twice`);
  return Object.freeze(cells);
}

function cellIn(text: string): CellAddress {
  const end = text.indexOf("=");
  const [name, url] = [text.slice(0, Math.max(0, end)), text.slice(end + 1)];
  const parsed = URL.parse(url);
  const isOrigin = parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.origin === url;
  if (NAME.test(name) && isOrigin) return Object.freeze({ name, url });
  throw new Error(
    `${text || "an empty item"} must be a name of a-z, 0-9 and -, then = and an origin, such as eu-1=https://eu-1.example.com`,
  );
}

/** True if `place` names the cell: by its name, or by the beginning of names and a star, such as `eu-*`. */
export function isPlace(place: string, { name }: Pick<CellAddress, "name">): boolean {
  return place.endsWith("*") ? name.startsWith(place.slice(0, -1)) : name === place;
}
