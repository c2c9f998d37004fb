import { useState } from "preact/hooks";
import { bytes } from "./format";
import { CopyButton } from "./parts";
import { partTexts } from "./texts";
import { SHOWN, visible } from "./visible-text";

type CodeProps = { text: string; label: string; isJson?: boolean; note?: string };

/** Shows text from outside, such as a payload, an answer or headers. Never interprets it as HTML. */
export function Code({ text, label, isJson = false, note }: CodeProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? text : text.slice(0, SHOWN);
  return (
    <div class="code">
      <div class="head">
        <span>
          {label}
          <span class="faint">, {note ?? bytes(new TextEncoder().encode(text).length)}</span>
        </span>
        <CopyButton text={text} label={partTexts.value.copyOf(label)} />
      </div>
      <pre tabIndex={0} aria-label={label} role="region">
        {isJson && shown.length <= SHOWN ? <Json text={shown} /> : visible(shown)}
      </pre>
      {shown.length < text.length && (
        <button type="button" class="btn sm more" onClick={() => setWhole(true)}>
          {partTexts.value.showAll(bytes(text.length))}
        </button>
      )}
    </div>
  );
}

const TOKEN = /("(?:[^"\\]|\\.)*"?)(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b/g;
/** Most pieces that are coloured. Each is an element. */
const COLOURED = 4_000;

function Json({ text }: { text: string }) {
  const pieces = [];
  let end = 0;
  for (const found of text.matchAll(TOKEN)) {
    if (pieces.length >= COLOURED) break;
    const [whole, quoted, colon = ""] = found;
    pieces.push(visible(text.slice(end, found.index)));
    const kind = quoted === undefined ? "lit" : colon === "" ? "str" : "name";
    pieces.push(
      <span class={kind} key={found.index}>
        {visible(quoted ?? whole)}
      </span>,
      colon,
    );
    end = found.index + whole.length;
  }
  pieces.push(visible(text.slice(end)));
  return <>{pieces}</>;
}

export function prettyJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
