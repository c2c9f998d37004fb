import { useState } from "preact/hooks";
import type { EventType, TypeCode } from "../../client/types";
import { keyed } from "../shared/access";
import { call } from "../shared/api";
import { Code } from "../shared/code";
import { LanguageTabs, languageAmong } from "../shared/code-tabs";
import { Loaded } from "../shared/loaded";
import { useResource } from "../shared/resource";
import { partTexts } from "../shared/texts";

const LANGUAGES = ["TypeScript", "Python", "Go", "Java"] as const;
const CODE_OF = { TypeScript: "ts", Python: "python", Go: "go", Java: "java" } as const;
/** Code is asked for again after this time, since the schema may change. */
const KEPT_MS = 60_000;

/** A type for the payload in several languages, which the service writes once somebody opens it. Empty if the payload is unknown. */
export function PayloadTypes({ type: { event_type, schema, example } }: { type: EventType }) {
  const [isOpen, setOpen] = useState(false);
  if (schema === null && example === null) return null;
  return (
    <details class="payload-types" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{partTexts.value.payloadTypes}</summary>
      {isOpen && <InLanguages name={event_type} />}
    </details>
  );
}

function InLanguages({ name }: { name: string }) {
  const t = partTexts.value;
  const language = CODE_OF[languageAmong(LANGUAGES)];
  const code = useResource(
    keyed("type-code", name, language),
    () => call("get", "/v1/event-types/{name}/code", { path: { name }, query: { language } }),
    { keptMs: KEPT_MS },
  );
  return (
    <>
      <LanguageTabs label={t.payloadTypes} languages={LANGUAGES} />
      <Loaded resource={code} bars={4}>
        {(data) =>
          data.problem === null ? (
            <Code label={t.payloadTypes} text={textOf(data)} />
          ) : (
            <p class="pad dim">{t.refused(data.problem)}</p>
          )
        }
      </Loaded>
    </>
  );
}

/** Joins the files, each under its name if there are several. */
function textOf({ files }: TypeCode): string {
  if (files.length === 1) return files[0]?.text ?? "";
  return files.map(({ name, text }) => `// ${name}\n\n${text}`).join("\n");
}
