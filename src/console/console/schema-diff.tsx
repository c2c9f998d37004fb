import { useMemo } from "preact/hooks";
import { prettyJson } from "../shared/code";
import { plural } from "../shared/format";
import { JsonText } from "../shared/json-text";
import { Card } from "../shared/parts";
import { visible } from "../shared/visible-text";
import { type DiffLine, diffOf } from "./line-diff";
import { changeSentences } from "./schema-changes";
import type { Schema } from "./schema-fields";

type SchemaDiffProps = { title: string; before: Schema; after: Schema };

/** Compares two schemas by lines, and says what the second asks of senders. Empty if they say the same. */
export function SchemaDiff({ title, before, after }: SchemaDiffProps) {
  const [old, next] = [prettyJson(before), prettyJson(after)];
  const lines = useMemo(() => diffOf(old, next), [old, next]);
  if (old === next) return null;
  const number = (is: DiffLine["is"]) => lines.filter((each) => each.is === is).length;
  return (
    <Card
      title={title}
      meta={`${plural(number("added"), "line", "lines")} added, ${number("removed")} removed`}
    >
      <Meaning before={before} after={after} />
      <ul class="diff" aria-label={title} tabIndex={0}>
        {lines.map((line, index) => (
          <Line key={index} line={line} />
        ))}
      </ul>
    </Card>
  );
}

function Meaning({ before, after }: { before: Schema; after: Schema }) {
  const sentences = changeSentences(before, after);
  if (sentences.length === 0) return null;
  return (
    <div class="pad stack">
      {sentences.map((each) => (
        <p key={each}>{visible(each)}</p>
      ))}
    </div>
  );
}

const MARKS = { same: " ", added: "+", removed: "−" } as const;

function Line({ line }: { line: DiffLine }) {
  if (line.is === "skipped")
    return (
      <li class="skipped">
        <span aria-hidden="true">⋯</span>
        {plural(line.lines, "equal line", "equal lines")}
      </li>
    );
  return (
    <li class={line.is}>
      <span aria-hidden="true">{MARKS[line.is]}</span>
      <span>
        {line.is !== "same" && <span class="sr">{line.is}: </span>}
        <JsonText text={line.text} />
      </span>
    </li>
  );
}
