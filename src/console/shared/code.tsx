import { useState } from "preact/hooks";
import { bytes } from "./format";
import { JsonText } from "./json-text";
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
        {isJson && shown.length <= SHOWN ? <JsonText text={shown} /> : visible(shown)}
      </pre>
      {shown.length < text.length && (
        <button type="button" class="btn sm more" onClick={() => setWhole(true)}>
          {partTexts.value.showAll(bytes(text.length))}
        </button>
      )}
    </div>
  );
}

export function prettyJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
