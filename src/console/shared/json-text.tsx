import { visible } from "./visible-text";

const TOKEN = /("(?:[^"\\]|\\.)*"?)(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b/g;
/** Most pieces that are coloured. Each is an element. */
const COLOURED = 4_000;

/** Colours JSON, also JSON that is not whole. `write` makes hidden characters visible. */
export function JsonText({ text, write = visible }: { text: string; write?: (text: string) => string }) {
  const pieces = [];
  let end = 0;
  for (const found of text.matchAll(TOKEN)) {
    if (pieces.length >= COLOURED) break;
    const [whole, quoted, colon = ""] = found;
    pieces.push(write(text.slice(end, found.index)));
    const kind = quoted === undefined ? "lit" : colon === "" ? "str" : "name";
    pieces.push(
      <span class={kind} key={found.index}>
        {write(quoted ?? whole)}
      </span>,
      colon,
    );
    end = found.index + whole.length;
  }
  pieces.push(write(text.slice(end)));
  return <>{pieces}</>;
}
